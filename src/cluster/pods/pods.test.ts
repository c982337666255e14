import { createConnection } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../api/transport.ts';
import { pods } from '../../generated/api/core/v1.ts';
import { rejection } from '../../http/request-fixture.ts';
import { httpProxy } from '../../http/socket/proxy-fixture.ts';
import { silentLogger } from '../../observe/logger.ts';
import { ApiServer } from '../../testing/api-server.ts';
import type { Kubelet } from '../../testing/index.ts';
import { Cluster } from '../cluster.ts';

async function start(kubelet: Kubelet, names = ['web-0'], containers = ['main']) {
  const server = await ApiServer.start({ kubelet });
  const overSockets = await Cluster.connect({ kubeconfig: server.kubeconfig(), logger: silentLogger });
  const inProcess = server.cluster({ logger: silentLogger });
  const client = overSockets.client(pods);
  for (const name of names) await createPod(overSockets, name, containers);
  return {
    server,
    client,
    clusters: [overSockets, inProcess],
    overSockets,
    async [Symbol.asyncDispose]() {
      await overSockets.close();
      await inProcess.close();
      await server.stop();
    },
  };
}

async function createPod(cluster: Cluster, name: string, containers = ['main'], labels = { app: 'web' }) {
  const client = cluster.client(pods);
  const spec = { containers: containers.map((container) => ({ name: container, image: 'x' })) };
  await client.create({ metadata: { name, labels, namespace: 'default' }, spec });
  await setRunning(cluster, name, containers, 0);
}

async function setRunning(cluster: Cluster, name: string, containers: string[], restartCount: number) {
  const containerStatuses = containers.map((container) => ({
    name: container,
    restartCount,
    ready: true,
    image: 'x',
    imageID: 'x',
    state: { running: {} },
  }));
  const patch = { status: { phase: 'Running', containerStatuses } };
  await cluster.client(pods).patch(name, patch, { subresource: 'status', type: 'merge' });
}

/** Something that happens once. */
function latch() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('logs', () => {
  it('come line by line, with the options that were given', async () => {
    const asked: unknown[] = [];
    await using world = await start({
      log({ signal: _, ...request }) {
        asked.push(request);
        return ['one\ntw', 'o\n', '\nlast without a break'];
      },
    });
    for (const cluster of world.clusters) {
      const options = { sinceSeconds: 5, tailLines: 3, previous: true };
      expect(await collect(cluster.client(pods).logs('web-0', options))).toEqual([
        'one',
        'two',
        '',
        'last without a break',
      ]);
    }
    expect(asked[0]).toEqual({
      namespace: 'default',
      pod: 'web-0',
      container: 'main',
      follow: false,
      previous: true,
      timestamps: false,
      sinceSeconds: 5,
      tailLines: 3,
    });
  });

  it('that are followed end when they are left, and the server hears of it', async () => {
    const left = latch();
    await using world = await start({
      async *log({ signal }) {
        yield 'first\n';
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        left.resolve();
      },
    });
    for await (const line of world.client.logs('web-0', { follow: true })) {
      expect(line).toBe('first');
      break;
    }
    await left.promise;
  });

  it('of a container that is not there are a 400 in the words of the server', async () => {
    await using world = await start({ log: () => '' }, ['web-0'], ['a', 'b']);
    const failure = await rejection(collect(world.client.logs('web-0')));
    expect(failure).toMatchObject({ code: 400 });
    expect(String(failure)).toContain('a container name must be specified for pod web-0, choose one of: [a b]');
    expect(await rejection(collect(world.client.logs('nobody')))).toMatchObject({ kind: 'not-found' });
  });

  it('without a kubelet are a 501', async () => {
    await using world = await start({});
    expect(await rejection(collect(world.client.logs('web-0')))).toMatchObject({ code: 501 });
  });
});

describe('logs of several pods', () => {
  it('carry the name of each pod and container', async () => {
    await using world = await start(
      { log: ({ pod, container }) => `${pod}-${container}\n` },
      ['web-0', 'web-1'],
      ['a', 'b'],
    );
    await createPod(world.overSockets, 'db-0', ['a'], { app: 'db' });
    const lines = await collect(world.client.logsOf('app=web'));
    expect(lines.map(({ pod, container, line }) => `${pod} ${container} ${line}`).sort()).toEqual([
      'web-0 a web-0-a',
      'web-0 b web-0-b',
      'web-1 a web-1-a',
      'web-1 b web-1-b',
    ]);
    const some = await collect(world.client.logsOf('', { container: 'a', matches: ({ name }) => name !== 'web-1' }));
    expect(some.map(({ line }) => line).sort()).toEqual(['db-0-a', 'web-0-a']);
  });

  it('that are followed go on with new pods and restarted containers, until they are left', async () => {
    await using world = await start({
      async *log({ pod, signal }) {
        yield `hello from ${pod}\n`;
        if (pod === 'web-1') await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    const seen: string[] = [];
    for await (const { line } of world.client.logsOf('app=web', { follow: true })) {
      seen.push(line);
      if (seen.length === 1) await createPod(world.overSockets, 'web-1');
      if (seen.length === 2) await setRunning(world.overSockets, 'web-0', ['main'], 1);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual(['hello from web-0', 'hello from web-1', 'hello from web-0']);
  });

  it('fail when the pods cannot be listed, and end when the signal aborts', async () => {
    await using world = await start({ log: () => 'x\n' });
    expect(await rejection(collect(world.client.logsOf('=bad=')))).toMatchObject({ code: 400 });
    const stop = new AbortController();
    const lines: string[] = [];
    for await (const { line } of world.client.logsOf('app=web', { follow: true, signal: stop.signal })) {
      lines.push(line);
      stop.abort();
    }
    expect(lines).toEqual(['x']);
  });
});

describe('exec', () => {
  it('gives the exit code and both outputs, over sockets and in process', async () => {
    await using world = await start({
      async exec({ command, stdin, stdout, stderr, container }) {
        // There is none, so it has ended.
        for await (const _ of stdin);
        await stdout(`${container}: ${command.join(' ')}\n`);
        await stderr('oops\n');
        return 3;
      },
    });
    for (const cluster of world.clusters) {
      expect(await cluster.client(pods).exec('web-0', ['sh', '-c', 'exit 3'])).toEqual({
        exitCode: 3,
        stdout: 'main: sh -c exit 3\n',
        stderr: 'oops\n',
      });
    }
  });

  it('sends input, says when it ends, and tells the size of the terminal', async () => {
    await using world = await start({
      async exec({ stdin, sizes, stdout, tty }) {
        for await (const size of sizes) {
          await stdout(`${size.columns}x${size.rows} ${tty}\n`);
          break;
        }
        let bytes = 0;
        for await (const chunk of stdin) bytes += chunk.length;
        await stdout(`${bytes} bytes`);
      },
    });
    async function* sizes() {
      yield { columns: 80, rows: 24 };
    }
    const chunks: string[] = [];
    const result = await world.client.exec('web-0', ['cat'], {
      stdin: Buffer.alloc(200_000),
      tty: true,
      sizes: sizes(),
      stdout: (chunk) => void chunks.push(Buffer.from(chunk).toString()),
    });
    expect(result).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(chunks.join('')).toBe('80x24 true\n200000 bytes');
  });

  it('rejects with the words of the server when the program cannot be run', async () => {
    await using world = await start({
      exec() {
        throw new Error('no such program');
      },
    });
    const failure = await rejection(world.client.exec('web-0', ['nothing']));
    expect(failure).toMatchObject({ name: 'ApiError', reason: 'InternalError' });
    expect(String(failure)).toContain('no such program');
    expect(await rejection(world.client.exec('nobody', ['ls']))).toMatchObject({ kind: 'not-found' });
    expect(await rejection(world.client.exec('web-0', []))).toBeInstanceOf(TypeError);
  });

  it('ends with the reason of its signal, and the program hears of it', async () => {
    const gone = latch();
    const running = latch();
    await using world = await start({
      async exec({ signal }) {
        running.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        gone.resolve();
      },
    });
    const stop = new AbortController();
    const ended = rejection(world.client.exec('web-0', ['sleep'], { signal: stop.signal }));
    await running.promise;
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await ended).toBe(reason);
    await gone.promise;
  });

  it('fails with what its input or its sink throws', async () => {
    await using world = await start({
      async exec({ stdin, stdout }) {
        await stdout('hello');
        for await (const _ of stdin);
      },
    });
    async function* broken(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('the input broke');
    }
    expect(String(await rejection(world.client.exec('web-0', ['cat'], { stdin: broken() })))).toContain(
      'the input broke',
    );
    const sink = () => {
      throw new Error('the sink broke');
    };
    expect(String(await rejection(world.client.exec('web-0', ['cat'], { stdout: sink, stdin: 'x' })))).toContain(
      'the sink broke',
    );
    const failure = await rejection(world.client.exec('web-0', ['cat'], { stdin: 'x', maxOutputBytes: 2 }));
    expect(failure).toMatchObject({ kind: 'tooLarge' });
  });

  it('fails with what a stream fails with that nobody listens to, and leaves no listener on one that does not', async () => {
    await using world = await start({
      async exec({ stdout }) {
        for (let n = 0; n < 100; n++) await stdout('x');
      },
    });
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    const full = new Writable({
      write: (_chunk, _encoding, written) => written(new Error('the disk is full')),
      // As files are closed: the event comes long after the write has failed.
      destroy: (error, destroyed) => setImmediate(() => destroyed(error)),
    });
    expect(String(await rejection(world.client.exec('web-0', ['ls'], { stdout: full })))).toContain('the disk is full');
    while (!full.closed) await nextTurn();

    const lost = new Writable({
      write(_chunk, _encoding, written) {
        written();
        this.destroy(new Error('the reader has gone'));
      },
    });
    expect(String(await rejection(world.client.exec('web-0', ['ls'], { stdout: lost })))).toContain(
      'the reader has gone',
    );

    const fine = new Writable({ write: (_chunk, _encoding, written) => written() });
    await world.client.exec('web-0', ['ls'], { stdout: fine, stderr: fine });
    expect(fine.listenerCount('error')).toBe(0);
  });

  it('writes as much as anybody reads, and leaves no listeners on the connection for it', async () => {
    const chunk = 'x'.repeat(65_536);
    await using world = await start({
      async exec({ stdout }) {
        for (let n = 0; n < 100; n++) await stdout(chunk);
      },
    });
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    let bytes = 0;
    const slow = new Writable({
      write(data: Buffer, _encoding, written) {
        bytes += data.length;
        setImmediate(written);
      },
    });
    await world.client.exec('web-0', ['flood'], { stdout: slow });
    process.off('warning', onWarning);
    expect(bytes).toBe(100 * chunk.length);
    expect(warnings).toEqual([]);
  });

  it('fails when the cluster is closed meanwhile', async () => {
    const running = latch();
    await using world = await start({
      async exec({ signal }) {
        running.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    });
    for (const cluster of world.clusters) {
      const ended = rejection(cluster.client(pods).exec('web-0', ['sleep']));
      await running.promise;
      await cluster.close();
      expect(await ended).toMatchObject({ name: 'TransportError' });
    }
  });
});

describe('a connection to a pod', () => {
  it('goes through the proxy of the cluster, with its login, and trusts its CA alone', async () => {
    await using world = await start({
      exec: async ({ stdout }) => stdout('hello'),
      portForward: (_, connection) => void connection.end('hello'),
    });
    world.server.access.addToken('token-of-bob', 'bob');
    world.server.access.deny({ user: 'bob', verbs: ['get', 'create'], resources: ['pods/attach'] });
    const seen: string[] = [];
    await using proxy = await httpProxy(Number(new URL(world.server.url).port), seen);
    const options = {
      server: `https://cluster.test:1234`,
      tlsServerName: '127.0.0.1',
      token: 'token-of-bob',
      proxyUrl: proxy.url,
      env: {},
      logger: silentLogger,
    };
    const certificateAuthority = world.server.ca;
    const bob = await Cluster.connect({ ...options, certificateAuthority });
    const stranger = await Cluster.connect(options);
    try {
      const client = bob.client(pods);
      expect((await client.exec('web-0', ['hello'])).stdout).toBe('hello');
      const connection = await client.dial('web-0', 80);
      expect(await text(connection)).toBe('hello');
      expect(String(await rejection(client.attach('web-0')))).toContain('User "bob" cannot');
      expect(seen).toEqual(Array(3).fill('CONNECT cluster.test:1234 -'));
      expect(await rejection(stranger.client(pods).exec('web-0', ['hello']))).toMatchObject({ kind: 'tls-ca' });
    } finally {
      await Promise.all([bob.close(), stranger.close()]);
    }
  });
});

describe('input that is not what the types say', () => {
  const broken = {
    'throws when it is asked for its items': {
      [Symbol.asyncIterator]: () => {
        throw new Error('no items');
      },
    },
    'throws when it is left': {
      [Symbol.asyncIterator]: () => ({
        next: async () => Promise.reject(new Error('no items')),
        return: () => {
          throw new Error('not left');
        },
      }),
    },
  };

  it('is a TypeError, before any request', async () => {
    await using world = await start({});
    const notItems = [1] as unknown as AsyncIterable<never>;
    for (const [options, wanted] of [
      [{ stdin: notItems }, 'stdin must be text, bytes, or an async iterable of them'],
      [{ stdin: null as unknown as string }, 'stdin must be text'],
      [{ stdout: {} as Writable }, 'stdout and stderr must be functions or writable streams'],
      [{ stderr: null as unknown as Writable }, 'stdout and stderr must be'],
      [{ sizes: notItems, tty: true }, 'sizes must be an async iterable of { columns, rows }'],
    ] as const) {
      const failure = await rejection(world.client.exec('nobody', ['cat'], options));
      expect(failure).toBeInstanceOf(TypeError);
      expect(String(failure)).toContain(wanted);
    }
  });

  it.each([5, new ArrayBuffer(3), { text: 'x' }, [120]])(
    'that brings %j fails the call, and is not dropped',
    async (item) => {
      await using world = await start({
        async exec({ stdin }) {
          for await (const _ of stdin);
        },
      });
      const stdin = (async function* () {
        yield item as unknown as string;
      })();
      const failure = await rejection(world.client.exec('web-0', ['cat'], { stdin }));
      expect(failure).toBeInstanceOf(TypeError);
      expect(String(failure)).toMatch(/stdin brought (5|an object|a list), and not text or bytes/);
    },
  );

  it.each(Object.entries(broken))('that %s fails the call, and leaves nothing open', async (_, stdin) => {
    const [begun, gone] = [latch(), latch()];
    await using world = await start({
      async exec({ signal }) {
        begun.resolve();
        signal.addEventListener('abort', gone.resolve, { once: true });
        await gone.promise;
      },
    });
    const failure = await rejection(world.client.exec('web-0', ['cat'], { stdin }));
    expect(String(failure)).toContain('no items');
    await Promise.all([begun.promise, gone.promise]);
  });
});

describe('attach', () => {
  it('hears what the program writes until it ends', async () => {
    await using world = await start({
      async attach({ command, stdout }) {
        await stdout(`${command.length} words`);
      },
    });
    expect(await world.client.attach('web-0')).toEqual({ exitCode: 0, stdout: '0 words', stderr: '' });
  });
});

/** A server of before Kubernetes 1.30 makes this of what it is offered. */
function withoutVersion5(transport: Transport): Transport {
  return {
    request: (request) => transport.request(request),
    upgrade: (request) => {
      const headers = { ...request.headers, 'sec-websocket-protocol': 'v4.channel.k8s.io' };
      return (transport as Required<Transport>).upgrade({ ...request, headers });
    },
    close: () => transport.close(),
  };
}

describe('a server that speaks version 4 of the protocol alone', () => {
  async function startOld(kubelet: Kubelet) {
    const world = await start(kubelet);
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const clients = world.clusters.map(({ transport }) =>
      Cluster.over(withoutVersion5(transport), { logger }).client(pods),
    );
    return { ...world, clients, warnings };
  }

  it('runs programs, and says how they ended', async () => {
    await using world = await startOld({
      async exec({ command, stdout, stderr }) {
        if (command[0] === 'nothing') throw new Error('no such program');
        await stdout('a'.repeat(100_000));
        await stderr('oops\n');
        return command.length;
      },
    });
    for (const client of world.clients) {
      const expected = { exitCode: 2, stdout: 'a'.repeat(100_000), stderr: 'oops\n' };
      expect(await client.exec('web-0', ['sh', '-l'])).toEqual(expected);
      const failure = await rejection(client.exec('web-0', ['nothing']));
      expect(failure).toMatchObject({ name: 'ApiError', reason: 'InternalError' });
      expect(String(failure)).toContain('no such program');
      expect(await rejection(client.exec('nobody', ['ls']))).toMatchObject({ kind: 'not-found' });
    }
    expect(world.warnings).toEqual([]);
  });

  it.each(['exec', 'attach'] as const)('holds a conversation: %s', async (call) => {
    const talk: NonNullable<Kubelet['exec']> = async ({ stdin, stdout, sizes, tty }) => {
      for await (const size of sizes) {
        await stdout(`${size.columns}x${size.rows} ${tty}`);
        break;
      }
      for await (const chunk of stdin) {
        const said = Buffer.from(chunk).toString();
        await stdout(`you said ${said}`);
        if (said === 'bye') return 7;
      }
      return 0;
    };
    await using world = await startOld({ exec: talk, attach: talk });
    for (const client of world.clients) {
      const heard: string[] = [];
      const answers = answerQueue();
      async function* sizes() {
        yield { columns: 80, rows: 24 };
      }
      // Each word is an answer to what was heard.
      async function* words() {
        for (const word of ['hello', 'again', 'bye']) {
          heard.push(await answers.next());
          yield word;
        }
      }
      const stdout = (chunk: Uint8Array) => answers.push(Buffer.from(chunk).toString());
      const options = { tty: true, sizes: sizes(), stdin: words(), stdout };
      const run = call === 'exec' ? client.exec('web-0', ['sh'], options) : client.attach('web-0', options);
      expect(await run).toEqual({ exitCode: 7, stdout: '', stderr: '' });
      expect(heard).toEqual(['80x24 true', 'you said hello', 'you said again']);
      expect(await answers.next()).toBe('you said bye');
    }
  });

  it('cannot be told that the input has ended: it is reported, and the signal ends the program', async () => {
    const messages: number[] = [];
    await using world = await startOld({
      async exec({ stdin, stdout }) {
        for await (const chunk of stdin) {
          messages.push(chunk.length);
          await stdout(chunk);
        }
      },
    });
    for (const client of world.clients) {
      world.warnings.length = 0;
      const stop = new AbortController();
      const stdout = () => stop.abort(new Error('enough'));
      const failure = await rejection(client.exec('web-0', ['cat'], { stdin: 'text', stdout, signal: stop.signal }));
      expect(String(failure)).toContain('enough');
      expect(world.warnings).toEqual([
        'GET /api/v1/namespaces/default/pods/web-0/exec: the server speaks v4.channel.k8s.io, in which the end of the input cannot be said: ' +
          'a program that reads to its end waits until the signal aborts.',
      ]);
    }
    // Nothing but the text arrived: no word of version 5.
    expect(messages).toEqual([4, 4]);
  });
});

/** Texts for one reader, who waits for them. */
function answerQueue() {
  const texts: string[] = [];
  let wake = () => {};
  return {
    push(text: string) {
      texts.push(text);
      wake();
    },
    async next(): Promise<string> {
      while (texts.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return texts.shift() ?? '';
    },
  };
}

describe('portForward', () => {
  const echo: Kubelet = {
    async portForward({ port }, connection) {
      connection.write(`port ${port}: `);
      for await (const chunk of connection) {
        connection.write(chunk);
        if (String(chunk).includes('bye')) return;
      }
    },
  };

  it('gives one connection', async () => {
    await using world = await start(echo);
    for (const cluster of world.clusters) {
      const connection = await cluster.client(pods).dial('web-0', 8080);
      connection.write('bye');
      expect(Buffer.concat(await collect(connection as AsyncIterable<Buffer>)).toString()).toBe('port 8080: bye');
    }
  });

  it('listens on a port of this machine until it is closed', async () => {
    await using world = await start(echo);
    await using forward = await world.client.portForward('web-0', 80);
    for (const text of ['bye one', 'bye two']) {
      const socket = createConnection(forward.localPort, forward.address);
      socket.write(text);
      expect(Buffer.concat(await collect(socket as AsyncIterable<Buffer>)).toString()).toBe(`port 80: ${text}`);
    }
    const { localPort } = forward;
    await forward.close();
    const late = createConnection(localPort, '127.0.0.1');
    expect(await new Promise((resolve) => late.once('error', (error) => resolve(String(error))))).toContain(
      'ECONNREFUSED',
    );
  });

  it('stops listening when the cluster is closed, so that the process can end', async () => {
    await using world = await start(echo);
    const forward = await world.client.portForward('web-0', 80);
    const { localPort } = forward;
    for (const cluster of world.clusters) await cluster.close();
    const late = createConnection(localPort, '127.0.0.1');
    expect(await new Promise((resolve) => late.once('error', (error) => resolve(String(error))))).toContain(
      'ECONNREFUSED',
    );
    await forward.close();
  });

  it('says why a port does not answer, and refuses what is not a port', async () => {
    await using world = await start({
      portForward() {
        throw new Error('connection refused');
      },
    });
    const connection = await world.client.dial('web-0', 8080);
    const failure = await rejection(collect(connection));
    expect(failure).toMatchObject({ kind: 'refused' });
    expect(String(failure)).toContain('connection refused');
    expect(await rejection(world.client.dial('web-0', 0))).toBeInstanceOf(TypeError);
  });
});
