import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { reductionOf, withOrigin } from '../api/origin.ts';
import { defineResource } from '../api/resource.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { configMaps, namespaces } from '../generated/api/core/v1.ts';
import { ApiServer } from '../testing/api-server.ts';
import { controllerOf, setControllerReference } from './owner-reference.ts';

const websites = defineResource({ group: 'example.com', version: 'v1', plural: 'websites', kind: 'Website' });
const clusterSites = defineResource({ ...websites, plural: 'clustersites', kind: 'ClusterSite', namespaced: false });
const owner = { metadata: { name: 'web', namespace: 'shop', uid: 'u1' } };
const reference = {
  apiVersion: 'example.com/v1',
  kind: 'Website',
  name: 'web',
  uid: 'u1',
  controller: true,
  blockOwnerDeletion: true,
};

describe('setControllerReference', () => {
  it('adds a reference with the kind of the resource token, in the namespace of the owner, to a copy', () => {
    const child: KubernetesObject = Object.freeze({ metadata: Object.freeze({ name: 'web', labels: { a: 'b' } }) });
    expect(setControllerReference(owner, websites, child)).toEqual({
      metadata: { name: 'web', labels: { a: 'b' }, namespace: 'shop', ownerReferences: [reference] },
    });
    expect(child).toEqual({ metadata: { name: 'web', labels: { a: 'b' } } });
  });

  it('replaces a reference of the same group, kind and name, and keeps the others in their places', () => {
    const other = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u2' };
    const older = { ...reference, apiVersion: 'example.com/v1beta1', uid: 'u0', controller: false };
    const metadata = { name: 'web', namespace: 'shop', ownerReferences: [older, other] };
    expect(setControllerReference(owner, websites, { metadata }).metadata?.ownerReferences).toEqual([reference, other]);
    expect(metadata.ownerReferences).toEqual([older, other]);
  });

  it('takes the same kind of another group for another owner', () => {
    const foreign = { ...reference, apiVersion: 'other.org/v1', controller: false };
    const owned = setControllerReference(owner, websites, { metadata: { name: 'web', ownerReferences: [foreign] } });
    expect(owned.metadata?.ownerReferences).toEqual([foreign, reference]);
  });

  it('refuses a second controller, and names both', () => {
    const metadata = { name: 'web', namespace: 'shop', ownerReferences: [{ ...reference, kind: 'Shop', name: 'old' }] };
    const own = () => setControllerReference(owner, websites, { kind: 'ConfigMap', metadata });
    expect(own).toThrow(TypeError);
    expect(own).toThrow(
      /Website shop\/web cannot become the controller of the ConfigMap shop\/web, because Shop old controls it already/,
    );
  });

  it('refuses a namespaced owner of a cluster-scoped object, and of an object in another namespace', () => {
    const cluster = () => setControllerReference(owner, websites, { metadata: { name: 'x' } }, namespaces);
    expect(cluster).toThrow(/Website shop\/web is namespaced and cannot own the Namespace x, which is cluster-scoped/);
    const elsewhere = () => setControllerReference(owner, websites, { metadata: { name: 'x', namespace: 'y' } });
    expect(elsewhere).toThrow(TypeError);
    expect(elsewhere).toThrow(/cannot own the object y\/x in another namespace/);
  });

  it('lets a cluster-scoped owner own objects of any scope and namespace', () => {
    const site = { metadata: { name: 'all', uid: 'u3' } };
    const inNamespace = setControllerReference(site, clusterSites, { metadata: { name: 'x', namespace: 'y' } });
    expect(inNamespace.metadata).toMatchObject({ namespace: 'y', ownerReferences: [{ kind: 'ClusterSite' }] });
    const scoped = setControllerReference(site, clusterSites, { metadata: { name: 'x' } }, namespaces);
    expect(scoped.metadata).not.toHaveProperty('namespace');
  });

  it('refuses an owner that the server has not stored', () => {
    expect(() => setControllerReference({ metadata: { name: 'web' } }, websites, {})).toThrow(/has no uid/);
    expect(() => setControllerReference({}, websites, {})).toThrow(/has no name/);
  });

  it('gives a copy that still says what its cache left out', () => {
    const reduction = { what: 'leaves out data', concernsStatus: false };
    const cached = withOrigin({ metadata: { name: 'x', namespace: 'shop' } }, () => reduction);
    expect(reductionOf(setControllerReference(owner, websites, cached))).toBe(reduction);
  });

  it('gives what the garbage collector of a server goes by', async () => {
    await using server = await ApiServer.start({ listen: false });
    await using cluster = server.cluster();
    const settings = cluster.client(configMaps);
    const parent = await settings.create({ metadata: { name: 'parent' } });
    const child = await settings.create(setControllerReference(parent, configMaps, { metadata: { name: 'child' } }));
    expect(controllerOf(child)).toMatchObject({ kind: 'ConfigMap', name: 'parent' });
    await settings.delete('parent');
    await expect.poll(async () => (await settings.list({ namespace: 'default' })).items).toEqual([]);
  });
});

describe('controllerOf', () => {
  it('gives the reference that controls, and undefined when none does', () => {
    const plain = { ...reference, controller: false };
    expect(controllerOf({ metadata: { ownerReferences: [plain, reference] } })).toBe(reference);
    expect(controllerOf({ metadata: { ownerReferences: [plain] } })).toBeUndefined();
    expect(controllerOf({})).toBeUndefined();
    expect(controllerOf({ kind: deployments.kind, metadata: {} })).toBeUndefined();
  });
});
