import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asString, getPath, type JsonObject } from '../values/json.ts';

const container = { name: 'c', image: 'nginx' };
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [container] } };
const selector = { matchLabels: { app: 'x' } };
const podDefaults = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
  securityContext: {},
};

/** What the server fills in, kind by kind: path, what is sent, what must then be there. */
const DEFAULTS: [string, JsonObject, JsonObject][] = [
  [
    '/api/v1/namespaces/default/pods',
    { spec: { containers: [{ ...container, image: 'nginx:1', ports: [{ containerPort: 80 }] }] } },
    {
      metadata: { generation: 1 },
      spec: {
        ...podDefaults,
        enableServiceLinks: true,
        priority: 0,
        containers: [
          {
            imagePullPolicy: 'IfNotPresent',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            resources: {},
            ports: [{ protocol: 'TCP' }],
          },
        ],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    },
  ],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    { spec: { selector, template } },
    {
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: { spec: { ...podDefaults, containers: [{ imagePullPolicy: 'Always' }] } },
      },
      status: {},
    },
  ],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    { spec: { selector, template } },
    { spec: { replicas: 1, podManagementPolicy: 'OrderedReady', updateStrategy: { rollingUpdate: { partition: 0 } } } },
  ],
  [
    '/apis/apps/v1/namespaces/default/daemonsets',
    { spec: { selector, template } },
    { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }, revisionHistoryLimit: 10 } },
  ],
  [
    '/apis/batch/v1/namespaces/default/jobs',
    { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } },
    { spec: { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false } },
  ],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      spec: {
        schedule: '@hourly',
        jobTemplate: { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } },
      },
    },
    { spec: { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 } },
  ],
  [
    '/api/v1/namespaces/default/services',
    { spec: { ports: [{ port: 80 }] } },
    {
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      },
      status: { loadBalancer: {} },
    },
  ],
  ['/api/v1/namespaces/default/secrets', { stringData: { a: 'b' } }, { type: 'Opaque', data: { a: 'Yg==' } }],
  [
    '/api/v1/namespaces/default/persistentvolumeclaims',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } },
    { spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Pending' } },
  ],
  [
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } } },
    { spec: { minReplicas: 1, metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80 } } }] } },
  ],
  ['/api/v1/nodes', {}, { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } }],
  [
    '/api/v1/namespaces',
    {},
    { metadata: { labels: { 'kubernetes.io/metadata.name': 'defaults' } }, spec: { finalizers: ['kubernetes'] } },
  ],
];

describe('the built-in kinds', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
  });

  afterAll(() => server.stop());

  it.each(DEFAULTS)('%s fills in what was left out', async (path, object, expected) => {
    const answer = await client.post(path, { metadata: { name: 'defaults' }, ...object });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject(expected);
  });

  it.each([
    ['/api/v1/namespaces/default/pods', {}, ['spec.containers']],
    [
      '/api/v1/namespaces/default/pods',
      {
        spec: { containers: [{ name: 'A' }, { name: 'b', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/' }] }] },
      },
      ['spec.containers[0].name', 'spec.containers[0].image', 'spec.containers[1].volumeMounts[0].name'],
    ],
    [
      '/apis/apps/v1/namespaces/default/deployments',
      { spec: { selector: { matchLabels: { app: 'y' } }, template } },
      ['spec.template.metadata.labels'],
    ],
    ['/apis/batch/v1/namespaces/default/jobs', { spec: { template } }, ['spec.template.spec.restartPolicy']],
    ['/api/v1/namespaces/default/services', { spec: { ports: [{ port: 0 }] } }, ['spec.ports[0].port']],
    ['/api/v1/namespaces/default/configmaps', { data: { 'a b': '1' } }, ['data[a b]']],
    ['/api/v1/namespaces/default/secrets', { type: 'kubernetes.io/tls' }, ['data[tls.crt]', 'data[tls.key]']],
    ['/apis/storage.k8s.io/v1/storageclasses', {}, ['provisioner']],
  ])('%s refuses %j for %j', async (path, object, fields) => {
    const { status, body } = await client.post(path, { metadata: { name: 'invalid' }, ...object });
    expect(status).toBe(422);
    const found = asArray(getPath(body, 'details', 'causes')).map((cause) => asString(getPath(cause, 'field')));
    expect(found).toEqual(expect.arrayContaining(fields));
  });

  it('tells the class of service of a pod by what its containers ask for', async () => {
    const classOf = async (name: string, resources: JsonObject) => {
      const body = { metadata: { name }, spec: { containers: [{ ...container, resources }] } };
      return getPath((await client.post('/api/v1/namespaces/default/pods', body)).body, 'status', 'qosClass');
    };
    expect(await classOf('q1', { limits: { cpu: '1', memory: '1Gi' } })).toBe('Guaranteed');
    expect(await classOf('q2', { requests: { cpu: '1' } })).toBe('Burstable');
    expect(await classOf('q3', {})).toBe('BestEffort');
  });

  it('gives each service an address of its own, and keeps it through updates', async () => {
    const services = '/api/v1/namespaces/default/services';
    const addresses = new Set<unknown>();
    for (let count = 0; count < 50; count++) {
      const { body } = await client.post(services, {
        metadata: { name: `s${count}` },
        spec: { ports: [{ port: 80 }] },
      });
      addresses.add(getPath(body, 'spec', 'clusterIP'));
    }
    expect(addresses.size).toBe(50);
    const [before] = [getPath((await client.get(`${services}/s1`)).body, 'spec', 'clusterIP')];
    const replaced = await client.put(`${services}/s1`, { metadata: { name: 's1' }, spec: { ports: [{ port: 81 }] } });
    expect(getPath(replaced.body, 'spec', 'clusterIP')).toBe(before);
    const node = await client.patch(`${services}/s1`, { spec: { type: 'NodePort' } });
    expect(getPath(asArray(getPath(node.body, 'spec', 'ports'))[0], 'nodePort')).toBeGreaterThanOrEqual(30_000);
    expect((await client.patch(`${services}/s1`, { spec: { clusterIP: '10.96.9.9' } })).status).toBe(422);
  });

  it('show one event in both of its groups, and one autoscaler in both of its versions', async () => {
    const core = '/api/v1/namespaces/default/events';
    const newer = '/apis/events.k8s.io/v1/namespaces/default/events';
    await client.post(core, {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'default' },
      message: 'hello',
      count: 3,
    });
    expect((await client.get(`${newer}/e`)).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Pod' },
      note: 'hello',
      deprecatedCount: 3,
    });
    const scalers = 'namespaces/default/horizontalpodautoscalers';
    await client.post(`/apis/autoscaling/v1/${scalers}`, {
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 60,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      },
    });
    expect((await client.get(`/apis/autoscaling/v2/${scalers}/h`)).body).toMatchObject({
      spec: { metrics: [{ resource: { target: { averageUtilization: 60 } } }] },
    });
    expect((await client.get(`/apis/autoscaling/v1/${scalers}/h`)).body).toMatchObject({
      spec: { targetCPUUtilizationPercentage: 60 },
    });
  });

  it('bind a pod to a node once', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    await client.post(pods, { metadata: { name: 'bound' }, spec: { containers: [container] } });
    const bind = () => client.post(`${pods}/bound/binding`, { metadata: { name: 'bound' }, target: { name: 'n1' } });
    expect((await bind()).status).toBe(201);
    expect((await bind()).body).toMatchObject({ code: 409, details: { kind: 'pods/binding' } });
    expect((await client.get(`${pods}/bound`)).body).toMatchObject({
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
  });
});
