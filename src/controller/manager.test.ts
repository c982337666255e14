import { describe, expect, it } from 'vitest';
import { configMaps } from '../generated/api/core/v1.ts';
import { events } from '../generated/api/events/v1.ts';
import { controllerFixture, type Site, sites } from './controller-fixture.ts';
import { generationChanged } from './predicates.ts';

describe('a manager', () => {
  it('runs each object of a kind, and again when it changes or goes', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    const seen: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .reconcile(({ key, object }) => void seen.push(`${key} ${object?.spec?.color ?? (object ? '-' : 'gone')}`));
    await fixture.start();
    expect(seen).toEqual(['default/a -']);
    await fixture.createSite('b', { color: 'red' });
    await admin.client(sites).patch('a', { spec: { color: 'blue' } });
    await clock.advance(0);
    await admin.client(sites).delete('b');
    await clock.advance(0);
    expect(seen.slice(1).sort()).toEqual(['default/a blue', 'default/b gone', 'default/b red']);
    await fixture.stop();
    expect(fixture.timersLeft).toBe(0);
  });

  it('runs the controller owner of what changes, and of no other kind', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites, { when: generationChanged })
      .owns(configMaps)
      .reconcile(async ({ key, object, own, client, lister, causes }) => {
        runs.push(`${key} ${causes.map(({ type, kind }) => `${type} ${kind}`).join(', ')}`);
        if (!object || lister(configMaps).get('a')) return;
        await client(configMaps).create(own({ metadata: { name: 'a' } }));
      });
    await fixture.start();
    await clock.advance(0);
    expect(runs).toEqual(['default/a add Site', 'default/a add ConfigMap']);
    const [child] = (await admin.client(configMaps).list({ namespace: 'default' })).items;
    expect(child?.metadata).toMatchObject({
      ownerReferences: [{ kind: 'Site', name: 'a', controller: true }],
      managedFields: [{ manager: 'site' }],
    });
    await admin.client(configMaps).create({ metadata: { name: 'other' } });
    const stranger = { apiVersion: 'apps/v1', kind: 'Site', name: 'a', uid: 'x', controller: true };
    await admin.client(configMaps).create({ metadata: { name: 'strange', ownerReferences: [stranger] } });
    const { uid = '' } = (await admin.client(sites).get('a')).metadata ?? {};
    const plain = { apiVersion: 'example.com/v1', kind: 'Site', name: 'a', uid };
    await admin.client(configMaps).create({ metadata: { name: 'plain', ownerReferences: [plain] } });
    await admin.client(sites).patch<Site>('a', { status: { ready: true } }, { subresource: 'status' });
    await clock.advance(0);
    expect(runs).toHaveLength(2);
  });

  it('goes on when it may not write events, and says so', async () => {
    await using fixture = await controllerFixture();
    const { manager, server, clock, logger } = fixture;
    await fixture.defineSites();
    for (const name of ['a', 'b']) await fixture.createSite(name);
    server.faults.add({ resource: 'events' }, { kind: 'status', code: 403 }, { times: Number.POSITIVE_INFINITY });
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .reconcile(({ key, object, record }) => {
        if (object) record(object, { type: 'Normal', reason: 'Seen', action: 'Look', note: 'It is there.' });
        runs.push(key);
      });
    await fixture.start();
    await clock.advance(1_000);
    expect(runs.sort()).toEqual(['default/a', 'default/b']);
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn controller site: it may not write events, the first about Site default\/[ab], /),
    ]);
    await fixture.createSite('c');
    await clock.advance(1_000);
    expect(runs).toContain('default/c');
    await fixture.stop();
    expect(fixture.timersLeft).toBe(0);
  });

  it('writes the events of a run as those of its controller', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    manager
      .controller('site')
      .for(sites)
      .reconcile(({ object, record }) => {
        if (object) record(object, { type: 'Normal', reason: 'Seen', action: 'Look', note: 'It is there.' });
      });
    await fixture.start();
    await clock.advance(0);
    const { items } = await admin.client(events).list({ namespace: 'default' });
    expect(items).toMatchObject([
      { reportingController: 'site', reason: 'Seen', regarding: { kind: 'Site', name: 'a' } },
    ]);
  });

  it('asks for the rights that its controllers need', async () => {
    await using fixture = await controllerFixture();
    fixture.manager
      .controller('site')
      .for(sites)
      .reads(configMaps)
      .writes(configMaps, ['deletecollection'])
      .reconcile(() => {});
    expect(fixture.manager.rbac()).toContainEqual({
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['deletecollection', 'get', 'list', 'watch'],
    });
    expect(fixture.manager.rbac().map(({ apiGroups }) => apiGroups[0])).toEqual(
      expect.arrayContaining(['events.k8s.io', 'example.com']),
    );
  });

  it('cleans up before an object with its finalizer goes', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    const calls: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .finalizer('example.com/site', ({ object }) => void calls.push(`cleanup ${object.metadata.name}`))
      .reconcile(({ object }) => void calls.push(object ? 'reconcile' : 'gone'));
    await fixture.start();
    await clock.advance(0);
    expect((await admin.client(sites).get('a')).metadata?.finalizers).toEqual(['example.com/site']);
    await admin.client(sites).delete('a');
    await clock.advance(0);
    await expect(admin.client(sites).get('a')).rejects.toMatchObject({ kind: 'not-found' });
    expect(calls.filter((call) => call.startsWith('cleanup'))).toEqual(['cleanup a']);
    expect(calls.at(-1)).toBe('gone');
    expect(fixture.logger.lines).toEqual([]);
  });
});
