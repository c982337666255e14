import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Cached, CachedFrames, CachedList } from '../api/cached.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import {
  added,
  apiError,
  bookmark,
  brokenObject,
  deleted,
  expired,
  initialEventsEnd,
  list,
  modified,
  type Pod,
  RecordingTarget,
  Scene,
  type Script,
  ScriptedWatch,
  systemError,
} from './scripted-fixture.ts';

/** How many microtasks after something was called the stop may come: more than any chain of awaits between two calls is long. */
const MAX_TICKS = 12;
const MINUTE = 60_000;

interface Story {
  script: Script;
  /** How far the clock moves, step by step. */
  advances: readonly number[];
}

const stories: Record<string, () => Story> = {
  'an empty WatchList that becomes a watch': () => ({
    script: { watchList: true, watches: [() => new ScriptedWatch(initialEventsEnd('5')), () => new ScriptedWatch()] },
    advances: [0],
  }),
  'a filled WatchList, events, an end, and silence': () => ({
    script: {
      watchList: true,
      watches: [
        () => new ScriptedWatch(added('a', '1'), initialEventsEnd('5'), modified('a', '6')).end(),
        () => new ScriptedWatch(deleted('a', '7'), bookmark('8')),
        () => new ScriptedWatch(),
      ],
    },
    advances: [0, 151_000, 151_000, 151_000, 5_000],
  }),
  'a WatchList that ends early, and LIST': () => ({
    script: { watchList: true, lists: [list('9', ['a@9'])], watches: [() => new ScriptedWatch(added('a', '1')).end()] },
    advances: [0, 5_000],
  }),
  'a list in pages, and a watch whose history expires': () => ({
    script: {
      lists: [list('5', ['a@1'], { continue: 'next' }), list('5', ['b@2']), list('9', ['a@1', 'b@2'])],
      watches: [expired(), systemError('ECONNREFUSED'), () => new ScriptedWatch(modified('b', '10'))],
    },
    advances: [0, 5_000, 5_000],
  }),
  'objects that cannot be used': () => ({
    script: { watchList: true, watches: [() => new ScriptedWatch(broken, initialEventsEnd('5'))] },
    advances: [0, 3_000],
  }),
  'a type that does not exist, and comes': () => ({
    script: {
      confirmGone: gone(3),
      lists: [apiError(404), list('5', ['a@5'])],
    },
    advances: [0, 6_000, 6_000, 6_000],
  }),
  'lists that fail': () => ({ script: { lists: [apiError(500), apiError(403), list('5')] }, advances: [0, MINUTE] }),
  'a storm that the pacer holds up': () => ({
    script: { watches: [() => new ScriptedWatch(added('a', '2')).end()] },
    advances: [0, 3_000],
  }),
  'a target that takes its time': () => ({
    script: {
      watchList: true,
      watches: [() => new ScriptedWatch(initialEventsEnd('5'))],
      resyncMs: 1_000,
      target: new SlowTarget(),
    },
    advances: [0, 2_500],
  }),
};

class SlowTarget extends RecordingTarget {
  override async replace(objects: readonly Cached<Pod>[], resourceVersion: string): Promise<void> {
    await ticks(3);
    await super.replace(objects, resourceVersion);
    await ticks(6);
  }
}

const broken = { type: 'BROKEN', broken: brokenObject('b') } as const;

/** Gone for as many questions. */
function gone(times: number): () => Promise<boolean> {
  let asked = 0;
  return async () => asked++ < times;
}

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await undefined;
}

/** Stops at a call of the reflector to anything outside of it, or some microtasks later. */
class Stopper {
  calls = 0;
  readonly #atCall: number;
  readonly #ticks: number;
  stop: () => void = () => {};

  constructor(atCall: number, afterTicks: number) {
    this.#atCall = atCall;
    this.#ticks = afterTicks;
  }

  readonly called = (): void => {
    if (this.calls++ !== this.#atCall) return;
    if (this.#ticks === 0) this.stop();
    else void ticks(this.#ticks).then(() => this.stop());
  };
}

class StoppingClock extends FakeClock {
  readonly #called: () => void;

  constructor(called: () => void) {
    super();
    this.#called = called;
  }

  override setTimeout(callback: () => void, delayMs: number) {
    queueMicrotask(this.#called);
    return super.setTimeout(() => {
      this.#called();
      callback();
    }, delayMs);
  }
}

function noting(frames: CachedFrames<Pod>, called: () => void): CachedFrames<Pod> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = frames[Symbol.asyncIterator]();
      return {
        next: async () => {
          called();
          const result = await iterator.next();
          called();
          return result;
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** Tells the story with a stop in it; returns how many calls there were, and the signals that were given to calls. */
async function tell({ script, advances }: Story, stopper: Stopper) {
  const signals = new Set<AbortSignal>();
  const { called } = stopper;
  let isOver = false;
  const scene: Scene = new Scene({
    ...script,
    fakeClock: new StoppingClock(called),
    onState: called,
    watchErrorHandler: called,
    around: (server) => ({
      supportsWatchList: script.watchList ?? false,
      list: async (options, context): Promise<CachedList<Pod>> => {
        signals.add(context.signal);
        called();
        const answer = await server.list(options, context);
        called();
        return answer;
      },
      watch: async (options, context) => {
        signals.add(context.signal);
        called();
        const frames = await server.watch(options, context);
        called();
        return noting(frames, called);
      },
    }),
  });
  scene.target.onCall = called;
  stopper.stop = () => scene.stop();
  const run = scene.start().then(() => scene.ended);
  void run.then(() => {
    isOver = true;
  });
  for (const byMs of advances) await scene.clock.advance(byMs);
  scene.stop();
  await scene.settle();
  return { scene, isOver, signals };
}

describe('a stop at any await', () => {
  it.each(Object.entries(stories))('leaves nothing behind: %s', { timeout: 120_000 }, async (_, story) => {
    const dry = new Stopper(Number.POSITIVE_INFINITY, 0);
    await tell(story(), dry);
    expect(dry.calls).toBeGreaterThan(5);
    for (let atCall = 0; atCall < Math.min(dry.calls, 60); atCall++) {
      for (let afterTicks = 0; afterTicks <= MAX_TICKS; afterTicks++) {
        const { scene, isOver, signals } = await tell(story(), new Stopper(atCall, afterTicks));
        const where = `stopped ${afterTicks} microtasks after call ${atCall}`;
        expect(isOver, `run has ended, ${where}`).toBe(true);
        expect(scene.clock.pendingTimers, `timers, ${where}`).toBe(0);
        expect(scene.server.watches.filter(({ isClosed }) => !isClosed).length, `open watches, ${where}`).toBe(0);
        for (const signal of signals) expect(getEventListeners(signal, 'abort').length, `listeners, ${where}`).toBe(0);
        expect(scene.reflector.state.phase).toBe('stopped');
      }
    }
  });
});
