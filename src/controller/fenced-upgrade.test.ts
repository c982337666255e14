import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { PodClient } from '../cluster/pods/pod-client.ts';
import { type Pod, pods } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { fencedTransport } from './fenced-transport.ts';
import type { Gate, Term } from './gate.ts';
import { Manager } from './manager.ts';

const LOST = { name: 'TidewatchError', kind: 'leadership-lost' };

/** A manager whose leadership ends when the test says so, a pod, and the client of a run about it. */
async function fixture() {
  const began: string[] = [];
  const ended: string[] = [];
  const stay = (what: string) => async (session: { signal: AbortSignal }) => {
    began.push(what);
    await new Promise<void>((resolve) => session.signal.addEventListener('abort', () => resolve(), { once: true }));
    ended.push(what);
  };
  const server = await ApiServer.start({
    logger: silentLogger,
    kubelet: {
      exec: stay('exec'),
      attach: stay('attach'),
      portForward: (request, connection) => {
        connection.on('data', (chunk: Buffer) => connection.write(chunk));
        connection.on('error', () => {});
        return stay('portForward')(request);
      },
    },
  });
  const cluster = server.cluster({ logger: silentLogger });
  await cluster
    .client(pods)
    .create({ metadata: { name: 'web-0' }, spec: { containers: [{ name: 'main', image: 'x' }] } });
  const running = { name: 'main', restartCount: 0, ready: true, image: 'x', imageID: 'x', state: { running: {} } };
  const status = { phase: 'Running', containerStatuses: [running] };
  await cluster.client(pods).patch('web-0', { status }, { subresource: 'status', type: 'merge' });
  const lost = new AbortController();
  const fence = { mustLead: () => lost.signal.throwIfAborted(), signal: lost.signal };
  const term: Term = { transport: fencedTransport(cluster.transport, fence) };
  const gate: Gate = { termOf: () => (lost.signal.aborted ? undefined : term) };
  const manager = new Manager(cluster, { gate, namespace: 'default' });
  let tell: (client: PodClient<Pod>) => void = () => {};
  const given = new Promise<PodClient<Pod>>((resolve) => {
    tell = resolve;
  });
  const controller = manager.controller('pods').for(pods);
  controller.reconcile(async ({ client, signal }) => {
    tell(client(pods));
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  });
  const stop = new AbortController();
  const managing = manager.run({ signal: stop.signal });
  return {
    client: await given,
    began,
    ended,
    lose: () => lost.abort(new TidewatchError('leadership-lost', 'another leads')),
    stop: () => stop.abort(),
    async until(done: () => boolean) {
      while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await managing;
      await cluster.close();
      await server.stop();
    },
  };
}

describe('the fence of a run', () => {
  it.each(['exec', 'attach'] as const)('ends %s when leadership is lost, and begins no other', async (verb) => {
    await using world = await fixture();
    const { client } = world;
    const call = () => (verb === 'exec' ? client.exec('web-0', ['sleep']) : client.attach('web-0'));
    const running = call().catch((error: unknown) => error);
    await world.until(() => world.began.length === 1);
    world.lose();
    expect(await running).toMatchObject(LOST);
    await world.until(() => world.ended.length === 1);
    await expect(call()).rejects.toMatchObject(LOST);
    expect(world.began).toEqual([verb]);
  });

  it('ends the connections of portForward when leadership is lost, and opens no other', async () => {
    await using world = await fixture();
    await using forward = await world.client.portForward('web-0', 8080);
    const connect = async (): Promise<Socket> => {
      const socket = createConnection(forward.localPort, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    };
    const first = await connect();
    first.write('hello');
    expect(String((await once(first, 'data'))[0])).toBe('hello');
    const closed = once(first, 'close');
    world.lose();
    await closed;
    await world.until(() => world.ended.length === 1);
    const second = await connect();
    second.write('hello');
    second.resume();
    await once(second, 'close');
    expect(world.began).toEqual(['portForward']);
  });
});

describe('a fenced transport', () => {
  it('asks before it opens a connection, whether or not the loss has been noticed', async () => {
    const lost = new TidewatchError('leadership-lost', 'by the clocks');
    const fence = {
      mustLead: () => {
        throw lost;
      },
      signal: new AbortController().signal,
    };
    const opened: string[] = [];
    const transport = fencedTransport(
      {
        request: () => Promise.reject(new Error('not asked for')),
        upgrade: ({ path }) => {
          opened.push(path);
          return Promise.reject(new Error('opened'));
        },
        close: async () => {},
      },
      fence,
    );
    await expect(transport.upgrade?.({ path: '/exec', protocol: 'websocket' })).rejects.toBe(lost);
    expect(opened).toEqual([]);
  });
});

describe('a run that is aborted', () => {
  it('ends what its client has open in pods, also where no signal was passed', async () => {
    await using world = await fixture();
    const running = world.client.exec('web-0', ['sleep']).catch((error: unknown) => error);
    await world.until(() => world.began.length === 1);
    world.stop();
    expect(await running).toMatchObject({ kind: 'stopped', message: 'the manager stops' });
  });
});
