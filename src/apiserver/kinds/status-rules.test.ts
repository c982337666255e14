import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asString, getPath, type JsonObject } from '../values/json.ts';

const selector = { matchLabels: { a: 'b' } };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const apps = '/apis/apps/v1/namespaces/default';
const core = '/api/v1/namespaces/default';
const jobs = '/apis/batch/v1/namespaces/default/jobs';

describe('what is written has to make sense', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
  });
  afterAll(() => server?.stop());

  const messageOf = (body: JsonObject) => asString(getPath(body, 'message'));

  it('no more replicas are ready than there are', async () => {
    await client.post(`${apps}/deployments`, { metadata: { name: 'd' }, spec: { selector, template } });
    const status = { replicas: 1, readyReplicas: 5 };
    const wrong = await client.patch(`${apps}/deployments/d/status`, { status });
    expect(messageOf(wrong.body)).toContain(
      'status.readyReplicas: Invalid value: 5: cannot be greater than status.replicas',
    );
    expect((await client.patch(`${apps}/deployments/d/status`, { status: { ...status, replicas: 5 } })).status).toBe(
      200,
    );
  });

  it('a job is complete when its criteria were met and its time is known, and stays complete', async () => {
    const spec = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
    await client.post(jobs, { metadata: { name: 'j' }, spec });
    const complete = { type: 'Complete', status: 'True' };
    const early = await client.patch(`${jobs}/j/status`, { status: { active: 1, conditions: [complete] } });
    expect(messageOf(early.body)).toBe(
      'Job.batch "j" is invalid: [status.completionTime: Required value: completionTime is required for Complete jobs, status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition, status.active: Invalid value: 1: active>0 is invalid for finished job, status.startTime: Required value: startTime is required for finished job]',
    );
    const status = {
      startTime: '2024-01-01T00:00:00Z',
      completionTime: '2024-01-01T00:01:00Z',
      succeeded: 1,
      conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }, complete],
    };
    expect((await client.patch(`${jobs}/j/status`, { status })).status).toBe(200);
    const undone = await client.patch(`${jobs}/j/status`, { status: { conditions: null, completionTime: null } });
    expect(messageOf(undone.body)).toContain('cannot disable the terminal Complete=True condition');
  });

  it('a StatefulSet mounts the volumes of its claim templates', async () => {
    const container = { name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const spec = {
      selector,
      serviceName: 's',
      template: { ...template, spec: { containers: [container] } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
    };
    expect((await client.post(`${apps}/statefulsets`, { metadata: { name: 's' }, spec })).status).toBe(201);
    const { volumeClaimTemplates: _claims, ...without } = spec;
    expect((await client.post(`${apps}/statefulsets`, { metadata: { name: 't' }, spec: without })).status).toBe(422);
  });

  it('a node keeps the status that it is created with', async () => {
    const status = { conditions: [{ type: 'Ready', status: 'True' }], capacity: { cpu: '2' } };
    await client.post('/api/v1/nodes', { metadata: { name: 'n' }, status });
    const { body } = await client.get('/api/v1/nodes/n');
    expect(body.status).toMatchObject({ ...status, allocatable: { cpu: '2' } });
  });

  it('a pod has the priority of its class, or of the default one', async () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const pod = (name: string, more: JsonObject = {}) =>
      client.post(`${core}/pods`, { metadata: { name }, spec: { ...template.spec, ...more } });
    const unknown = await pod('unknown', { priorityClassName: 'high' });
    expect([unknown.status, messageOf(unknown.body)]).toEqual([
      403,
      'pods "unknown" is forbidden: no PriorityClass with name high was found',
    ]);
    await client.post(classes, { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' });
    expect((await pod('p', { priorityClassName: 'high' })).body.spec).toMatchObject({
      priority: 1000,
      preemptionPolicy: 'Never',
    });
    expect((await pod('other', { priorityClassName: 'high', priority: 5 })).status).toBe(403);
    await client.post(classes, { metadata: { name: 'usual' }, value: 7, globalDefault: true });
    expect((await pod('q')).body.spec).toMatchObject({ priority: 7, priorityClassName: 'usual' });
    const second = await client.post(classes, { metadata: { name: 'second' }, value: 8, globalDefault: true });
    expect(second.status).toBe(403);
  });

  it('a claim grows when it is bound and its class lets it', async () => {
    const classes = '/apis/storage.k8s.io/v1/storageclasses';
    await client.post(classes, { metadata: { name: 'fixed' }, provisioner: 'x' });
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'fixed' };
    const sized = (storage: string) => ({ resources: { requests: { storage } } });
    await client.post(`${core}/persistentvolumeclaims`, {
      metadata: { name: 'c' },
      spec: { ...spec, ...sized('1Gi') },
    });
    const path = `${core}/persistentvolumeclaims/c`;
    expect((await client.patch(path, { spec: sized('2Gi') })).status).toBe(422);
    await client.patch(`${path}/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
    expect((await client.patch(path, { spec: sized('2Gi') })).status).toBe(403);
    await client.patch(`${classes}/fixed`, { allowVolumeExpansion: true });
    expect((await client.patch(path, { spec: sized('2Gi') })).status).toBe(200);
    expect(messageOf((await client.patch(path, { spec: sized('1Gi') })).body)).toContain(
      'field can not be less than status.capacity',
    );
  });

  it('an owner that is named twice is kept once, with a warning', async () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' };
    const metadata = { name: 'owned', ownerReferences: [owner, owner] };
    const { body, headers } = await client.post(`${core}/configmaps?dryRun=All`, { metadata });
    expect(getPath(body, 'metadata', 'ownerReferences')).toEqual([owner]);
    expect(headers.get('warning')).toContain('duplicate UID(s) observed: u');
  });
});
