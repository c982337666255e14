import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { configMaps, namespaces, nodes } from '../generated/api/core/v1.ts';
import { type Event, events } from '../generated/api/events/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import type { RecordedEvent } from './controller.ts';
import { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';

const MINUTE = 60_000;
const created: RecordedEvent = { type: 'Normal', reason: 'Created', action: 'Create', note: 'Created a thing.' };

describe('EventRecorder', () => {
  let clock: FakeClock;
  let server: ApiServer;
  let cluster: Cluster;
  let recorder: EventRecorder;
  let object: KubernetesObject;
  /** The writes that have reached the server. */
  let writes: string[];
  let warnings: string[];

  const newRecorder = (options: Partial<EventRecorderOptions> = {}) =>
    new EventRecorder({ cluster, controller: 'website', random: () => 0.5, host: 'node-1', ...options });

  beforeEach(async () => {
    clock = new FakeClock();
    writes = [];
    warnings = [];
    server = await ApiServer.start({ listen: false, clock, logger: silentLogger });
    const where = ({ path }: { path: string }) => writes.push(path) === 0;
    server.faults.add({ group: 'events.k8s.io', verb: ['create', 'patch'], where }, { kind: 'drop' });
    cluster = server.cluster({ clock, logger: { ...silentLogger, warn: (message) => void warnings.push(message) } });
    recorder = newRecorder();
    const made = cluster.client(configMaps).create({ metadata: { name: 'web', namespace: 'default' } });
    await clock.advance(0);
    object = await made;
  });
  afterEach(async () => {
    await recorder.stop();
    await server.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  const settle = () => clock.advance(0);
  const stored = async (): Promise<Event[]> => {
    await settle();
    const list = cluster.client(events).list();
    await settle();
    return (await list).items;
  };
  /** Other kinds of events about the same object. */
  const others = (count: number, about = object) => {
    for (let index = 0; index < count; index++) recorder.record(about, { ...created, reason: `Reason${index}` });
  };

  it('writes an event as events.k8s.io/v1 wants it', async () => {
    recorder.record(object, { ...created, related: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } } });
    const [event] = await stored();
    const { uid, resourceVersion } = object.metadata ?? {};
    expect(event).toMatchObject({
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      type: 'Normal',
      reason: 'Created',
      action: 'Create',
      note: 'Created a thing.',
      reportingController: 'website',
      reportingInstance: 'website-node-1',
      regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'web', uid, resourceVersion },
      related: { apiVersion: 'v1', kind: 'Pod', name: 'p' },
    });
    expect(event).not.toHaveProperty('series');
    expect(warnings).toEqual([]);
  });

  it('sends nothing while its caller runs', () => {
    recorder.record(object, created);
    expect(writes).toEqual([]);
  });

  it('begins a series with the second equal event, at once, and counts the others in memory', async () => {
    recorder.record(object, created);
    await settle();
    await clock.advance(1500);
    recorder.record(object, { ...created, note: 'Another note.' });
    await settle();
    for (let index = 0; index < 38; index++) recorder.record(object, created);
    const [event, ...more] = await stored();
    expect(more).toEqual([]);
    expect(event?.series).toEqual({ count: 2, lastObservedTime: '2026-01-01T00:00:01.500000Z' });
    expect(event?.note).toBe('Created a thing.');
    expect(writes).toHaveLength(2);
  });

  it('writes a series once more when it has been quiet for six minutes, and forgets it', async () => {
    for (let index = 0; index < 40; index++) {
      recorder.record(object, created);
      await settle();
    }
    expect(writes).toHaveLength(2);
    await clock.advance(5 * MINUTE);
    expect(writes).toHaveLength(2);
    await clock.advance(10 * MINUTE);
    expect((await stored()).map(({ series }) => series?.count)).toEqual([40]);
    expect(writes).toHaveLength(3);
    expect(clock.pendingTimers, 'nothing is left to be looked at').toBe(serverTimers);
    recorder.record(object, created);
    expect(await stored()).toHaveLength(2);
  });

  /** Those of the embedded server, which forgets events after an hour. */
  const serverTimers = 1;

  it('writes at most 3 times in half an hour for 1,000 equal events, and every half hour while they go on', async () => {
    for (let index = 0; index < 1000; index++) {
      recorder.record(object, { ...created, note: `Event ${index}.` });
      await clock.advance(1800);
    }
    expect(writes.length).toBeLessThanOrEqual(3);
    for (let index = 0; index < 1000; index++) {
      recorder.record(object, created);
      await clock.advance(1800);
    }
    expect(writes).toHaveLength(3);
    const count = async () => (await stored())[0]?.series?.count;
    expect(await count()).toBeGreaterThan(1000);
    await clock.advance(8 * MINUTE);
    expect(await count()).toBe(2000);
  });

  it('takes events about another version of the object into the series, but not those about another object', async () => {
    recorder.record(object, created);
    recorder.record({ ...object, metadata: { ...object.metadata, resourceVersion: '999' } }, created);
    recorder.record({ ...object, metadata: { ...object.metadata, uid: 'other' } }, created);
    recorder.record(object, { ...created, type: 'Warning' });
    recorder.record(object, { ...created, action: 'Update' });
    recorder.record(object, { ...created, related: object });
    const counts = (await stored()).map(({ series }) => series?.count ?? 1);
    expect(counts.sort()).toEqual([1, 1, 1, 1, 2]);
  });

  it('makes the object again when the server has forgotten it', async () => {
    recorder.record(object, created);
    const [first] = await stored();
    const deleted = cluster.client(events).delete(first?.metadata?.name ?? '', { namespace: 'default' });
    await settle();
    await deleted;
    recorder.record(object, created);
    const [again] = await stored();
    expect(again).toMatchObject({ metadata: { name: first?.metadata?.name }, series: { count: 2 } });
  });

  it('allows 25 different events about an object, then one in 5 minutes, and counts equal ones all the same', async () => {
    others(40);
    expect(await stored()).toHaveLength(25);
    recorder.record(object, { ...created, reason: 'Reason3' });
    expect((await stored()).find(({ reason }) => reason === 'Reason3')?.series?.count).toBe(2);
    recorder.record({ ...object, metadata: { ...object.metadata, uid: 'other' } }, created);
    expect(await stored()).toHaveLength(26);
    await clock.advance(5 * MINUTE);
    recorder.record(object, { ...created, reason: 'Late1' });
    recorder.record(object, { ...created, reason: 'Late2' });
    expect((await stored()).filter(({ reason }) => reason?.startsWith('Late'))).toHaveLength(1);
  });

  it('cuts a note at 1,024 bytes, between two characters', async () => {
    recorder.record(object, { ...created, note: `${'a'.repeat(1022)}€€` });
    recorder.record(object, { ...created, reason: 'Exact', note: `${'a'.repeat(1021)}€` });
    const notes = new Map((await stored()).map(({ reason, note }) => [reason, note]));
    expect(notes.get('Created')).toBe('a'.repeat(1022));
    expect(notes.get('Exact')).toBe(`${'a'.repeat(1021)}€`);
  });

  it('names an event by a uuid when the name of its object does not fit, and puts it into default without a namespace', async () => {
    const node = { apiVersion: 'v1', kind: nodes.kind, metadata: { name: 'System:Node', uid: 'u' } };
    recorder.record(node, created);
    const [event] = await stored();
    expect(event?.metadata).toMatchObject({
      name: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      namespace: 'default',
    });
  });

  it('gives different events of one millisecond different names', async () => {
    others(20);
    expect(new Set((await stored()).map(({ metadata }) => metadata?.name)).size).toBe(20);
  });

  it('tries 12 times, 10 to 12.5 s apart, where there is no answer, then gives up with a line', async () => {
    const fault = server.faults.add({ group: 'events.k8s.io' }, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    recorder.record(object, created);
    await settle();
    expect(fault.hits).toBe(1);
    await clock.advance(11_250);
    expect(fault.hits).toBe(2);
    await clock.advance(20 * 11_250);
    expect(fault.hits).toBe(12);
    expect(warnings).toEqual([
      expect.stringMatching(/^controller website: .*ConfigMap default\/web is given up after 12 attempts/),
    ]);
    fault.remove();
  });

  it('writes after an outage what could not be written before, with the count of then', async () => {
    const fault = server.faults.add({ group: 'events.k8s.io' }, { kind: 'drop' }, { times: 3 });
    recorder.record(object, created);
    await clock.advance(15_000);
    recorder.record(object, created);
    await clock.advance(60_000);
    expect(fault.hits).toBe(3);
    expect((await stored()).map(({ series }) => series?.count)).toEqual([2]);
  });

  it('does not send again what the server has rejected, and says why', async () => {
    recorder.record(object, { ...created, action: '' });
    await clock.advance(5 * MINUTE);
    expect(writes).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(/^controller website: the server rejected an event about ConfigMap default\/web: .*action/),
    ]);
  });

  it('reports a missing permission in one line, and is quiet then', async () => {
    server.access.deny({ groups: ['events.k8s.io'] });
    others(5);
    await clock.advance(MINUTE);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^controller website: it may not write events, the first about ConfigMap default\/web, .*Allow create and patch/,
      ),
    ]);
  });

  it('is quiet about a namespace that is gone', async () => {
    const shop = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop', uid: 'u' } };
    recorder.record(shop, created);
    await settle();
    const made = cluster.client(namespaces).create({ metadata: { name: 'shop', finalizers: ['example.com/wait'] } });
    await settle();
    await made;
    const deleted = cluster.client(namespaces).delete('shop');
    await settle();
    await deleted;
    recorder.record(shop, { ...created, reason: 'Other' });
    await settle();
    expect(writes).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  it('drops new events when 1,000 wait, and reports it once', async () => {
    const fault = server.faults.add({ group: 'events.k8s.io' }, { kind: 'stall' }, { times: Number.POSITIVE_INFINITY });
    const about = (index: number) => ({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: `p-${index}`, namespace: 'default' },
    });
    for (let index = 0; index < 1500; index++) recorder.record(about(index), created);
    expect(warnings).toEqual([expect.stringMatching(/1000 events of website wait to be written/)]);
    fault.remove();
    await settle();
    expect((await stored()).length).toBe(1000);
    recorder.record(about(1400), created);
    expect((await stored()).length).toBe(1001);
  });

  it('never throws, whatever it is given', async () => {
    const broken = {
      get metadata(): never {
        throw new RangeError('broken');
      },
    };
    for (const [about, event] of [
      [null, created],
      [undefined, created],
      [broken, created],
      [object, null],
      [object, 7],
    ]) {
      expect(() => recorder.record(about as never, event as never)).not.toThrow();
    }
    await settle();
    recorder.record(object, { ...created, note: 7n as never });
    expect((await stored()).map(({ note }) => note)).toContain('7');
  });

  it('writes what waits when it stops, also the counts, and records nothing afterwards', async () => {
    recorder.record(object, created);
    await settle();
    for (let index = 0; index < 9; index++) {
      recorder.record(object, created);
      await settle();
    }
    recorder.record(object, { ...created, reason: 'Last' });
    const stopping = recorder.stop();
    recorder.record(object, { ...created, reason: 'Too late' });
    await settle();
    await stopping;
    const counts = Object.fromEntries((await stored()).map(({ reason, series }) => [reason, series?.count]));
    expect(counts).toEqual({ Created: 10, Last: undefined });
  });

  it('stops within its limit when the server does not answer, also while it waits for a retry', async () => {
    server.faults.add({ group: 'events.k8s.io' }, { kind: 'drop' }, { times: 1 });
    const stall = server.faults.add(
      { group: 'events.k8s.io' },
      { kind: 'stall' },
      { skip: 1, times: Number.POSITIVE_INFINITY },
    );
    recorder.record(object, created);
    await settle();
    const stopping = recorder.stop();
    await stall.met();
    await clock.advance(5000);
    await stopping;
    stall.remove();
  });

  it('refuses a controller whose name the server would reject', () => {
    for (const controller of ['', 'a b', 'a/b/c', 'x'.repeat(64)]) {
      expect(() => newRecorder({ controller })).toThrow(TypeError);
    }
  });
});
