import { describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { configMaps, namespaces, secrets, services } from '../generated/api/core/v1.ts';
import { events } from '../generated/api/events/v1.ts';
import { ApiServer } from '../testing/api-server.ts';
import { type RbacDeclaration, rbacRoles, rbacRules } from './rbac.ts';

const websites = defineResource({ group: 'example.com', version: 'v1', plural: 'websites', kind: 'Website' });
const declarations: RbacDeclaration[] = [
  { resource: websites, use: 'for' },
  { resource: services, use: 'owns' },
  { resource: deployments, use: 'owns' },
  { resource: configMaps, use: 'owns' },
  { resource: secrets, use: 'reads' },
  { resource: namespaces, use: 'watches' },
];
const ALL_BUT_DELETECOLLECTION = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

describe('rbacRules', () => {
  it('gives each declaration its verbs, merges equal ones, and sorts', () => {
    expect(rbacRules(declarations, { events: true, leases: true })).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'services'], verbs: ALL_BUT_DELETECOLLECTION },
      { apiGroups: [''], resources: ['namespaces', 'secrets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ALL_BUT_DELETECOLLECTION },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: ['example.com'], resources: ['websites'], verbs: ['get', 'list', 'patch', 'update', 'watch'] },
      { apiGroups: ['example.com'], resources: ['websites/finalizers', 'websites/status'], verbs: ['patch', 'update'] },
    ]);
  });

  it('does not depend on the order or the number of declarations', () => {
    const rules = rbacRules(declarations);
    expect(rbacRules([...declarations, ...declarations].reverse())).toEqual(rules);
    expect(rbacRules([])).toEqual([]);
  });

  it('joins all that is done with a resource', () => {
    const writes = (...verbs: string[]): RbacDeclaration => ({ resource: secrets, use: { writes: verbs } });
    const read = { resource: secrets, use: 'reads' } as const;
    expect(rbacRules([read, writes('delete', 'create')])).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete', 'get', 'list', 'watch'] },
    ]);
    expect(rbacRules([read, writes('*')])).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }]);
    expect(rbacRules([writes()])).toEqual([]);
  });
});

describe('rbacRoles', () => {
  it('is one ClusterRole for the whole cluster', () => {
    const [role, ...more] = rbacRoles('website', declarations, { events: true });
    expect(more).toEqual([]);
    expect(role).toMatchObject({ kind: 'ClusterRole', metadata: { name: 'website' } });
    expect(role?.rules).toEqual(rbacRules(declarations, { events: true }));
  });

  it('is a Role for one namespace, with a ClusterRole for what has none', () => {
    const [role, clusterRole] = rbacRoles('website', declarations, { namespace: 'shop', leases: true });
    expect(role).toMatchObject({ kind: 'Role', metadata: { name: 'website', namespace: 'shop' } });
    expect(role?.rules.flatMap(({ resources }) => resources)).not.toContain('namespaces');
    expect(role?.rules.flatMap(({ resources }) => resources)).toContain('leases');
    expect(clusterRole).toMatchObject({
      kind: 'ClusterRole',
      rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] }],
    });
    expect(rbacRoles('x', [{ resource: secrets, use: 'reads' }], { namespace: 'shop' })).toHaveLength(1);
  });

  it('gives a user of the embedded server what the declarations need, and no more', async () => {
    await using server = await ApiServer.start({ listen: false });
    server.access.addToken('t', 'controller');
    const rules = rbacRules(declarations, { events: true });
    const allowed = rules.map(({ apiGroups, resources, verbs }) => ({ groups: apiGroups, resources, verbs }));
    server.access.allowOnly('controller', allowed);
    await using cluster = server.cluster({ token: 't', fieldManager: 'website' });
    const settings = cluster.client(configMaps);
    await settings.apply({ metadata: { name: 'a', namespace: 'default' }, data: { a: 'b' } });
    await settings.delete('a');
    await cluster.client(secrets).list();
    const refused = { kind: 'forbidden' };
    await expect(settings.deleteCollection()).rejects.toMatchObject(refused);
    await expect(cluster.client(secrets).create({ metadata: { name: 'a' } })).rejects.toMatchObject(refused);
    await expect(cluster.client(events).list()).rejects.toMatchObject(refused);
  });
});
