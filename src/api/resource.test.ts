import { describe, expect, expectTypeOf, it } from 'vitest';
import type { KubernetesObject } from './metadata.ts';
import {
  apiVersionOf,
  defineResource,
  type ObjectOf,
  parseApiVersion,
  resourceName,
  resourcePath,
} from './resource.ts';

interface CronTab extends KubernetesObject {
  spec: { cronSpec: string };
}
const cronTabs = defineResource<CronTab>({
  group: 'stable.example.com',
  version: 'v1',
  plural: 'crontabs',
  kind: 'CronTab',
});
const nodes = defineResource({ version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false });

describe('defineResource', () => {
  it('carries the type of the objects', () => {
    expectTypeOf<ObjectOf<typeof cronTabs>>().toEqualTypeOf<CronTab>();
  });

  it('is namespaced and in the core group unless told otherwise', () => {
    expect(defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' })).toEqual({
      group: '',
      version: 'v1',
      plural: 'pods',
      kind: 'Pod',
      namespaced: true,
    });
  });

  it('refuses what would not survive in a URL', () => {
    expect(() => defineResource({ version: 'v1', plural: 'a/b', kind: 'A' })).toThrow('plural "a/b"');
    expect(() => defineResource({ version: '', plural: 'a', kind: 'A' })).toThrow('version must be');
    for (const part of ['.', '..']) {
      expect(() => defineResource({ group: part, version: 'v1', plural: 'a', kind: 'A' })).toThrow(`group "${part}"`);
      expect(() => defineResource({ version: part, plural: 'a', kind: 'A' })).toThrow(`version "${part}"`);
      expect(() => defineResource({ version: 'v1', plural: part, kind: 'A' })).toThrow(`plural "${part}"`);
    }
  });
});

describe('the names of a resource', () => {
  it('has an apiVersion and a name of its own', () => {
    expect(apiVersionOf(cronTabs)).toBe('stable.example.com/v1');
    expect(apiVersionOf(nodes)).toBe('v1');
    expect(parseApiVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
    expect(parseApiVersion('v1')).toEqual({ group: '', version: 'v1' });
    expect(resourceName(cronTabs)).toBe('crontabs.v1.stable.example.com');
    expect(resourceName(nodes)).toBe('nodes.v1');
  });
});

describe('resourcePath', () => {
  it.each([
    [cronTabs, {}, '/apis/stable.example.com/v1/crontabs'],
    [cronTabs, { namespace: 'a' }, '/apis/stable.example.com/v1/namespaces/a/crontabs'],
    [
      cronTabs,
      { namespace: 'a', name: 'b', subresource: 'status' },
      '/apis/stable.example.com/v1/namespaces/a/crontabs/b/status',
    ],
    [nodes, { namespace: 'a', name: 'n' }, '/api/v1/nodes/n'],
    [nodes, { name: 'n', subresource: 'proxy/x' }, '/api/v1/nodes/n/proxy/x'],
    [nodes, { name: 'system:admin?' }, '/api/v1/nodes/system%3Aadmin%3F'],
  ])('of %o and %o is %s', (resource, options, path) => {
    expect(resourcePath(resource, options)).toBe(path);
  });

  it.each(['', '.', '..', 'a/b', 'a%2fb'])('refuses the name %j', (name) => {
    expect(() => resourcePath(nodes, { name })).toThrow('cannot be the name');
  });

  it.each(['..', '.', 'a/b', 'a%2fb', 'A', 'a.b', '-', 'a'.repeat(64)])('refuses the namespace %j', (namespace) => {
    expect(() => resourcePath(cronTabs, { namespace })).toThrow('cannot be the name of a namespace');
    expect(resourcePath(nodes, { namespace })).toBe('/api/v1/nodes');
  });

  it.each([
    { group: '..', version: 'v1', plural: 'x' },
    { group: '', version: '..', plural: 'x' },
    { group: '', version: 'v1', plural: '..' },
    { group: '', version: 'v1', plural: '' },
    { group: 'a/b', version: 'v1', plural: 'x' },
  ])('refuses a hand-made token with %o', (token) => {
    expect(() => resourcePath({ ...token, namespaced: true })).toThrow('cannot be part of the name of a resource');
  });
});
