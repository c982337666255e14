import { afterEach, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type ConfigMap, configMaps, pods } from '../generated/api/core/v1.ts';
import { Notification } from '../processor/notification.ts';
import { ChangeBook, type Look } from './change-book.ts';
import { FakePage, type InspectedFactory, inspectedFactory } from './inspector-fixture.ts';
import { NumberRing } from './number-ring.ts';
import type { ObjectAnswer, RowsAnswer } from './protocol.ts';
import { Ring } from './ring.ts';

let inspected: InspectedFactory | undefined;
let page: FakePage | undefined;

afterEach(async () => {
  page?.close();
  await inspected?.[Symbol.asyncDispose]();
  inspected = undefined;
});

function configMap(name: string, data: Record<string, string>): ConfigMap {
  return { metadata: { name }, data };
}

it('tells of an object with each change since the page was opened, as far as the page may see it', async () => {
  inspected = await inspectedFactory({ show: [configMaps] });
  const { cluster, factory, inspector } = inspected;
  const client = cluster.client(configMaps, { namespace: 'default' });
  await client.create(configMap('c', { n: '0' }));
  const informer = factory.for(configMaps).informer();
  informer.addEventHandler({ onUpdate: () => {} }, { name: 'mine' });
  factory.start();
  await factory.waitForCacheSync();
  page = await FakePage.open(inspector);
  const ask = () => page?.json<ObjectAnswer>('object', { informer: String(informer.id), key: 'default/c' });
  expect((await ask())?.changes).toEqual([]);
  for (const n of ['1', '2']) {
    await informer.waitFor(await client.patch('c', { data: { n } }));
  }
  const answer = await ask();
  expect(answer?.object).toMatchObject({ kind: 'ConfigMap', data: { n: '2' } });
  expect(answer?.changes.map(({ type, differences }) => [type, differences])).toEqual([
    ['update', [{ path: 'data.n', before: '0', after: '1' }]],
    ['update', [{ path: 'data.n', before: '1', after: '2' }]],
  ]);
  await client.delete('c');
  await informer.waitUntil('default/c', (object) => object === undefined);
  const after = await ask();
  expect(after?.object).toBeUndefined();
  expect(after?.changes.at(-1)?.type).toBe('delete');
});

it('tells of a change whose states are not held any more, and of all of an object that is looked at', async () => {
  inspected = await inspectedFactory({ show: [configMaps] });
  const { cluster, factory, inspector } = inspected;
  const client = cluster.client(configMaps, { namespace: 'default' });
  for (const name of ['seen', 'unseen']) await client.create(configMap(name, { n: '0' }));
  const informer = factory.for(configMaps).informer();
  factory.start();
  await factory.waitForCacheSync();
  page = await FakePage.open(inspector);
  const changes = async (name: string) =>
    (await page?.json<ObjectAnswer>('object', { informer: String(informer.id), key: `default/${name}` }))?.changes;
  expect(await changes('seen')).toEqual([]);
  for (const name of ['seen', 'unseen']) await informer.waitFor(await client.patch(name, { data: { n: '1' } }));
  for (let at = 0; at < 1_000; at++) await informer.waitFor(await client.create(configMap(`other-${at}`, {})));
  expect(await changes('unseen')).toMatchObject([{ type: 'update', more: 0 }]);
  expect((await changes('unseen'))?.[0]).not.toHaveProperty('differences');
  await informer.waitFor(await client.patch('seen', { data: { n: '2' } }));
  expect((await changes('seen'))?.map(({ differences }) => differences)).toEqual([
    [{ path: 'data.n', before: '0', after: '1' }],
    [{ path: 'data.n', before: '1', after: '2' }],
  ]);
});

it('shows informers with their handlers, phases and rates, also those that come later and those that have stopped', async () => {
  inspected = await inspectedFactory();
  const { cluster, factory, inspector } = inspected;
  page = await FakePage.open(inspector);
  await page.tick(({ informers }) => informers.length === 0);
  const informer = factory.for(configMaps).informer();
  informer.addEventHandler({ onAdd: () => {} }, { name: 'mine' });
  await page.tick(({ informers: [first] }) => first?.phase === 'idle');
  factory.start();
  const client = cluster.client(configMaps, { namespace: 'default' });
  await client.create(configMap('c', {}));
  const tick = await page.tick(({ informers: [first] }) => first?.phase === 'watching' && first.objects === 1);
  expect(tick.informers[0]).toMatchObject({ name: 'configmaps.v1', kind: 'ConfigMap', showsAll: false });
  expect(tick.informers[0]?.handlers).toMatchObject([{ name: 'configmaps.v1/mine', pending: 0, failures: 0 }]);
  await page.tick(({ informers: [first] }) => (first?.changes ?? 0) > 0);
  await informer.stop();
  const last = await page.tick(({ informers: [first] }) => first?.phase === 'stopped');
  expect(last.informers).toHaveLength(1);
  await page.tick(({ events }) => events.some(({ kind, text }) => kind === 'state' && text.endsWith('→ stopped')));
});

it('tells how long a change took, and how many bytes came, of a watch which was open before the page', async () => {
  inspected = await inspectedFactory({ show: [configMaps] });
  const { cluster, factory, inspector } = inspected;
  const client = cluster.client(configMaps, { namespace: 'default' });
  await client.create(configMap('c', { n: '0' }));
  const informer = factory.for(configMaps).informer();
  factory.start();
  await factory.waitForCacheSync();
  page = await FakePage.open(inspector);
  await informer.waitFor(await client.patch('c', { data: { n: '1' } }));
  const of = { informer: String(informer.id), key: 'default/c' };
  const { changes } = await page.json<ObjectAnswer>('object', of);
  expect(changes[0]?.storedAfterMs).toBeGreaterThan(0);
  await page.tick(({ informers: [first] }) => (first?.bytes ?? 0) > 0);
});

it('gives windows of a table, filtered by labels and by what the page may read', async () => {
  inspected = await inspectedFactory();
  const { cluster, factory, inspector } = inspected;
  const client = cluster.client(pods, { namespace: 'default' });
  for (let at = 0; at < 5; at++) {
    await client.create({
      metadata: { name: `p${at}`, labels: { odd: String(at % 2 === 1) } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
  }
  const informer = factory.for(pods).informer();
  factory.start();
  await factory.waitForCacheSync();
  page = await FakePage.open(inspector);
  const rows = (query: Record<string, string>) =>
    page?.json<RowsAnswer>('rows', { informer: String(informer.id), count: '3', ...query });
  expect(await rows({ from: '1' })).toMatchObject({ total: 5, matched: 5, from: 1, columns: ['status.phase'] });
  expect((await rows({ from: '1' }))?.rows.map(({ name }) => name)).toEqual(['p1', 'p2', 'p3']);
  expect((await rows({ labels: 'odd=true' }))?.rows.map(({ name }) => name)).toEqual(['p1', 'p3']);
  expect((await rows({ fields: 'status.phase=Pending', order: 'descending' }))?.rows[0]).toMatchObject({
    name: 'p4',
    values: ['Pending'],
  });
  expect((await rows({ text: 'P3' }))?.matched).toBe(1);
});

function update(key: string, version: number): Notification<KubernetesObject> {
  const state = (at: number) => ({ key, resourceVersion: String(at) }) as Cached<KubernetesObject>;
  return Notification.update(state(version - 1), state(version), version);
}

const seqs = ({ changes }: Look) => changes.map(({ seq }) => seq);
const states = ({ changes }: Look) => changes.filter(({ before }) => before !== undefined).length;

it('holds 10,000 changes, and 50 versions of one object', () => {
  const book = new ChangeBook();
  for (let at = 1; at <= 60; at++) book.add(1, update('busy', at), 0);
  for (let at = 0; at < 10_000 - 50; at++) book.add(1, update(`k${at}`, 1), 0);
  const last = Array.from({ length: 50 }, (_, at) => at + 11);
  expect(seqs(book.look(1, 'busy', 0))).toEqual(last);
  expect(book.look(2, 'busy', 0).changes).toEqual([]);
  expect(book.look(1, 'k0', 0).changes).toMatchObject([{ type: 'update', version: '1', storedMs: 1 }]);
  // One that is looked at does not make room for others, and one that nobody has asked for does.
  for (let at = 0; at < 9_970; at++) book.add(1, update(`l${at}`, 1), 0);
  expect(seqs(book.look(1, 'busy', 30_000))).toEqual(last);
  expect(book.look(1, 'k0', 30_000).changes).toHaveLength(1);
  expect(seqs(book.look(1, 'k9949', 30_000))).toEqual([10_010]);
  expect(seqs(book.look(1, 'k9919', 30_000))).toEqual([]);
  book.add(1, update('busy', 61), 0);
  expect(seqs(book.look(1, 'busy', 30_000))).toEqual([...last.slice(1), 19_981]);
  // Nobody has asked for it for more than 30 s.
  book.look(1, 'l0', 60_001);
  expect(seqs(book.look(1, 'busy', 60_001))).toEqual([19_981]);
});

it('holds the states of the last 1,000 changes, and all of an object that is looked at', () => {
  const book = new ChangeBook();
  for (let at = 1; at <= 10; at++) book.add(1, update('seen', at), 0);
  expect(states(book.look(1, 'seen', 0))).toBe(10);
  for (let at = 0; at < 10; at++) book.add(1, update('unseen', at), 0);
  for (let at = 0; at < 993; at++) book.add(1, update(`k${at}`, 1), 0);
  expect(states(book.look(1, 'unseen', 0))).toBe(7);
  expect(states(book.look(1, 'seen', 0))).toBe(10);
});

it('follows the 16 objects of an informer that were asked for last', () => {
  const book = new ChangeBook();
  for (let at = 0; at < 17; at++) book.look(1, `k${at}`, 0);
  for (let at = 0; at < 17; at++) book.add(1, update(`k${at}`, 1), 0);
  for (let at = 0; at < 10_000; at++) book.add(1, update('other', 1), 0);
  expect(book.look(1, 'k1', 0).changes).toHaveLength(1);
  expect(book.look(1, 'k0', 0).changes).toEqual([]);
});

it('a ring gives what came after what was seen, as far as it has it', () => {
  const ring = new Ring<number>(3);
  expect(ring.since(0)).toEqual([]);
  for (const value of [1, 2, 3, 4, 5]) ring.push(value);
  expect(ring.since(0)).toEqual([3, 4, 5]);
  expect(ring.since(4)).toEqual([5]);
  expect(ring.since(ring.count)).toEqual([]);
});

it('a ring of numbers has its last rows', () => {
  const ring = new NumberRing(2);
  expect([ring.first, ring.count]).toEqual([0, 0]);
  for (const row of [1, 2, 3]) ring.push(row, row * 10);
  expect([ring.first, ring.count]).toEqual([1, 3]);
  expect([ring.get(1, 0), ring.get(2, 0), ring.get(2, 1), ring.get(2, 4)]).toEqual([2, 3, 30, 0]);
});
