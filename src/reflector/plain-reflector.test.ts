import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { WatchEvent } from '../api/watch-event.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ListWatch } from './list-watch.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorTarget } from './reflector-options.ts';

const thing = (name: string, resourceVersion: string): KubernetesObject => ({
  metadata: { namespace: 'default', name, resourceVersion },
});
const expired = () =>
  new ApiError({ kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' });

/** Lists at version 10, 20 and so on; each watch brings the events that it is given, and then waits, or throws. */
function source(...watches: (readonly (WatchEvent | Error)[])[]) {
  const calls: string[] = [];
  let lists = 0;
  const listWatch = new ListWatch<KubernetesObject>({
    list: () => {
      lists += 10;
      calls.push('list');
      return { metadata: { resourceVersion: String(lists) }, items: [thing('a', String(lists))] };
    },
    watch: async function* (options, { signal }) {
      calls.push(`watch ${options.resourceVersion}`);
      for (const event of watches.shift() ?? []) {
        if (event instanceof Error) throw event;
        yield event;
      }
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  });
  return { listWatch, calls };
}

/** Writes down what it is told; each call takes `delayMs`. */
class SlowTarget implements ReflectorTarget<KubernetesObject> {
  readonly calls: string[] = [];
  readonly #clock: FakeClock;
  readonly #delayMs: number;
  #running = 0;
  failing: string | undefined;

  constructor(clock: FakeClock, delayMs = 0) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  add = ({ metadata }: KubernetesObject) => this.#told(`add ${metadata?.name}`);
  update = ({ metadata }: KubernetesObject) => this.#told(`update ${metadata?.name}`);
  delete = ({ metadata }: KubernetesObject) => this.#told(`delete ${metadata?.name}`);
  replace = (objects: readonly KubernetesObject[], version: string) =>
    this.#told(`replace ${objects.length} at ${version}`);
  resync = () => this.#told('resync');
  updateResourceVersion = (version: string) => this.#told(`version ${version}`);

  async #told(call: string): Promise<void> {
    if (this.#running++ > 0) throw new Error(`${call} came while another call ran`);
    this.calls.push(call);
    if (this.#delayMs > 0) await this.#clock.sleep(this.#delayMs);
    this.#running--;
    if (call === this.failing) {
      this.failing = undefined;
      throw new Error('no room');
    }
  }
}

const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, version: string): WatchEvent => ({
  type,
  object: thing(name, version),
});
const bookmark = (resourceVersion: string): WatchEvent => ({
  type: 'BOOKMARK',
  object: { kind: 'Thing', apiVersion: 'v1', metadata: { resourceVersion } },
});

function reflect(
  target: ReflectorTarget<KubernetesObject>,
  listerWatcher: ListWatch<KubernetesObject>,
  clock: FakeClock,
) {
  const errors: Error[] = [];
  const reflector = new Reflector<KubernetesObject>({
    name: 'things',
    listerWatcher,
    target,
    clock,
    random: () => 0,
    logger: silentLogger,
    watchErrorHandler: (error) => void errors.push(error),
  });
  return { reflector, errors, stop: new AbortController() };
}

describe('a Reflector of plain objects', () => {
  it('awaits each call of its target before the next, and tells it each version', async () => {
    const clock = new FakeClock();
    const target = new SlowTarget(clock, 10);
    const { listWatch } = source([
      event('ADDED', 'b', '12'),
      event('MODIFIED', 'b', '13'),
      bookmark('14'),
      event('DELETED', 'a', '15'),
    ]);
    const { reflector, errors, stop } = reflect(target, listWatch, clock);
    const running = reflector.run({ signal: stop.signal });
    await clock.advance(1_000);
    expect(target.calls).toEqual([
      'replace 1 at 10',
      ...['add b', 'version 12', 'update b', 'version 13', 'version 14', 'delete a', 'version 15'],
    ]);
    expect(reflector.lastSyncResourceVersion()).toBe('15');
    expect(errors).toEqual([]);
    stop.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(['add b', 'update a', 'delete a'])('reports that %s was rejected, and lists again', async (failing) => {
    const clock = new FakeClock();
    const target = new SlowTarget(clock);
    target.failing = failing;
    const { listWatch, calls } = source([
      event('ADDED', 'b', '12'),
      event('MODIFIED', 'a', '13'),
      event('DELETED', 'a', '14'),
    ]);
    const { reflector, errors, stop } = reflect(target, listWatch, clock);
    const running = reflector.run({ signal: stop.signal });
    await clock.advance(5_000);
    expect(errors).toMatchObject([{ kind: 'unusable', message: expect.stringContaining('no room') }]);
    expect(calls).toEqual(['list', 'watch 10', 'list', 'watch 20']);
    expect(target.calls.at(-1)).toBe('replace 1 at 20');
    stop.abort();
    await running;
  });

  it('refuses a target that lacks a method', () => {
    const { listWatch } = source();
    const incomplete = { add() {}, update() {}, delete() {}, replace() {} } as unknown as SlowTarget;
    expect(() => reflect(incomplete, listWatch, new FakeClock())).toThrow('needs the method resync');
  });
});

describe('Reflector.listAndWatch', () => {
  it('lists once, goes on with watches, and rejects with what ends them, at once', async () => {
    const clock = new FakeClock();
    const target = new SlowTarget(clock);
    const { listWatch, calls } = source(
      [event('ADDED', 'b', '12'), new Error('the connection broke')],
      [event('MODIFIED', 'b', '13'), expired()],
    );
    const { reflector, stop } = reflect(target, listWatch, clock);
    const running = reflector.listAndWatch({ signal: stop.signal });
    running.catch(() => {});
    await clock.advance(3_000);
    await expect(running).rejects.toMatchObject({ code: 410 });
    expect(calls).toEqual(['list', 'watch 10', 'watch 12']);
    expect(clock.pendingTimers).toBe(0);

    const again = reflector.listAndWatch({ signal: stop.signal });
    await clock.advance(0);
    expect(calls.slice(3)).toEqual(['list', 'watch 20']);
    stop.abort();
    await again;
    expect(reflector.state.phase).toBe('stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects with what the list failed with', async () => {
    const failure = new Error('no list');
    const clock = new FakeClock();
    const listWatch = new ListWatch<KubernetesObject>({
      list: () => Promise.reject(failure),
      watch: async function* () {},
    });
    const { reflector, stop } = reflect(new SlowTarget(clock), listWatch, clock);
    await expect(reflector.listAndWatch({ signal: stop.signal })).rejects.toBe(failure);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('is refused while the reflector runs', async () => {
    const clock = new FakeClock();
    const { reflector, stop } = reflect(new SlowTarget(clock), source().listWatch, clock);
    const running = reflector.run({ signal: stop.signal });
    await expect(reflector.listAndWatch({ signal: stop.signal })).rejects.toMatchObject({ kind: 'misuse' });
    stop.abort();
    await running;
  });
});
