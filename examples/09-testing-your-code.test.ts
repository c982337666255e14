/** How to test code that stands on an informer: a real API server in the test, a clock that stands still, faults on demand. */
import { type Client, type Cluster, type Informer, SharedInformerFactory, silentLogger } from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { ApiServer, FakeClock } from 'tidewatch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PendingAlarm } from './09-testing-your-code.ts';

const MINUTE_MS = 60_000;

describe('PendingAlarm', () => {
  let server: ApiServer;
  let cluster: Cluster;
  let client: Client<Pod>;
  let clock: FakeClock;
  let factory: SharedInformerFactory;
  let informer: Informer<Pod>;
  let alarm: PendingAlarm;
  let alarms: string[];

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false }); // no socket: nothing to wait for, nothing to collide with
    cluster = server.cluster();
    client = cluster.client(pods);
    clock = new FakeClock();
    factory = new SharedInformerFactory(cluster, { clock, logger: silentLogger }); // faults are meant here
    informer = factory.for(pods).informer();
    alarms = [];
    alarm = new PendingAlarm({
      informer,
      limitMs: 5 * MINUTE_MS,
      alarm: (message) => void alarms.push(message),
      clock,
    });
    factory.start();
    await factory.waitForCacheSync();
  });

  afterEach(async () => {
    await alarm[Symbol.asyncDispose]();
    await factory.shutdown();
    await cluster.close();
    await server.stop();
    expect(clock.pendingTimers).toBe(0); // nothing was left running
  });

  const createPod = (name: string) =>
    client.create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'nginx' }] } });
  const setPhase = (name: string, phase: string) =>
    client.patch(name, { status: { phase } }, { subresource: 'status' });

  it('is raised for a pod that is pending for too long, once', async () => {
    await informer.waitFor(await createPod('web'));
    await clock.advance(4 * MINUTE_MS);
    expect(alarms).toEqual([]);
    await clock.advance(MINUTE_MS);
    await clock.advance(60 * MINUTE_MS);
    expect(alarms).toEqual(['web has been pending for 300 s']);
  });

  it('is not raised for a pod that starts in time, or is deleted', async () => {
    await createPod('web');
    await createPod('gone');
    await informer.waitFor(await setPhase('web', 'Running'));
    await client.delete('gone');
    await informer.waitFor(server.resourceVersion);
    await clock.advance(60 * MINUTE_MS);
    expect(alarms).toEqual([]);
  });

  it('is not raised when the pod started while the watch was broken', async () => {
    await informer.waitFor(await createPod('web'));
    const outage = server.faults.add({ verb: 'watch', resource: 'pods' }, { kind: 'status', code: 503 }, { times: 2 });
    server.disconnectWatches();
    await setPhase('web', 'Running');
    await clock.advance(MINUTE_MS); // the informer's backoff passes
    expect(outage.hits).toBe(2);
    expect(informer.state.phase).toBe('watching');
    await clock.advance(60 * MINUTE_MS);
    expect(alarms).toEqual([]);
  });

  it('is not raised when the deletion was missed and the history is gone', async () => {
    await informer.waitFor(await createPod('web'));
    server.faults.add({ verb: 'watch', resource: 'pods' }, { kind: 'drop' });
    server.disconnectWatches();
    await client.delete('web');
    server.compact(); // the next watch gets a 410, and the informer lists again
    await clock.advance(60 * MINUTE_MS);
    expect(informer.store.list()).toEqual([]);
    expect(alarms).toEqual([]);
  });

  it('tells why nothing comes when the permission is missing', async () => {
    const allowAgain = server.access.deny({ verbs: ['list', 'watch'], resources: ['pods'] });
    server.disconnectWatches();
    await clock.advance(MINUTE_MS);
    expect(informer.state).toMatchObject({ phase: 'forbidden', lastError: { code: 403 } });
    allowAgain();
    await clock.advance(MINUTE_MS);
    expect(informer.state.phase).toBe('watching');
  });
});
