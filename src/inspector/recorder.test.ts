import { afterEach, expect, it } from 'vitest';
import { type ConfigMap, configMaps, pods } from '../generated/api/core/v1.ts';
import { type Change, ChangeBook } from './change-book.ts';
import { FakePage, type InspectedFactory, inspectedFactory } from './inspector-fixture.ts';
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

it('tells how long a change took that came by a watch which was open before the page', async () => {
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
  expect(changes[0]?.storedAfterMs).toBeGreaterThanOrEqual(0);
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

it('holds 10,000 changes, and 50 versions of one object', () => {
  const book = new ChangeBook();
  const change = (seq: number, key: string): Change => ({
    seq,
    informer: 1,
    type: 'update',
    key,
    version: String(seq),
    atMs: 0,
    storedMs: 0,
    value: undefined,
    object: {} as Change['object'],
    old: undefined,
  });
  const busy = Array.from({ length: 60 }, (_, at) => change(at, 'busy'));
  for (const one of busy) book.add(one);
  expect(book.of(1, 'busy').map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, at) => at + 10));
  expect(busy[9]?.object).toBeUndefined();
  expect(busy[10]?.object).toBeDefined();
  for (let at = 0; at < 10_000 - 50; at++) book.add(change(100 + at, `k${at}`));
  expect(book.of(1, 'busy')).toHaveLength(50);
  for (let at = 0; at < 20; at++) book.add(change(20_000 + at, `l${at}`));
  expect(book.of(1, 'busy')).toHaveLength(30);
  for (let at = 0; at < 30; at++) book.add(change(30_000 + at, `m${at}`));
  expect(book.of(1, 'busy')).toEqual([]);
  expect(book.of(2, 'busy')).toEqual([]);
});

it('a ring gives what came after what was seen, as far as it has it', () => {
  const ring = new Ring<number>(3);
  expect(ring.since(0)).toEqual([]);
  for (const value of [1, 2, 3, 4, 5]) ring.push(value);
  expect([...ring]).toEqual([3, 4, 5]);
  expect(ring.since(4)).toEqual([5]);
  expect(ring.since(ring.count)).toEqual([]);
  expect(ring.push(6)).toBe(3);
});
