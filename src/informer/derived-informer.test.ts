import { describe, expect, it } from 'vitest';
import type { ResourceEvent } from '../processor/processor.ts';
import { metaNamespaceIndex } from '../store/index-definition.ts';
import { DerivedInformer, type SelectOptions } from './derived-informer.ts';
import { informerFixture, listener, type Thing } from './informer-fixture.ts';

/** Three things: two of the web, one of them red. */
async function selectionFixture(options: SelectOptions) {
  const fixture = informerFixture({ indexers: { color: 'spec.color', namespace: metaNamespaceIndex } });
  const { source, informer, run, stop } = fixture;
  source.set('red-web', { color: 'red' }, { app: 'web' });
  source.set('blue-web', { color: 'blue' }, { app: 'web' });
  source.set('red-db', { color: 'red' }, { app: 'db' });
  const running = run();
  await informer.waitForSync();
  const end = async () => {
    stop.abort();
    await running;
  };
  return { ...fixture, selection: new DerivedInformer(informer, options), end };
}

const names = (things: readonly Thing[]) => things.map(({ metadata }) => metadata?.name).sort();

async function settled(pending: () => number): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (pending() > 0);
}

describe('DerivedInformer', () => {
  it('reads the selected part of the store, by whatever way', async () => {
    const { selection, end } = await selectionFixture({ labelSelector: 'app=web' });
    const { store } = selection;
    expect(names(store.list())).toEqual(['blue-web', 'red-web']);
    expect(store.listKeys().sort()).toEqual(['default/blue-web', 'default/red-web']);
    expect(names(store.byIndex('color', 'red'))).toEqual(['red-web']);
    expect(store.indexKeys('color', 'red')).toEqual(['default/red-web']);
    expect(store.getByKey('default/red-web')).toMatchObject({ spec: { color: 'red' } });
    expect(store.getByKey('default/red-db')).toBeUndefined();
    expect(store.get({ metadata: { namespace: 'default', name: 'red-db' } })).toBeUndefined();
    expect(names(selection.lister().list('app'))).toEqual(['blue-web', 'red-web']);
    expect(names(selection.lister().namespace('other').list())).toEqual([]);
    await end();
  });

  it.each<[string, SelectOptions, string[]]>([
    ['a namespace', { namespace: 'default' }, ['blue-web', 'red-db', 'red-web']],
    ['another namespace', { namespace: 'other' }, []],
    ['a field', { fieldSelector: 'spec.color=red' }, ['red-db', 'red-web']],
    ['a field and a label', { fieldSelector: 'spec.color=red', labelSelector: 'app=web' }, ['red-web']],
  ])('selects by %s, for readers and for handlers', async (_what, options, selected) => {
    const { selection, end } = await selectionFixture(options);
    const heard: Thing[] = [];
    const registration = selection.addEventHandler({ onAdd: (thing) => void heard.push(thing) });
    await registration.synced;
    expect(names(heard)).toEqual(selected);
    expect(names(selection.store.list())).toEqual(selected);
    await end();
  });

  it('narrows a selection further by the filter of a handler', async () => {
    const { selection, end } = await selectionFixture({ labelSelector: 'app=web' });
    const heard = listener();
    await selection.addEventHandler(heard, { filter: ({ spec }) => spec?.color === 'red' }).synced;
    expect(heard.heard).toEqual(['add red-web@1!']);
    await end();
  });

  it('tells of the deletion of what it has shown, whatever the final state, and of no other', async () => {
    const { selection, source, informer, end } = await selectionFixture({ labelSelector: 'app=web' });
    const handler = listener();
    const registration = selection.addEventHandler(handler);
    await registration.synced;
    const deleted = (name: string, resourceVersion: string, labels: Record<string, string>) => {
      const thing = source.objects.get(name);
      const metadata = { ...thing?.metadata, resourceVersion, labels };
      source.send({ type: 'DELETED', object: { ...thing, metadata } });
    };
    deleted('red-web', '4', {});
    deleted('red-db', '5', { app: 'web' });
    await informer.waitFor('5');
    await settled(() => registration.pending);
    expect(handler.heard).toEqual(['add red-web@1!', 'add blue-web@2!', 'delete red-web@4']);
    await end();
  });

  it('gives a stream of the selected part, which ends with its signal', async () => {
    const { selection, source, end } = await selectionFixture({ fieldSelector: 'spec.color=red' });
    const leave = new AbortController();
    const heard: string[] = [];
    const describeEvent = ({ type, object }: ResourceEvent<Thing>) => `${type} ${object.metadata?.name}`;
    const reading = (async () => {
      for await (const event of selection.events({ signal: leave.signal })) {
        heard.push(describeEvent(event));
        if (heard.length === 2) source.set('blue-web', { color: 'red' }, { app: 'web' });
        if (heard.length === 3) source.set('red-db', { color: 'blue' }, { app: 'db' });
        if (heard.length === 4) leave.abort();
      }
    })();
    await reading;
    expect(heard).toEqual(['add red-web', 'add red-db', 'add blue-web', 'delete red-db']);
    await end();
  });

  it('is started, synced and stopped with the informer that it was derived from', async () => {
    const { selection, informer, end } = await selectionFixture({ labelSelector: 'app=web', namespace: 'default' });
    expect(selection.name).toBe('things[default app=web]');
    expect(selection.informer()).toBe(selection);
    expect(selection.hasSynced()).toBe(true);
    expect(await selection.waitForSync()).toBe(true);
    await selection.waitFor('3');
    await expect(selection.waitFor(null as never)).rejects.toThrow('waitFor needs a resourceVersion');
    expect(selection.lastSyncResourceVersion()).toBe('3');
    expect(selection.state).toEqual(informer.state);
    await end();
    expect(selection.isStopped()).toBe(true);
    expect(() => selection.addEventHandler({})).toThrow('has stopped');
  });
});
