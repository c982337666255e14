import { afterEach, describe, expect, it } from 'vitest';
import { ApiServer, type ApiServerOptions } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, getPath, type JsonObject } from '../values/json.ts';

const servers: ApiServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

async function start(options: ApiServerOptions = {}): Promise<RequestClient> {
  const server = await ApiServer.start({ listen: false, ...options });
  servers.push(server);
  return new RequestClient(server.transport());
}

const names = (list: JsonObject) => asArray(list.items).map((item) => getPath(item, 'metadata', 'name'));
const pod = (spec: JsonObject = {}) => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

describe('a server without newCluster', () => {
  it('has nothing but namespaces, and lets pods be without a service account', async () => {
    const client = await start();
    for (const path of ['services', 'endpoints', 'serviceaccounts', 'configmaps']) {
      expect(names((await client.get(`/api/v1/${path}`)).body)).toEqual([]);
    }
    const created = await client.post('/api/v1/namespaces/default/pods', pod());
    expect(created.status).toBe(201);
    expect(getPath(created.body, 'spec', 'serviceAccountName')).toBeUndefined();
  });
});

describe('a server with newCluster', () => {
  it('has the range of cluster addresses, which is ready, and the priorities of the system', async () => {
    const client = await start({ newCluster: true });
    const range = (await client.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes')).body;
    expect(range).toMatchObject({
      spec: { cidrs: ['10.96.0.0/12'] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    expect(names((await client.get('/apis/scheduling.k8s.io/v1/priorityclasses')).body)).toEqual([
      'system-cluster-critical',
      'system-node-critical',
    ]);
  });

  it('has the Service of the API server, with Endpoints and EndpointSlice that lead to it', async () => {
    const server = await ApiServer.start({ newCluster: true, http: true });
    servers.push(server);
    const client = new RequestClient(server.transport());
    const port = Number(new URL(server.url).port);
    const service = (await client.get('/api/v1/namespaces/default/services/kubernetes')).body;
    expect(service).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ports: [{ port: 443, targetPort: port }] },
    });
    const endpoints = (await client.get('/api/v1/namespaces/default/endpoints/kubernetes')).body;
    expect(endpoints.subsets).toEqual([
      { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
    ]);
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
    expect((await client.get(path)).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    });
  });

  it('fills every namespace, old and new, and does not hold up its deletion', async () => {
    const client = await start({ newCluster: true });
    await client.post('/api/v1/namespaces', { metadata: { name: 'mine' } });
    for (const namespace of ['default', 'kube-system', 'mine']) {
      expect(names((await client.get(`/api/v1/namespaces/${namespace}/serviceaccounts`)).body)).toEqual(['default']);
      expect(names((await client.get(`/api/v1/namespaces/${namespace}/configmaps`)).body)).toEqual([
        'kube-root-ca.crt',
      ]);
    }
    await client.delete('/api/v1/namespaces/mine');
    await expect.poll(async () => (await client.get('/api/v1/namespaces/mine')).status).toBe(404);
    expect(names((await client.get('/api/v1/configmaps')).body)).not.toContain('mine');
  });

  it('puts back what somebody deleted or changed', async () => {
    const client = await start({ newCluster: true });
    const map = '/api/v1/namespaces/default/configmaps/kube-root-ca.crt';
    await client.delete(map);
    expect((await client.get(map)).status).toBe(200);
    await client.patch(map, { data: { 'ca.crt': 'another', more: 'x' } });
    expect((await client.get(map)).body.data).toEqual({ 'ca.crt': '' });
    await client.delete('/api/v1/namespaces/default/serviceaccounts/default');
    expect((await client.get('/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(200);
  });

  it('leaves the contents of namespaces to a controller manager when it has no controllers', async () => {
    const client = await start({ newCluster: true, controllers: false });
    expect(names((await client.get('/api/v1/services')).body)).toEqual(['kubernetes']);
    expect(names((await client.get('/api/v1/serviceaccounts')).body)).toEqual([]);
  });

  it('gives pods a service account and a volume with its token', async () => {
    const client = await start({ newCluster: true });
    const created = (await client.post('/api/v1/namespaces/default/pods', pod())).body;
    const spec = created.spec as JsonObject;
    expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    const volume = getPath(asArray(spec.volumes)[0], 'name');
    expect(volume).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(getPath(asArray(spec.containers)[0], 'volumeMounts')).toEqual([
      { name: volume, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ]);
    const without = pod({ automountServiceAccountToken: false });
    const bare = await client.post('/api/v1/namespaces/default/pods', { ...without, metadata: { name: 'q' } });
    expect(getPath(bare.body, 'spec', 'volumes')).toBeUndefined();
  });

  it('refuses a pod of a service account that does not exist', async () => {
    const client = await start({ newCluster: true });
    const answer = await client.post('/api/v1/namespaces/default/pods', pod({ serviceAccountName: 'none' }));
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe(
      'pods "p" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
    );
  });

  it('holds a pod to the secrets of its account when the account says so', async () => {
    const client = await start({ newCluster: true });
    await client.post('/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
      secrets: [{ name: 'known' }],
    });
    const send = (secretName: string) =>
      client.post('/api/v1/namespaces/default/pods', {
        ...pod({ serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName } }] }),
        metadata: { name: secretName },
      });
    expect((await send('known')).status).toBe(201);
    const refused = await send('other');
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain(
      'volume with secret.secretName="other" is not allowed because service account strict does not reference that secret',
    );
  });
});
