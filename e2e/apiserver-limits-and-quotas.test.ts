import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { getPath, type JsonObject } from '../src/apiserver/values/json.ts';
import { type Answered, type AskedRequest, EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const ns = `quotas-${process.pid}`;
const core = `/api/v1/namespaces/${ns}`;
const post = (path: string, body: JsonObject): AskedRequest => ({ method: 'POST', path, body });
const get = (path: string): AskedRequest => ({ method: 'GET', path });
let pods = 0;
const pod = (resources: JsonObject, spec: JsonObject = {}, init?: JsonObject): AskedRequest =>
  post(`${core}/pods`, {
    metadata: { name: `p${pods++}` },
    spec: {
      containers: [{ name: 'c', image: 'i', resources }],
      ...(init ? { initContainers: [{ name: 'i', image: 'i', resources: init }] } : {}),
      ...spec,
    },
  });
const claim = (storage: string, spec: JsonObject = {}): AskedRequest =>
  post(`${core}/persistentvolumeclaims`, {
    metadata: { name: `c${pods++}` },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...spec },
  });
const range = (name: string, ...limits: JsonObject[]): AskedRequest =>
  post(`${core}/limitranges`, { metadata: { name }, spec: { limits } });
const unrange = (name: string): AskedRequest => ({ method: 'DELETE', path: `${core}/limitranges/${name}` });

/** No controller manager counts here: the status is written by hand, on both servers. */
const quota = (name: string, spec: JsonObject, used: JsonObject): AskedRequest[] => [
  post(`${core}/resourcequotas`, { metadata: { name }, spec }),
  {
    method: 'PATCH',
    path: `${core}/resourcequotas/${name}/status`,
    type: 'application/merge-patch+json',
    body: { status: { hard: (spec.hard ?? {}) as JsonObject, used } },
  },
];
const unquota = (name: string): AskedRequest => ({ method: 'DELETE', path: `${core}/resourcequotas/${name}` });
const small = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } };
const service = (name: string, spec: JsonObject): AskedRequest =>
  post(`${core}/services?dryRun=All`, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

const REQUESTS: AskedRequest[] = [
  post('/api/v1/namespaces', { metadata: { name: ns } }),
  range('defaults', { type: 'Container', default: { cpu: '300m', memory: '200Mi' }, defaultRequest: { cpu: '100m' } }),
  pod({}),
  pod({ limits: { cpu: '1' } }, {}, {}),
  pod({ requests: { cpu: '50m', memory: '10Mi' } }),
  unrange('defaults'),
  range('bounds', {
    type: 'Container',
    min: { memory: '100Mi' },
    max: { memory: '1Gi' },
    maxLimitRequestRatio: { memory: '2' },
  }),
  pod({}),
  pod({ requests: { memory: '50Mi' }, limits: { memory: '60Mi' } }),
  pod({ requests: { memory: '100Mi' }, limits: { memory: '300Mi' } }),
  pod({ requests: { memory: '900Mi' }, limits: { memory: '2Gi' } }),
  pod({ requests: { memory: '600Mi' }, limits: { memory: '900Mi' } }, {}, { requests: { memory: '1Mi' } }),
  pod({ requests: { memory: '600Mi' }, limits: { memory: '900Mi' } }),
  unrange('bounds'),
  range('whole', { type: 'Pod', min: { cpu: '200m' }, max: { cpu: '1' } }),
  pod({}),
  pod({ requests: { cpu: '100m' }, limits: { cpu: '500m' } }),
  pod({ requests: { cpu: '100m' }, limits: { cpu: '500m' } }, {}, { requests: { cpu: '2' }, limits: { cpu: '3' } }),
  pod({ requests: { cpu: '300m' }, limits: { cpu: '500m' } }),
  unrange('whole'),
  range('claims', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } }),
  claim('500Mi'),
  claim('6Gi'),
  claim('2Gi'),
  unrange('claims'),
  ...quota('unknown', { hard: { pods: '5' } }, {}),
  pod({}),
  unquota('unknown'),
  ...quota(
    'compute',
    { hard: { pods: '5', 'requests.cpu': '250m', 'limits.memory': '1Gi' } },
    { pods: '1', 'requests.cpu': '0', 'limits.memory': '0' },
  ),
  pod({}),
  pod({ requests: { cpu: '1' }, limits: { memory: '2Gi' } }),
  pod(small),
  get(`${core}/resourcequotas/compute`),
  pod(small),
  pod(small),
  get(`${core}/resourcequotas/compute`),
  unquota('compute'),
  ...quota('ends', { hard: { pods: '1' }, scopes: ['Terminating'] }, { pods: '1' }),
  pod(small),
  pod(small, { activeDeadlineSeconds: 10 }),
  unquota('ends'),
  ...quota('effort', { hard: { pods: '1' }, scopes: ['BestEffort'] }, { pods: '1' }),
  pod(small),
  pod({}),
  unquota('effort'),
  ...quota(
    'priority',
    {
      hard: { pods: '0' },
      scopeSelector: {
        matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
      },
    },
    { pods: '0' },
  ),
  pod(small),
  unquota('priority'),
  ...quota(
    'objects',
    { hard: { 'count/deployments.apps': '0', configmaps: '2', secrets: '0', 'count/secrets': '5' } },
    { 'count/deployments.apps': '0', configmaps: '1', secrets: '0', 'count/secrets': '0' },
  ),
  post(`${core}/configmaps`, { metadata: { name: 'a' } }),
  post(`${core}/configmaps`, { metadata: { name: 'b' } }),
  post(`${core}/configmaps`, { metadata: { name: 'a' } }),
  post(`${core}/secrets`, { metadata: { name: 'a' } }),
  post(`/apis/apps/v1/namespaces/${ns}/deployments`, {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }),
  get(`${core}/resourcequotas/objects`),
  unquota('objects'),
  ...quota(
    'services',
    { hard: { services: '5', 'services.nodeports': '1', 'services.loadbalancers': '0' } },
    { services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' },
  ),
  service('plain', { clusterIP: 'None' }),
  service('ports', {
    type: 'NodePort',
    ports: [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ],
  }),
  service('balanced', { type: 'LoadBalancer' }),
  unquota('services'),
  ...quota(
    'storage',
    {
      hard: {
        persistentvolumeclaims: '3',
        'requests.storage': '3Gi',
        'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
      },
    },
    { persistentvolumeclaims: '0', 'requests.storage': '0', 'gold.storageclass.storage.k8s.io/requests.storage': '0' },
  ),
  claim('2Gi', { storageClassName: 'gold' }),
  claim('2Gi', { storageClassName: 'silver' }),
  claim('2Gi'),
  get(`${core}/resourcequotas/storage`),
];

describe('the embedded server and the real one hold clients to limits and quotas alike', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
  });
  afterAll(() => servers?.stop());

  /**
   * The caches of the real server learn of quotas and ranges a moment later. Until then, what is only tried is judged otherwise
   * than here, where nothing is cached. When it stays so, the test that follows tells the difference.
   */
  const judgedAlike = async (one: AskedRequest): Promise<void> => {
    const judgement = ({ status, body }: Answered) => [status, getPath(body, 'message'), getPath(body, 'spec')];
    const path = one.path.includes('dryRun') ? one.path : `${one.path}?dryRun=All`;
    await vi
      .waitFor(async () => {
        const { real, ours } = await servers.ask({ ...one, path });
        expect(judgement(ours)).toEqual(judgement(real));
      }, EVENTUALLY)
      .catch(() => undefined);
  };

  it.each(REQUESTS.map((one, index): [string, AskedRequest] => [`${index} ${one.method} ${one.path}`, one]))(
    '%s',
    async (_title, one) => {
      if (one.method === 'POST' && !/limitranges|resourcequotas/.test(one.path)) await judgedAlike(one);
      const { real, ours } = await servers.ask(one);
      expect(ours).toEqual(real);
    },
  );
});
