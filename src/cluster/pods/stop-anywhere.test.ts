import { getEventListeners } from 'node:events';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, TransportResponse, UpgradeResponse } from '../../api/transport.ts';
import { pods } from '../../generated/api/core/v1.ts';
import { FakeClock } from '../../observe/fake-clock.ts';
import { silentLogger } from '../../observe/logger.ts';
import { ApiServer } from '../../testing/api-server.ts';
import type { Kubelet } from '../../testing/index.ts';
import { Cluster } from '../cluster.ts';
import type { PodClient } from './pod-client.ts';

/** How many microtasks after something was called the stop may come: more than any chain of awaits between two calls is long. */
const MAX_TICKS = 10;

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await undefined;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Stops when something outside of the call under test is called for the nth time, or some microtasks later. */
class Stopper {
  calls = 0;
  readonly stop = new AbortController();
  readonly reason = new Error('enough');
  readonly #atCall: number;
  readonly #ticks: number;

  constructor(atCall: number, afterTicks: number) {
    this.#atCall = atCall;
    this.#ticks = afterTicks;
  }

  readonly called = (): void => {
    if (this.calls++ === this.#atCall) void this.#abort();
  };

  async #abort(): Promise<void> {
    await ticks(this.#ticks);
    this.stop.abort(this.reason);
  }
}

/** Everything that goes to the server, and comes from it, is a call. */
class NotingTransport implements Transport {
  readonly connections: Duplex[] = [];
  readonly #inner: Transport;
  readonly #called: () => void;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers of an upgrade, instead of those that were asked for. */
  constructor(inner: Transport, called: () => void, headers: Readonly<Record<string, string>>) {
    this.#inner = inner;
    this.#called = called;
    this.#headers = headers;
  }

  async request(request: Parameters<Transport['request']>[0]): Promise<TransportResponse> {
    this.#called();
    const response = await this.#inner.request(request);
    this.#called();
    return { ...response, body: noting(response.body, this.#called) };
  }

  async upgrade(request: Parameters<NonNullable<Transport['upgrade']>>[0]): Promise<UpgradeResponse> {
    this.#called();
    const headers = { ...request.headers, ...this.#headers };
    const response = (await this.#inner.upgrade?.({ ...request, headers })) as UpgradeResponse;
    const { connection } = response;
    if (connection !== undefined) {
      this.connections.push(connection);
      const read = connection._read.bind(connection);
      connection._read = (size) => {
        this.#called();
        read(size);
      };
      const write = connection.write.bind(connection) as (chunk: unknown) => boolean;
      connection.write = ((chunk: unknown) => {
        this.#called();
        return write(chunk);
      }) as Duplex['write'];
    }
    this.#called();
    return response;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

function noting<T>(items: AsyncIterable<T>, called: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = items[Symbol.asyncIterator]();
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

/** What the user hands in: it is read, then it says nothing more, and must be left. */
class Input implements AsyncIterable<string> {
  readonly #called: () => void;
  isOpen = false;

  constructor(called: () => void) {
    this.#called = called;
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    this.isOpen = true;
    let sent = 0;
    return {
      next: () => {
        this.#called();
        return sent++ < 2
          ? Promise.resolve({ done: false, value: `${sent} ` })
          : new Promise<IteratorResult<string>>(() => {});
      },
      return: async () => {
        this.isOpen = false;
        return { done: true, value: undefined };
      },
    };
  }
}

interface Scene {
  client: PodClient;
  stopper: Stopper;
  signal: AbortSignal;
  called: () => void;
  input: Input;
}

type Story = (scene: Scene) => Promise<unknown>;

interface Telling {
  story: Story;
  headers?: Readonly<Record<string, string>>;
}

/** What runs until the signal ends it; each rejects with its reason, or ends if that is how it ends. */
const stories: Record<string, Story> = {
  exec: ({ client, signal, called, input }) =>
    client.exec('web-0', ['cat'], { signal, stdin: input, stdout: called, stderr: called, tty: false }),
  'exec with a terminal': ({ client, signal, called }) => {
    const sizes = noting(one({ columns: 80, rows: 24 }), called);
    return client.exec('web-0', ['sh'], { signal, tty: true, sizes, stdout: called });
  },
  'exec with a sink that hangs': ({ client, signal, called, input }) => {
    const stdout = () => {
      called();
      return new Promise(() => {});
    };
    return client.exec('web-0', ['cat'], { signal, stdin: input, stdout });
  },
  attach: ({ client, signal, called, input }) => client.attach('web-0', { signal, stdin: input, stdout: called }),
  'exec that is refused': ({ client, signal }) => client.exec('nobody', ['ls'], { signal }),
  dial: async ({ client, signal, called }) => {
    const connection = await client.dial('web-0', 80, { signal });
    connection.write('hello');
    for await (const _ of connection) called();
  },
  'dial without a reader': async ({ client, signal, called }) => {
    const connection = await client.dial('web-0', 80, { signal });
    await new Promise((_, reject) => {
      connection.on('error', reject).on('readable', called);
    });
  },
  logs: async ({ client, signal, called }) => {
    for await (const _ of client.logs('web-0', { signal, follow: true })) called();
  },
  'logs of several pods': async ({ client, signal, called }) => {
    for await (const _ of client.logsOf('app=web', { signal, follow: true })) called();
  },
};

async function* one<T>(item: T): AsyncGenerator<T, void, undefined> {
  yield item;
}

/** Programs that go on until their client has gone. */
function endlessKubelet(called: () => void, open: Set<AbortSignal>): Kubelet {
  const gone = async (signal: AbortSignal) => {
    if (signal.aborted) return;
    open.add(signal);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    open.delete(signal);
  };
  const program: NonNullable<Kubelet['exec']> = async ({ stdin, stdout, stderr, sizes, tty, signal }) => {
    called();
    await stdout('out\n');
    await stderr('err\n');
    for await (const input of tty ? sizes : stdin) {
      called();
      await stdout(JSON.stringify(input));
      break;
    }
    await gone(signal);
  };
  return {
    async *log({ signal }) {
      called();
      yield 'first\n';
      called();
      yield 'second\n';
      await gone(signal);
    },
    exec: program,
    attach: program,
    async portForward({ signal }, connection) {
      called();
      connection.write('hello');
      await gone(signal);
    },
  };
}

async function startServer(kubelet: Kubelet): Promise<ApiServer> {
  const server = await ApiServer.start({ kubelet });
  const client = server.cluster().client(pods);
  const metadata = { name: 'web-0', namespace: 'default', labels: { app: 'web' } };
  await client.create({ metadata, spec: { containers: [{ name: 'main', image: 'x' }] } });
  const status = { name: 'main', restartCount: 0, ready: true, image: 'x', imageID: 'x', state: { running: {} } };
  const patch = { status: { phase: 'Running', containerStatuses: [status] } };
  await client.patch('web-0', patch, { subresource: 'status', type: 'merge' });
  return server;
}

const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'ended',
    (error: unknown) => error,
  );

/** What the calls load takes turns of its own, the first time. */
beforeAll(async () => {
  await Promise.all([
    import('./remote-command.ts'),
    import('./port-connection.ts'),
    import('./port-forward-server.ts'),
    import('./several-logs.ts'),
  ]);
});

/** Rejections and errors that nobody hears of fail the run of vitest; here they fail the test that has caused them. */
const unheard: unknown[] = [];
const hear = (error: unknown) => void unheard.push(error);
beforeEach(() => void process.on('uncaughtException', hear).on('unhandledRejection', hear));
afterEach(() => void process.off('uncaughtException', hear).off('unhandledRejection', hear));

describe('a stop at any await', () => {
  /** What the programs of the server call, which changes with each telling. */
  const listening = { called: () => {} };
  const open = new Set<AbortSignal>();

  async function tell(server: ApiServer, { story, headers = {} }: Telling, stopper: Stopper) {
    const { called, stop } = stopper;
    listening.called = called;
    const clock = new FakeClock();
    const transport = new NotingTransport(server.transport(), called, headers);
    await using cluster = Cluster.over(transport, { clock, logger: silentLogger });
    const input = new Input(called);
    const client = cluster.client(pods) as unknown as PodClient;
    const call = outcome(story({ client, stopper, signal: stop.signal, called, input }));
    // Quiet when nothing has been called for some turns: then it waits for the stop, or has ended.
    for (let quiet = 0, before = -1; quiet < 10; before = stopper.calls) {
      await turns(1);
      quiet = stopper.calls === before ? quiet + 1 : 0;
    }
    stop.abort(stopper.reason);
    const isOver = await Promise.race([call, turns(50).then(() => 'still running')]);
    await turns(3);
    return { end: isOver, clock, transport, input, signal: stop.signal };
  }

  const version4 = { story: stories.exec as Story, headers: { 'sec-websocket-protocol': 'v4.channel.k8s.io' } };
  const tellings: [string, Telling][] = [
    ...Object.entries(stories).map(([name, story]): [string, Telling] => [name, { story }]),
    ['exec in version 4', version4],
  ];

  it.each(tellings)('leaves nothing behind: %s', { timeout: 120_000 }, async (name, telling) => {
    unheard.length = 0;
    await using server = await startServer(endlessKubelet(() => listening.called(), open));
    const dry = new Stopper(Number.POSITIVE_INFINITY, 0);
    await tell(server, telling, dry);
    expect(dry.calls).toBeGreaterThan(1);
    for (let atCall = 0; atCall < dry.calls; atCall++) {
      for (let afterTicks = 0; afterTicks <= MAX_TICKS; afterTicks++) {
        const stopper = new Stopper(atCall, afterTicks);
        const { end, clock, transport, input, signal } = await tell(server, telling, stopper);
        const where = `stopped ${afterTicks} microtasks after call ${atCall} of ${dry.calls}`;
        if (name.startsWith('logs')) expect(end, where).toBe('ended');
        else if (name !== 'exec that is refused') expect(end, where).toBe(stopper.reason);
        else
          expect([stopper.reason, 'ApiError'], where).toContain((end as Error).name === 'ApiError' ? 'ApiError' : end);
        expect(clock.pendingTimers, `timers, ${where}`).toBe(0);
        expect(transport.connections.filter(({ destroyed }) => !destroyed).length, `connections, ${where}`).toBe(0);
        expect(getEventListeners(signal, 'abort').length, `listeners, ${where}`).toBe(0);
        expect(input.isOpen, `input, ${where}`).toBe(false);
        expect(open.size, `programs that run on, ${where}`).toBe(0);
        expect(unheard, where).toEqual([]);
      }
    }
  });
});

describe('a stop at any turn, over sockets', () => {
  const overSockets = {
    ...stories,
    portForward: async ({ client, signal, called }: Scene) => {
      await using forward = await client.portForward('web-0', 80, { signal });
      const socket = createConnection(forward.localPort, forward.address);
      socket.on('error', () => {});
      socket.on('data', called);
      socket.write('hello');
      await new Promise((resolve) => socket.once('close', resolve));
      signal.throwIfAborted();
    },
  };

  it.each(Object.entries(overSockets))('leaves nothing behind: %s', { timeout: 120_000 }, async (name, story) => {
    unheard.length = 0;
    const open = new Set<AbortSignal>();
    await using server = await startServer(endlessKubelet(() => {}, open));
    const clock = new FakeClock();
    await using cluster = await Cluster.connect({ kubeconfig: server.kubeconfig(), clock, logger: silentLogger });
    for (let afterTurns = 0; afterTurns < 40; afterTurns++) {
      const stopper = new Stopper(Number.POSITIVE_INFINITY, 0);
      const { signal } = stopper.stop;
      const input = new Input(() => {});
      const client = cluster.client(pods) as unknown as PodClient;
      const call = outcome(story({ client, stopper, signal, called: () => {}, input }));
      await turns(afterTurns);
      stopper.stop.abort(stopper.reason);
      const end = await call;
      const where = `stopped after ${afterTurns} turns`;
      if (name.startsWith('logs')) expect(end, where).toBe('ended');
      else if (name !== 'exec that is refused') expect(end, where).toBe(stopper.reason);
      expect(getEventListeners(signal, 'abort').length, `listeners, ${where}`).toBe(0);
      expect(input.isOpen, `input, ${where}`).toBe(false);
    }
    // The server hears of each end by its socket.
    while (open.size > 0) await turns(1);
    await cluster.close();
    expect(clock.pendingTimers).toBe(0);
    expect(unheard).toEqual([]);
  });
});
