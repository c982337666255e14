import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asObject, getPath, type JsonObject } from '../values/json.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('discovery', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
  });

  afterAll(() => server.stop());

  it('lists versions, groups and resources', async () => {
    expect((await client.get('/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const groups = asArray((await client.get('/apis')).body.groups).map((group) => asObject(group).name);
    expect(groups).toEqual(expect.arrayContaining(['apps', 'batch', 'apiextensions.k8s.io']));
    expect((await client.get('/apis/autoscaling')).body).toMatchObject({
      kind: 'APIGroup',
      versions: [{ version: 'v2' }, { version: 'v1' }],
      preferredVersion: { groupVersion: 'autoscaling/v2' },
    });
    const resources = asArray((await client.get('/apis/apps/v1')).body.resources);
    expect(resources).toContainEqual({
      name: 'deployments',
      singularName: 'deployment',
      namespaced: true,
      kind: 'Deployment',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['deploy'],
      categories: ['all'],
      storageVersionHash: '8aSe+NMegvE=',
    });
    expect(resources).toContainEqual(
      expect.objectContaining({ name: 'deployments/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' }),
    );
  });

  it('says everything at once to those who prefer that', async () => {
    const answer = await client.get('/apis', { accept: `${AGGREGATED},application/json` });
    expect(answer.headers.get('content-type')).toBe(AGGREGATED);
    const apps = asArray(answer.body.items).find((item) => getPath(item, 'metadata', 'name') === 'apps');
    const [version] = asArray(asObject(apps).versions);
    expect(version).toMatchObject({ version: 'v1', freshness: 'Current' });
    const names = asArray(asObject(version).resources).map((resource) => asObject(resource).resource);
    expect(names).toContain('deployments');
    expect((await client.get('/api', { accept: AGGREGATED })).body).toMatchObject({ kind: 'APIGroupDiscoveryList' });
    expect((await client.get('/apis', { accept: `application/json,${AGGREGATED}` })).body.kind).toBe('APIGroupList');
  });

  it('serves every resource that it lists', async () => {
    const versions = ['/api/v1', ...(await groupVersions())];
    for (const version of versions) {
      for (const item of asArray((await client.get(version)).body.resources)) {
        const { name, verbs } = asObject(item) as { name: string; verbs: string[] };
        if (name.includes('/') || !verbs.includes('list')) continue;
        const answer = await client.get(`${version}/${name}`);
        expect([name, answer.status]).toEqual([name, 200]);
      }
    }
  });

  it('tells its version and its health', async () => {
    expect((await client.get('/version')).body).toMatchObject({ major: '1', minor: '36', gitVersion: 'v1.36.3' });
    for (const path of ['/healthz', '/livez', '/readyz', '/readyz/ping'])
      expect((await client.get(path)).text).toBe('ok');
    expect((await client.get('/readyz?verbose')).text).toContain('[+]ping ok');
  });

  it('answers a path that leads nowhere as the real server does', async () => {
    expect((await client.get('/api/v1/nothing')).body).toMatchObject({ code: 404, reason: 'NotFound', details: {} });
    expect((await client.get('/nothing')).text).toBe('404 page not found\n');
    expect((await client.send('PUT', '/api/v1/nodes', {})).body).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
    });
  });

  async function groupVersions(): Promise<string[]> {
    const groups = asArray((await client.get('/apis')).body.groups).map(asObject);
    return groups.flatMap((group) =>
      asArray(group.versions).map((version) => `/apis/${(version as JsonObject).groupVersion}`),
    );
  }
});
