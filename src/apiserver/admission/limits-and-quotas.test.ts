import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, getPath, type JsonObject } from '../values/json.ts';

const CORE = '/api/v1/namespaces/default';
const pod = (name: string, resources: JsonObject = {}, spec: JsonObject = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
});

describe('limits and quotas', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
  });
  afterEach(() => server.stop());

  const used = async (name: string) => (await client.get(`${CORE}/resourcequotas/${name}`)).body.status;
  const quota = (hard: JsonObject, more: JsonObject = {}) =>
    client.post(`${CORE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard, ...more } });

  it('gives containers the defaults of a LimitRange, and says so', async () => {
    await client.post(`${CORE}/limitranges`, {
      metadata: { name: 'l' },
      spec: {
        limits: [{ type: 'Container', default: { cpu: '300m' }, defaultRequest: { cpu: '100m', memory: '1Mi' } }],
      },
    });
    const { body } = await client.post(`${CORE}/pods`, pod('p'));
    expect(getPath(asArray(getPath(body, 'spec', 'containers'))[0], 'resources')).toEqual({
      limits: { cpu: '300m' },
      requests: { cpu: '100m', memory: '1Mi' },
    });
    expect(getPath(body, 'metadata', 'annotations', 'kubernetes.io/limit-ranger')).toBe(
      'LimitRanger plugin set: cpu, memory request for container c; cpu limit for container c',
    );
    expect(getPath(body, 'status', 'qosClass')).toBe('Burstable');
    const own = { limits: { cpu: '2' }, requests: { cpu: '1' } };
    const asked = await client.post(`${CORE}/pods`, pod('own', own));
    expect(getPath(asArray(getPath(asked.body, 'spec', 'containers'))[0], 'resources')).toEqual({
      ...own,
      requests: { cpu: '1', memory: '1Mi' },
    });
  });

  it('refuses what is outside of the bounds of a LimitRange', async () => {
    await client.post(`${CORE}/limitranges`, {
      metadata: { name: 'l' },
      spec: { limits: [{ type: 'Pod', max: { memory: '1Gi' }, maxLimitRequestRatio: { memory: '2' } }] },
    });
    const refused = await client.post(
      `${CORE}/pods`,
      pod('p', { requests: { memory: '512Mi' }, limits: { memory: '2Gi' } }),
    );
    expect(refused.body).toMatchObject({
      code: 403,
      message:
        'pods "p" is forbidden: [maximum memory usage per Pod is 1Gi, but limit is 2Gi, memory max limit to request ratio per Pod is 2, but provided ratio is 4.000000]',
    });
  });

  it('counts what is there when a quota is made, and follows every change', async () => {
    await client.post(`${CORE}/pods`, pod('a', { requests: { cpu: '100m', memory: '64Mi' } }));
    await client.post(`${CORE}/configmaps`, { metadata: { name: 'm' } });
    await quota({ pods: '3', 'requests.cpu': '1', 'requests.memory': '1Gi', 'count/configmaps': '5', services: '2' });
    expect(await used('q')).toEqual({
      hard: { 'count/configmaps': '5', pods: '3', 'requests.cpu': '1', 'requests.memory': '1Gi', services: '2' },
      used: { 'count/configmaps': '1', pods: '1', 'requests.cpu': '100m', 'requests.memory': '64Mi', services: '0' },
    });
    await client.delete(`${CORE}/pods/a`);
    await client.post(`${CORE}/services`, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    expect(await used('q')).toMatchObject({ used: { pods: '0', 'requests.cpu': '0', services: '1' } });
    await client.patch(`${CORE}/resourcequotas/q`, { spec: { hard: { pods: '4', services: null } } });
    expect(await used('q')).toEqual({
      hard: { 'count/configmaps': '5', pods: '4', 'requests.cpu': '1', 'requests.memory': '1Gi' },
      used: { 'count/configmaps': '1', pods: '0', 'requests.cpu': '0', 'requests.memory': '0' },
    });
  });

  it('gives the last of a quota to one of many requests that come together', async () => {
    await quota({ 'count/configmaps': '3' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => client.post(`${CORE}/configmaps`, { metadata: { name: `m${at}` } })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.find(({ status }) => status === 403)?.body.message).toContain(
      'exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=3, limited: count/configmaps=3',
    );
    expect(await used('q')).toMatchObject({ used: { 'count/configmaps': '3' } });
  });

  it('charges nothing for dry runs and for what was refused', async () => {
    await quota({ 'count/configmaps': '2' });
    await client.post(`${CORE}/configmaps?dryRun=All`, { metadata: { name: 'm' } });
    await client.post(`${CORE}/configmaps`, { metadata: { name: 'm' } });
    expect((await client.post(`${CORE}/configmaps`, { metadata: { name: 'm' } })).status).toBe(409);
    expect((await client.post(`${CORE}/configmaps`, { metadata: { name: '_' } })).status).toBe(422);
    expect(await used('q')).toMatchObject({ used: { 'count/configmaps': '1' } });
  });

  it('counts pods within the scopes of a quota alone, and wants to know what they need', async () => {
    await quota({ pods: '1', 'limits.cpu': '1' }, { scopes: ['NotBestEffort', 'NotTerminating'] });
    expect((await client.post(`${CORE}/pods`, pod('free'))).status).toBe(201);
    const limited = { limits: { cpu: '1', memory: '1Gi' } };
    expect((await client.post(`${CORE}/pods`, pod('ends', limited, { activeDeadlineSeconds: 5 }))).status).toBe(201);
    const vague = await client.post(`${CORE}/pods`, pod('vague', { limits: { memory: '1Gi' } }));
    expect(vague.body.message).toBe('pods "vague" is forbidden: failed quota: q: must specify limits.cpu for: c');
    expect((await client.post(`${CORE}/pods`, pod('counted', limited))).status).toBe(201);
    expect((await client.post(`${CORE}/pods`, pod('more', limited))).status).toBe(403);
    await client.patch(`${CORE}/pods/counted/status`, { status: { phase: 'Succeeded' } });
    expect(await used('q')).toMatchObject({ used: { pods: '0', 'limits.cpu': '0' } });
    expect((await client.post(`${CORE}/pods`, pod('more', limited))).status).toBe(201);
  });

  it('charges a dry run nothing, also when nobody counts again', async () => {
    const bare = await ApiServer.start({ listen: false, controllers: false });
    const other = new RequestClient(bare.transport());
    const hard = { 'count/configmaps': '2' };
    await other.post(`${CORE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } });
    await other.patch(`${CORE}/resourcequotas/q/status`, { status: { hard, used: { 'count/configmaps': '0' } } });
    const counted = async () => getPath((await other.get(`${CORE}/resourcequotas/q`)).body, 'status', 'used');
    expect((await other.post(`${CORE}/configmaps?dryRun=All`, { metadata: { name: 'm' } })).status).toBe(201);
    expect(await counted()).toEqual({ 'count/configmaps': '0' });
    await other.post(`${CORE}/configmaps`, { metadata: { name: 'm' } });
    expect(await counted()).toEqual({ 'count/configmaps': '1' });
    await bare.stop();
  });

  it('charges an update for no more than it adds', async () => {
    await quota({ 'services.nodeports': '2' });
    const ports = [{ name: 'a', port: 80 }];
    await client.post(`${CORE}/services`, { metadata: { name: 's' }, spec: { type: 'NodePort', ports } });
    const more = { spec: { ports: [...ports, { name: 'b', port: 81 }] } };
    expect((await client.patch(`${CORE}/services/s`, more)).status).toBe(200);
    expect(await used('q')).toMatchObject({ used: { 'services.nodeports': '2' } });
  });

  it('charges an update for what it adds', async () => {
    await quota({ 'services.nodeports': '1' });
    const ports = [{ name: 'a', port: 80 }];
    await client.post(`${CORE}/services`, { metadata: { name: 's' }, spec: { type: 'NodePort', ports } });
    const more = { spec: { ports: [...ports, { name: 'b', port: 81 }] } };
    expect((await client.patch(`${CORE}/services/s`, more)).status).toBe(403);
    expect((await client.patch(`${CORE}/services/s`, { spec: { type: 'ClusterIP' } })).status).toBe(200);
    expect(await used('q')).toMatchObject({ used: { 'services.nodeports': '0' } });
  });

  it('leaves the counting to a controller manager when the server has no controllers', async () => {
    const bare = await ApiServer.start({ listen: false, controllers: false });
    const other = new RequestClient(bare.transport());
    await other.post(`${CORE}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '0' } } });
    expect((await other.get(`${CORE}/resourcequotas/q`)).body.status).toEqual({});
    expect((await other.post(`${CORE}/pods`, pod('p'))).status).toBe(201);
    await bare.stop();
  });
});
