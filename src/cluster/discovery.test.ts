import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { HttpTransport } from '../http/http-transport.ts';
import { rejection, sendJson } from '../http/request-fixture.ts';
import { ScriptedServer } from '../http/scripted-server-fixture.ts';
import { silentLogger } from '../observe/logger.ts';
import { Cluster } from './cluster.ts';

const pods = {
  resource: 'pods',
  responseKind: { group: '', version: '', kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  verbs: ['get', 'list'],
  subresources: [{ subresource: 'status' }, { subresource: 'log' }],
};
const simple = (resource: string, kind: string, more = {}) => ({
  resource,
  responseKind: { kind },
  scope: 'Cluster',
  singularResource: kind.toLowerCase(),
  verbs: ['get'],
  ...more,
});

const aggregated: Record<string, unknown> = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    items: [
      {
        metadata: {},
        versions: [{ version: 'v1', freshness: 'Current', resources: [pods, simple('events', 'Event')] }],
      },
    ],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      { metadata: { name: 'events.k8s.io' }, versions: [{ version: 'v1', resources: [simple('events', 'Event')] }] },
      {
        metadata: { name: 'apps' },
        versions: [
          {
            version: 'v1',
            resources: [simple('deployments', 'Deployment', { scope: 'Namespaced', shortNames: ['deploy'] })],
          },
          { version: 'v1beta1', resources: [simple('deployments', 'Deployment'), simple('scales', 'Scale')] },
        ],
      },
      { metadata: { name: 'v1.example.com' }, versions: [{ version: 'v2', resources: [simple('things', 'Thing')] }] },
      {
        metadata: { name: 'metrics.k8s.io' },
        versions: [{ version: 'v1', freshness: 'Stale', resources: [simple('x', 'X')] }],
      },
    ],
  },
};

const legacyResource = (name: string, kind: string, more = {}) => ({
  name,
  kind,
  namespaced: true,
  singularName: '',
  verbs: ['get'],
  ...more,
});
const legacy: Record<string, unknown> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': {
    kind: 'APIResourceList',
    resources: [legacyResource('pods', 'Pod', { shortNames: ['po'] }), legacyResource('pods/status', 'Pod')],
  },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'apps', versions: [{ version: 'v1beta1' }, { version: 'v1' }], preferredVersion: { version: 'v1' } },
      { name: 'broken.example.com', versions: [{ version: 'v1' }] },
    ],
  },
  '/apis/apps/v1': {
    kind: 'APIResourceList',
    resources: [legacyResource('deployments', 'Deployment', { singularName: 'deployment' })],
  },
  '/apis/apps/v1beta1': { kind: 'APIResourceList', resources: [legacyResource('deployments', 'Deployment')] },
};

async function serve(documents: Record<string, unknown>) {
  const seen: string[] = [];
  const accepts = new Set<string | undefined>();
  const server = await ScriptedServer.http((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    seen.push(path);
    if (path === '/apis') accepts.add(request.headers.accept);
    if (documents[path] === undefined)
      return sendJson(response, path.includes('broken') ? 503 : 404, { kind: 'Status', message: 'no' });
    return sendJson(response, 200, documents[path]);
  });
  const cluster = Cluster.over(new HttpTransport({ server: server.url, logger: silentLogger }), {
    logger: silentLogger,
  });
  return {
    seen,
    accepts,
    discovery: cluster.discovery,
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('Discovery', () => {
  it('finds a resource by any of its names, in the version that the server prefers', async () => {
    await using api = await serve(aggregated);
    const found = async (name: string) => {
      const resource = await api.discovery.find(name);
      return resource && `${resource.group}/${resource.version}/${resource.plural}`;
    };
    for (const name of ['po', 'pods', 'pod', 'Pod', 'PODS', 'pods.v1', 'pods.v1.'])
      expect(await found(name), name).toBe('/v1/pods');
    for (const name of [
      'deploy',
      'Deployment',
      'deployments.apps',
      'Deployment.apps',
      'deployments.v1.apps',
      'deploy.v1.apps',
    ]) {
      expect(await found(name), name).toBe('apps/v1/deployments');
    }
    expect(await found('deployments.v1beta1.apps')).toBe('apps/v1beta1/deployments');
    expect(await found('scales')).toBe('apps/v1beta1/scales');
    expect(await found('events')).toBe('/v1/events');
    expect(await found('events.events.k8s.io')).toBe('events.k8s.io/v1/events');
    expect(await found('things.v1.example.com')).toBe('v1.example.com/v2/things');
    expect(await found('things.v2.v1.example.com')).toBe('v1.example.com/v2/things');
    expect(await found('x')).toBeUndefined();
    expect(await found('deployments.v2.apps')).toBeUndefined();
    expect(await found('')).toBeUndefined();
  });

  it('describes what it finds, and that is a token for a client', async () => {
    await using api = await serve(aggregated);
    expect(await api.discovery.find('po')).toEqual({
      group: '',
      version: 'v1',
      plural: 'pods',
      kind: 'Pod',
      namespaced: true,
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      verbs: ['get', 'list'],
      subresources: ['status', 'log'],
    });
    expect((await api.discovery.resources()).map((one) => `${one.plural}.${one.version}.${one.group}`)).toEqual([
      'pods.v1.',
      'events.v1.',
      'events.v1.events.k8s.io',
      'deployments.v1.apps',
      'deployments.v1beta1.apps',
      'scales.v1beta1.apps',
      'things.v2.v1.example.com',
    ]);
    expect(await api.discovery.preferredResources()).toHaveLength(6);
    expect(await api.discovery.failures()).toEqual([
      {
        group: 'metrics.k8s.io',
        version: 'v1',
        error: expect.objectContaining({ kind: 'unavailable', retryable: true }),
      },
    ]);
  });

  it('asks with two requests for everything, once, until something is unknown or it is told to forget', async () => {
    await using api = await serve(aggregated);
    await Promise.all([api.discovery.find('po'), api.discovery.find('deploy'), api.discovery.resources()]);
    expect(api.seen.sort()).toEqual(['/api', '/apis']);
    expect([...api.accepts]).toEqual([
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    ]);
    await api.discovery.find('crontabs');
    expect(api.seen).toHaveLength(4);
    api.discovery.invalidate();
    await api.discovery.find('po');
    expect(api.seen).toHaveLength(6);
  });

  it('reads the old documents of a server without aggregated discovery; a broken group fails alone', async () => {
    await using api = await serve(legacy);
    expect(await api.discovery.find('po')).toMatchObject({
      kind: 'Pod',
      version: 'v1',
      subresources: ['status'],
      singular: 'pod',
    });
    expect(await api.discovery.find('deployments.apps')).toMatchObject({
      group: 'apps',
      version: 'v1',
      namespaced: true,
    });
    expect(await api.discovery.find('deployments.v1beta1.apps')).toMatchObject({ version: 'v1beta1' });
    expect(await api.discovery.failures()).toEqual([
      { group: 'broken.example.com', version: 'v1', error: expect.objectContaining({ code: 503 }) },
    ]);
  });

  it('asks again after a failure', async () => {
    const documents: Record<string, unknown> = { '/apis': { kind: 'APIGroupList', groups: [] }, '/api': 'broken' };
    await using api = await serve(documents);
    documents['/api'] = undefined;
    documents['/apis'] = undefined;
    expect(await api.discovery.find('po')).toBeUndefined();
    Object.assign(documents, aggregated);
    expect(await api.discovery.find('po')).toMatchObject({ kind: 'Pod' });
  });

  it('passes on what keeps it from reading', async () => {
    await using server = await ScriptedServer.http((_request, response) =>
      sendJson(response, 403, { kind: 'Status', code: 403 }),
    );
    const cluster = Cluster.over(new HttpTransport({ server: server.url, logger: silentLogger }), {
      logger: silentLogger,
    });
    expect(await rejection(cluster.discovery.find('po'))).toMatchObject({ code: 403 });
    await cluster.close();
  });
});
