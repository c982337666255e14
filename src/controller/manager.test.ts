import { describe, expect, it } from 'vitest';
import { configMaps } from '../generated/api/core/v1.ts';
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
    await admin.client(sites).patch<Site>('a', { status: { ready: true } }, { subresource: 'status' });
    await clock.advance(0);
    expect(runs).toHaveLength(2);
  });
});
