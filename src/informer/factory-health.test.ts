import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../apiserver/request/fault-plan.ts';
import { Cluster } from '../cluster/cluster.ts';
import { configMaps, pods } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const MINUTE = 60_000;
const ALWAYS = { times: Number.POSITIVE_INFINITY };

let clock: FakeClock;
let server: ApiServer;
let factory: SharedInformerFactory;

beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  const cluster = Cluster.over(server.transport(), { clock, logger: silentLogger });
  factory = new SharedInformerFactory(cluster, { namespace: ['default', 'kube-system'] });
});

afterEach(async () => {
  await factory.shutdown();
  await server.stop();
});

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500; turn++) {
    if (holds()) return;
    await clock.advance(0);
  }
  throw new Error(`it does not come true that ${what}`);
}

async function started() {
  const informer = factory.for(pods).informer();
  factory.start();
  await until('it watches', () => informer.state.phase === 'watching' && informer.hasSynced());
  return informer;
}

describe('factory.health', () => {
  it('is well when nothing has been started: informers that wait for a start do not count', () => {
    factory.for(pods).informer();
    expect(factory.health()).toEqual({ ok: true, behind: [] });
  });

  it('is not well before the first sync, and names who is missing', async () => {
    server.faults.add({ resource: 'pods' }, { kind: 'status', code: 403 }, ALWAYS);
    const startMs = clock.now();
    factory.for(configMaps).informer();
    const informer = factory.for(pods).informer();
    factory.start();
    await until('it is forbidden', () => informer.state.phase === 'forbidden');
    await until('the other one has synced', () => factory.for(configMaps).informer().state.phase === 'watching');
    expect(factory.health({ maxOutageMs: 60 * MINUTE })).toEqual({
      ok: false,
      behind: [
        {
          name: 'pods.v1',
          resource: pods,
          phase: 'forbidden',
          behindSince: startMs,
          lastError: expect.objectContaining({ code: 403 }),
        },
      ],
    });
  });

  it('does not count an informer that is being stopped', async () => {
    server.faults.add({ resource: 'pods' }, { kind: 'status', code: 403 }, ALWAYS);
    const informer = factory.for(pods).informer();
    factory.start();
    await until('it is forbidden', () => informer.state.phase === 'forbidden');
    expect(factory.health().ok).toBe(false);
    const stopping = informer.stop();
    expect(factory.health()).toEqual({ ok: true, behind: [] });
    await stopping;
    expect(factory.health()).toEqual({ ok: true, behind: [] });
  });

  it('is well while the watch is open, however long nothing comes', async () => {
    await started();
    await clock.advance(4 * MINUTE);
    expect(factory.health({ maxOutageMs: 0 })).toEqual({ ok: true, behind: [] });
  });

  it.each<[string, Fault]>([
    ['500s', { kind: 'status', code: 500 }],
    ['410s', { kind: 'status', code: 410, reason: 'Expired' }],
    ['401s', { kind: 'status', code: 401 }],
    ['broken connections', { kind: 'drop' }],
    ['silence', { kind: 'stall' }],
  ])('is not well after more than five minutes of %s, nor for the hour that follows', async (_, fault) => {
    const informer = await started();
    const trouble = server.faults.add({ resource: 'pods', namespace: 'kube-system' }, fault, ALWAYS);
    server.disconnectWatches();
    await until('it is behind', () => informer.state.behindSince !== undefined);
    await clock.advance(5 * MINUTE);
    expect(factory.health().ok).toBe(true);
    expect(factory.health({ maxOutageMs: 4 * MINUTE }).ok).toBe(false);
    for (let probe = 0; probe < 60; probe++) {
      await clock.advance(MINUTE);
      expect(factory.health().behind.map(({ name }) => name)).toEqual(['pods.v1']);
    }
    trouble.remove();
    await clock.advance(12 * MINUTE);
    await until('it is well', () => factory.health().ok);
  });

  it('does not count what has stopped', async () => {
    const informer = await started();
    await informer.stop();
    await clock.advance(60 * MINUTE);
    expect(factory.health()).toEqual({ ok: true, behind: [] });
  });

  it('counts an informer that was started by its own run', async () => {
    server.faults.add({ resource: 'pods' }, { kind: 'status', code: 403 }, ALWAYS);
    const informer = factory.for(pods).informer();
    void informer.run();
    await until('it is forbidden', () => informer.state.phase === 'forbidden');
    expect(factory.health().ok).toBe(false);
    await informer.stop();
  });

  it.each([Number.NaN, -1])('refuses a limit of %d, which would make everything well', (maxOutageMs) => {
    expect(() => factory.health({ maxOutageMs })).toThrow('maxOutageMs must be');
  });
});
