import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { configMaps, namespaces } from '../generated/api/core/v1.ts';
import type { ResourceEvent } from '../processor/processor.ts';
import type { Cause, MapToKeys, Predicate } from './controller.ts';
import { controllerFixture, recordedMetrics, type Site, sites } from './controller-fixture.ts';
import { and, annotationsChanged, generationChanged, labelsChanged, not, or } from './predicates.ts';

const update = (before: KubernetesObject['metadata'], after: KubernetesObject['metadata']): ResourceEvent<Site> =>
  ({
    type: 'update',
    oldObject: { metadata: { resourceVersion: '1', ...before } },
    object: { metadata: { resourceVersion: '2', ...after } },
  }) as ResourceEvent<Site>;
const addition = { type: 'add', object: { metadata: {} }, isInInitialList: false } as unknown as ResourceEvent<Site>;
const deletion = {
  type: 'delete',
  object: { metadata: {} },
  finalStateUnknown: false,
} as unknown as ResourceEvent<Site>;

describe('a predicate', () => {
  it.each([generationChanged, labelsChanged, annotationsChanged])(
    'lets every add and delete pass (%s)',
    (predicate) => {
      expect([predicate(addition), predicate(deletion)]).toEqual([true, true]);
    },
  );

  it.each<[Predicate<Site>, boolean, KubernetesObject['metadata'], KubernetesObject['metadata']]>([
    [generationChanged, true, { generation: 1 }, { generation: 2 }],
    [generationChanged, false, { generation: 1 }, { generation: 1, labels: { a: 'b' } }],
    [generationChanged, true, {}, { labels: { a: 'b' } }],
    [generationChanged, false, { resourceVersion: '1' }, { resourceVersion: '1' }],
    [labelsChanged, true, { labels: { a: 'b' } }, { labels: { a: 'c' } }],
    [labelsChanged, true, { labels: { a: 'b' } }, { labels: { b: 'b' } }],
    [labelsChanged, true, { labels: { a: 'b' } }, {}],
    [labelsChanged, false, { labels: {} }, {}],
    [labelsChanged, false, { labels: { a: 'b' } }, { labels: { a: 'b' }, annotations: { a: 'c' } }],
    [annotationsChanged, true, { annotations: { a: 'b' } }, { annotations: { a: 'b', c: 'd' } }],
    [annotationsChanged, false, { annotations: { constructor: 'b' } }, { annotations: { constructor: 'b' } }],
    [or(generationChanged, labelsChanged), true, { generation: 1 }, { generation: 1, labels: { a: 'b' } }],
    [or(generationChanged, labelsChanged), false, { generation: 1 }, { generation: 1 }],
    [and(generationChanged, labelsChanged), false, { generation: 1 }, { generation: 2 }],
    [and(generationChanged, labelsChanged), true, { generation: 1 }, { generation: 2, labels: { a: 'b' } }],
    [not(generationChanged), true, { generation: 1 }, { generation: 1 }],
  ])('decides on updates (%#)', (predicate, passes, before, after) => {
    expect(predicate(update(before, after))).toBe(passes);
  });
});

/** A controller of sites that looks at ConfigMaps, and the keys that it ran, with their causes, since `forget`. */
async function watching(map: MapToKeys<KubernetesObject>, when?: Predicate<KubernetesObject>) {
  const fixture = await controllerFixture();
  await fixture.defineSites();
  const runs: string[] = [];
  const say = ({ type, kind, key }: Cause) => [type, kind, key].filter(Boolean).join(' ');
  fixture.manager
    .controller('site')
    .for(sites)
    .watches(configMaps, map, when ? { when } : {})
    .reconcile(({ key, causes }) => void runs.push(`${key}: ${causes.map(say).join(', ')}`));
  const client = fixture.admin.client(configMaps);
  await client.create({ metadata: { name: 'c', labels: { site: 'one' } } });
  await fixture.start();
  const take = async () => {
    await fixture.clock.advance(0);
    return runs.splice(0).sort();
  };
  return { fixture, client, take, lines: fixture.logger.lines };
}

const siteOf: MapToKeys<KubernetesObject> = ({ metadata }) =>
  metadata.labels?.site ? [`default/${metadata.labels.site}`] : undefined;

describe('a watched kind', () => {
  it('runs what the function makes of an object, of the old and the new one in an update, each key once', async () => {
    const { fixture, client, take } = await watching(siteOf);
    await using _ = fixture;
    expect(await take()).toEqual(['default/one: add ConfigMap default/c']);
    await client.patch('c', { data: { a: 'b' } });
    expect(await take()).toEqual(['default/one: update ConfigMap default/c']);
    await client.patch('c', { metadata: { labels: { site: 'two' } } });
    expect(await take()).toEqual([
      'default/one: update ConfigMap default/c',
      'default/two: update ConfigMap default/c',
    ]);
    await client.delete('c');
    expect(await take()).toEqual(['default/two: delete ConfigMap default/c']);
  });

  it('runs what its predicate lets pass', async () => {
    const { fixture, client, take } = await watching(siteOf, labelsChanged);
    await using _ = fixture;
    await take();
    await client.patch('c', { data: { a: 'b' } });
    expect(await take()).toEqual([]);
    await client.patch('c', { metadata: { labels: { other: 'x' } } });
    expect(await take()).toHaveLength(1);
  });

  it.each<[string, MapToKeys<KubernetesObject>, RegExp, string[]]>([
    [
      'throws',
      () => {
        throw new Error('oops');
      },
      /oops/,
      [],
    ],
    ['returns a promise', (async () => ['default/a']) as unknown as typeof siteOf, /returned a promise/, []],
    ['returns a number', (() => 5) as unknown as typeof siteOf, /returned number/, []],
    [
      'returns keys that are not',
      () => ['a', 'default/ok', 'x/y/z'],
      /"a" cannot be the key of a Site/,
      ['default/ok: add ConfigMap default/c'],
    ],
    ['returns what is not a string', (() => [{}]) as unknown as typeof siteOf, /must be a string, not object/, []],
    [
      'fails while it is iterated',
      function* () {
        yield 'default/ok';
        throw new Error('halfway');
      },
      /halfway/,
      ['default/ok: add ConfigMap default/c'],
    ],
  ])('whose function %s is reported with its object, and the rest goes on', async (_name, map, message, expected) => {
    const { fixture, take, lines } = await watching(map);
    await using _ = fixture;
    expect(await take()).toEqual(expected);
    expect(lines[0]).toMatch(
      /^error controller site: the function failed on the add of ConfigMap default\/c \(\.watches\)/,
    );
    expect(lines[0]).toMatch(message);
    await fixture.createSite('still-there');
    expect(await take()).toEqual(['default/still-there: add Site default/still-there']);
  });

  it.each<[string, MapToKeys<KubernetesObject>]>([
    ['nothing', () => undefined],
    ['null', (() => null) as unknown as typeof siteOf],
    ['no keys', () => []],
  ])('whose function returns %s causes no run, which is not an error', async (_name, map) => {
    const { fixture, client, take, lines } = await watching(map);
    await using _ = fixture;
    await client.patch('c', { data: { a: 'b' } });
    await fixture.createSite('still-there');
    expect(await take()).toEqual(['default/still-there: add Site default/still-there']);
    expect(lines).toEqual([]);
  });

  it('whose function means very many keys leaves turns to others, and loses none', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    let mapped = 0;
    const runs = new Set<string>();
    const controller = manager
      .controller('site')
      .for(sites)
      .watches(configMaps, function* () {
        for (let n = 0; n < 3_000; n++) {
          mapped++;
          clock.spend(0.1);
          yield `default/${n}`;
        }
      })
      .reconcile(({ key }) => void runs.add(key));
    controller.pause();
    await fixture.start();
    await admin.client(configMaps).create({ metadata: { name: 'c' } });
    const looks = new Set<number>();
    clock.nextTurn(function look() {
      looks.add(mapped);
      if (mapped < 3_000) clock.nextTurn(look);
    });
    await clock.advance(0);
    controller.resume();
    await clock.advance(0);
    expect(looks.size).toBeGreaterThan(20);
    expect(runs.size).toBe(3_000);
  });

  it('takes one key as a text for what it is', async () => {
    const { fixture, take, lines } = await watching((() => 'default/a') as unknown as typeof siteOf);
    await using _ = fixture;
    expect(await take()).toEqual(['default/a: add ConfigMap default/c']);
    expect(lines).toEqual([]);
  });

  it.each<[string, Predicate<KubernetesObject>]>([
    [
      'throws',
      () => {
        throw new Error('oops');
      },
    ],
    ['returns a promise', (async () => false) as unknown as Predicate<KubernetesObject>],
  ])('whose predicate %s causes a run, and is reported', async (_name, when) => {
    const { fixture, client, take, lines } = await watching(siteOf, when);
    await using _ = fixture;
    expect(await take()).toHaveLength(1);
    expect(lines).toEqual([
      expect.stringMatching(
        /^error controller site: the predicate failed on the add of ConfigMap default\/c \(\.watches\), which causes a run/,
      ),
    ]);
    await client.patch('c', { data: { a: 'b' } });
    await fixture.createSite('still-there');
    expect(await take()).toEqual([
      'default/one: update ConfigMap default/c',
      'default/still-there: add Site default/still-there',
    ]);
  });
});

describe('an owned kind', () => {
  it('whose owner is gone, or has another uid, is reported; its key is run', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock, logger } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .owns(configMaps)
      .reconcile(({ key, object }) => void runs.push(`${key} ${object ? 'there' : 'gone'}`));
    await fixture.start();
    runs.length = 0;
    const child = (name: string, owner: string) =>
      admin.client(configMaps).create({
        metadata: {
          name,
          finalizers: ['example.com/keep'],
          ownerReferences: [
            { apiVersion: 'example.com/v1beta1', kind: 'Site', name: owner, uid: 'old', controller: true },
          ],
        },
      });
    await child('orphan', 'nobody');
    await child('late', 'a');
    await clock.advance(0);
    expect(new Set(runs)).toEqual(new Set(['default/nobody gone', 'default/a there']));
    expect(logger.lines).toContainEqual(
      expect.stringMatching(
        /^info controller site: the owner of ConfigMap default\/orphan, Site default\/nobody with uid old, is gone: there is none/,
      ),
    );
    expect(logger.lines).toContainEqual(
      expect.stringMatching(
        /^warn controller site: the owner of ConfigMap default\/late, Site default\/a with uid old, is gone: one with uid .* has its name/,
      ),
    );
  });

  it('that gets another owner runs both, each once', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    const [a, b] = [await fixture.createSite('a'), await fixture.createSite('b')];
    const owner = ({ metadata: { name, uid } }: typeof a) =>
      ({ apiVersion: 'example.com/v1', kind: 'Site', name, uid, controller: true }) as const;
    await admin.client(configMaps).create({ metadata: { name: 'c', ownerReferences: [owner(a)] } });
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .owns(configMaps)
      .reconcile(({ key }) => void runs.push(key));
    await fixture.start();
    runs.length = 0;
    await admin.client(configMaps).patch('c', { metadata: { ownerReferences: [owner(b)] } });
    await clock.advance(0);
    expect(runs.sort()).toEqual(['default/a', 'default/b']);
    await admin.client(configMaps).patch('c', { data: { a: 'b' } });
    await clock.advance(0);
    expect(runs.slice(2)).toEqual(['default/b']);
  });

  it('of a cluster-scoped owner means the owner without a namespace', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    const runs: string[] = [];
    manager
      .controller('namespace')
      .for(namespaces, { when: (event) => event.object.metadata?.name === 'default' && event.type !== 'add' })
      .owns(configMaps)
      .reconcile(({ key, namespace, name, listerOfAll, lister }) => {
        runs.push(
          `${key} ${namespace}|${name} ${listerOfAll(configMaps).list().length} ${lister(configMaps).list().length}`,
        );
      });
    await fixture.start();
    const { metadata } = await admin.client(namespaces).get('default');
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: metadata?.uid ?? '', controller: true };
    await admin.client(configMaps).create({ metadata: { name: 'c', ownerReferences: [owner] } });
    await clock.advance(0);
    expect(runs).toEqual(['default |default 1 1']);
  });
});

describe('causes', () => {
  it('are what happened since the last run, the first eight', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    const causes: (readonly Cause[])[] = [];
    const controller = fixture.manager
      .controller('site')
      .for(sites)
      .reconcile((context) => void causes.push(context.causes));
    controller.pause();
    await fixture.start();
    await fixture.createSite('a');
    for (let n = 0; n < 10; n++) {
      await fixture.admin.client(sites).patch('a', { spec: { color: `${n}` } });
      await fixture.clock.advance(0);
    }
    controller.resume();
    await fixture.clock.advance(0);
    expect(causes).toHaveLength(1);
    expect(causes[0]?.map(({ type }) => type)).toEqual(['add', ...Array<string>(7).fill('update')]);
  });
});

describe('priorities', () => {
  it('let a live change run before the initial list and a resync, which have -100', async () => {
    const metrics = recordedMetrics();
    const depths = () => ['-100', '0'].map((priority) => metrics.values.get(depthOf(priority)));
    const depthOf = (priority: string) => `workqueue_depth{name="site",controller="site",priority="${priority}"}`;
    await using fixture = await controllerFixture({ resyncMs: 60_000, metrics });
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    for (const name of ['a', 'b', 'c', 'd']) await fixture.createSite(name);
    const runs: string[] = [];
    const controller = manager
      .controller('site')
      .for(sites)
      .reconcile(({ name, causes }) => void runs.push(`${name} ${causes.map(({ type }) => type).join()}`));
    controller.pause();
    await fixture.start();
    await admin.client(sites).patch('d', { spec: { color: 'red' } });
    await clock.advance(0);
    expect(depths()).toEqual([3, 1]);
    controller.resume();
    await clock.advance(0);
    expect(runs.splice(0)).toEqual(['d add,update', 'a add', 'b add', 'c add']);
    controller.pause();
    await clock.advance(60_000);
    expect(depths()).toEqual([4, 0]);
    await admin.client(sites).patch('c', { spec: { color: 'red' } });
    await clock.advance(0);
    controller.resume();
    await clock.advance(0);
    expect(runs).toEqual(['c resync,update', 'a resync', 'b resync', 'd resync']);
  });
});

describe('a kind that is read, and what a predicate drops', () => {
  it('is in the cache, and causes no run', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites, { when: ({ object }) => object.metadata?.name === 'wanted' })
      .reads(configMaps)
      .reconcile(({ name, lister }) => {
        runs.push(`${name}: ${lister(sites).list().length} ${lister(configMaps).list().length}`);
      });
    await fixture.start();
    await admin.client(configMaps).create({ metadata: { name: 'c' } });
    await admin.client(configMaps).patch('c', { data: { a: 'b' } });
    await fixture.createSite('dropped');
    await clock.advance(60_000);
    expect(runs).toEqual([]);
    await fixture.createSite('wanted');
    await clock.advance(0);
    expect(runs).toEqual(['wanted: 2 1']);
  });
});

describe('the objects of events', () => {
  it.each([
    ['are not decoded for their keys', undefined, false],
    ['are decoded for a predicate', () => true, true],
  ])('%s', async (_name, when, isDecoded) => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    const runs: string[] = [];
    fixture.manager
      .controller('site')
      .for(sites, { when })
      .reconcile(({ key }) => void runs.push(key));
    await fixture.start();
    const [informer] = fixture.manager.informers();
    const looks: boolean[] = [];
    // It comes after the controller.
    informer?.subscribe((change) => void looks.push(change.hasView), { name: 'look' });
    await fixture.createSite('a');
    await fixture.clock.advance(0);
    await fixture.admin.client(sites).patch('a', { spec: { color: 'red' } });
    await fixture.clock.advance(0);
    expect([runs, looks]).toEqual([
      ['default/a', 'default/a'],
      [isDecoded, isDecoded],
    ]);
  });
});
