import { fileURLToPath } from 'node:url';
import {
  Cluster,
  DeltaFIFO,
  DerivedInformer,
  Indexer,
  InformerController,
  InOrderQueue,
  ListWatch,
  MutationDetector,
  Reflector,
  retryOnConflict,
  SharedIndexInformer,
  SharedInformerFactory,
  Store,
  silentLogger,
  waitForCacheSync,
} from 'tidewatch';
import { configMaps, pods } from 'tidewatch/api/core/v1';
import { EventRecorder, HealthServer, LeaderElector, Manager } from 'tidewatch/controller';
import { serveInspector } from 'tidewatch/inspector';
import {
  ApiServer,
  ControllerTest,
  ControlPlane,
  reconcileOnce,
  runKubectl,
  startControllerManager,
  WebhookServer,
} from 'tidewatch/testing';
import {
  BucketLimiter,
  DelayingQueue,
  defaultRateLimiter,
  ExponentialLimiter,
  FastSlowLimiter,
  PriorityQueue,
  RateLimitingQueue,
  WorkQueue,
} from 'tidewatch/workqueue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DoorReader } from '../tools/docs/door.ts';

const DOORS = ['index', 'client-node/index', 'controller/index', 'inspector/index', 'metrics/index', 'testing/index'];
const reader = new DoorReader(
  fileURLToPath(new URL('..', import.meta.url)),
  [...DOORS, 'workqueue/index'].map((door) => `src/${door}.ts`),
);

/** Whatever takes options without a look at their names, and why. */
const UNCHECKED = new Map([
  ['ApiServer#begin', 'ApiServer.start checks them'],
  ['new ApiServer', 'ApiServer.start checks them'],
  ['new PodClient', 'cluster.client makes them'],
  ['ControlPlane#kubectl', 'runKubectl checks them'],
  ['new BucketLimiter: clock', 'a clock, or a part of one'],
  ['new IndexError', 'made by the library'],
  ['new KubeconfigError', 'made by the library'],
  ['DelayingQueue#get', 'called for each item'],
  ['PriorityQueue#add', 'called for each item'],
  ['PriorityQueue#addAfter', 'called for each item'],
  ['PriorityQueue#addRateLimited', 'called for each item'],
  ['PriorityQueue#get', 'called for each item'],
  ['RateLimitingQueue#get', 'called for each item'],
  ['WorkQueue#get', 'called for each item'],
]);

// biome-ignore lint/suspicious/noExplicitAny: what JavaScript lets through, whatever the types say
type Any = any;
type Probe = (options: Any) => unknown;

const server = await ApiServer.start({ listen: false, logger: silentLogger });
const cluster = server.cluster({ logger: silentLogger });
const factory = new SharedInformerFactory(cluster, { namespace: 'default', logger: silentLogger });
const informer = factory.for(configMaps).informer();
const selection = factory.for(configMaps).select({});
const handler = { onAdd: () => {} };
const named = { metadata: { name: 'web' } };
const builder = () => new Manager(cluster).controller('one') as Any;

/** What stands before the options. */
const CLIENT_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  apply: [named],
  attach: ['web'],
  create: [named],
  delete: ['web'],
  deleteCollection: [],
  dial: ['web', 80],
  exec: ['web', ['ls']],
  get: ['web'],
  list: [],
  listAll: [],
  listPages: [],
  logs: ['web'],
  logsOf: [''],
  patch: ['web', {}],
  patchStatus: [named, {}],
  portForward: ['web', 80],
  update: [named],
  waitUntil: ['web', () => true],
  watch: [],
};
const INFORMER_CALLS: Readonly<Record<string, readonly unknown[]>> = {
  addEventHandler: [handler],
  events: [],
  run: [],
  states: [],
  waitFor: ['1'],
  waitForSync: [],
  waitUntil: ['default/web', () => true],
};

function calls(name: string, target: Any, before: Readonly<Record<string, readonly unknown[]>>): [string, Probe][] {
  return Object.entries(before).map(([method, args]) => [
    `${name}#${method}`,
    (options) => target[method](...args, options),
  ]);
}

const PROBES = new Map<string, Probe>([
  ...calls('Client', cluster.client(configMaps), CLIENT_CALLS),
  ...calls('PodClient', cluster.client(pods), CLIENT_CALLS),
  ...calls('SharedIndexInformer', informer, INFORMER_CALLS),
  ...calls('DerivedInformer', selection, INFORMER_CALLS),
  ...calls('Discovery', cluster.discovery, { failures: [], find: ['pods'], preferredResources: [], resources: [] }),
  ...calls('SharedInformerFactory', factory, {
    for: [configMaps],
    forMetadata: [configMaps],
    forResource: [{ group: '', version: 'v1', resource: 'pods' }],
    health: [],
    start: [],
    waitForCacheSync: [],
  }),
  ...calls('FaultPlan', server.faults, { add: [{}, { kind: 'drop' }] }),
  ...calls('ApiServer', server, { cluster: [], disconnectWatches: [], transport: [] }),
  ['Client#delete: preconditions', (preconditions) => cluster.client(pods).delete('web', { preconditions })],
  ['FactoryNamespaces#add', (options) => factory.namespaces.add('default', options)],
  ['ResourceInformer#select', (options) => factory.for(configMaps).select(options)],
  ['FaultPlan#add FaultMatch', (match) => server.faults.add(match, { kind: 'drop' })],
  ['FaultPlan#script', (match) => server.faults.script(match, [{ kind: 'drop' }])],
  ['Access#deny', (match) => server.access.deny(match)],
  ['ApiServer.start', (options) => ApiServer.start(options)],
  ['Cluster#allowed', (options) => cluster.allowed(options)],
  ['Cluster#client', (options) => cluster.client(configMaps, options)],
  ['Cluster.connect', (options) => Cluster.connect(options)],
  ['Cluster.connect: impersonate', (impersonate) => Cluster.connect({ impersonate })],
  ['Cluster.from', (options) => Cluster.from({} as Any, options)],
  ['Cluster.over', (options) => Cluster.over(cluster.transport, options)],
  ['ControlPlane#kubeconfig', (options) => ControlPlane.prototype.kubeconfig.call({} as Any, options)],
  ['ControlPlane.start', (options) => ControlPlane.start(options)],
  ['ControllerBuilder#for', (options) => builder().for(configMaps, options)],
  ['ControllerBuilder#owns', (options) => builder().for(configMaps).owns(pods, options)],
  [
    'ControllerBuilder#watches',
    (options) =>
      builder()
        .for(configMaps)
        .watches(pods, () => [], options),
  ],
  [
    'ControllerBuilder#reconcile',
    (options) =>
      builder()
        .for(configMaps)
        .reconcile(() => {}, options),
  ],
  ['ControllerTest#settle', (options) => ControllerTest.prototype.settle.call({} as Any, options)],
  ['ControllerTest.start', (options) => ControllerTest.start(() => {}, options)],
  ['LeaderElector#run', (options) => new LeaderElector(cluster, { name: 'one' }).run(options)],
  ['ListWatch.for', (scope) => ListWatch.for(cluster, configMaps, scope)],
  ['Manager#run', (options) => new Manager(cluster).run(options)],
  ['WebhookServer.start', (handlers) => WebhookServer.start(handlers)],
  ['defaultRateLimiter', (options) => defaultRateLimiter(options)],
  ['new BucketLimiter', (options) => new BucketLimiter(options)],
  ['new DelayingQueue', (options) => new DelayingQueue(options)],
  ['new DeltaFIFO', (options) => new DeltaFIFO(options)],
  ['new DerivedInformer', (options) => new DerivedInformer(informer, options)],
  ['new EventRecorder', (options) => new EventRecorder(options)],
  ['new ExponentialLimiter', (options) => new ExponentialLimiter(options)],
  ['new FastSlowLimiter', (options) => new FastSlowLimiter(options)],
  ['new HealthServer', (options) => new HealthServer(options)],
  ['new InOrderQueue', (options) => new InOrderQueue(options)],
  ['new Indexer', (options) => new Indexer(options)],
  ['new InformerController', (options) => new InformerController(options)],
  ['new InformerController: backoff', (backoff) => new InformerController({ backoff } as Any)],
  ['new LeaderElector', (options) => new LeaderElector(cluster, options)],
  ['new ListWatch', (options) => new ListWatch(options)],
  ['new Manager', (options) => new Manager(cluster, options)],
  ['new Manager: health', (health) => new Manager(cluster, { health })],
  ['new Manager: leaderElection', (leaderElection) => new Manager(cluster, { leaderElection })],
  ['new Manager: sharding', (sharding) => new Manager(cluster, { sharding })],
  ['new MutationDetector', (options) => new MutationDetector(options)],
  ['new PriorityQueue', (options) => new PriorityQueue(options)],
  ['new RateLimitingQueue', (options) => new RateLimitingQueue(options)],
  ['new Reflector', (options) => new Reflector(options)],
  ['new SharedIndexInformer', (options) => new SharedIndexInformer(options)],
  ['new SharedInformerFactory', (options) => new SharedInformerFactory(cluster, options)],
  ['new SharedInformerFactory: snapshot', (snapshot) => new SharedInformerFactory(cluster, { snapshot })],
  ['new Store', (options) => new Store(options)],
  ['new WorkQueue', (options) => new WorkQueue(options)],
  ['reconcileOnce', (options) => reconcileOnce(() => {}, [], options)],
  ['retryOnConflict', (options) => retryOnConflict(() => {}, options)],
  ['runKubectl', (options) => runKubectl([], options)],
  ['serveInspector', (options) => serveInspector(options)],
  ['startControllerManager', (options) => startControllerManager(options)],
  ['waitForCacheSync', (options) => waitForCacheSync([], options)],
]);

const parameters = reader.optionParameters();

afterAll(async () => {
  await factory.shutdown();
  await cluster.close();
  await server.stop();
});

describe('an option that is misspelt', () => {
  beforeAll(() => factory.start());

  const checked = parameters.filter(
    ({ call, type }) => !UNCHECKED.has(call) && !/^FaultPlan#add \{/.test(`${call} ${type}`),
  );

  it.each(checked.map(({ call, type, options }) => [call, type, options] as const))(
    'is a TypeError of %s (%s), which names the one that was meant',
    async (call, type, options) => {
      const meant = options.map(({ name }) => name).sort((a, b) => b.length - a.length)[0] ?? '';
      const probe = PROBES.get(`${call} ${type}`) ?? PROBES.get(call);
      if (probe === undefined) throw new Error(`${call} takes options: write the call into PROBES`);
      const made = async () => await probe({ [`${meant}x`]: undefined });
      await expect(made()).rejects.toThrow(TypeError);
      await expect(made()).rejects.toThrow(`there is no option "${meant}x": did you mean "${meant}"?`);
    },
  );

  it('is looked for wherever there are options: what is listed here takes some', () => {
    const known = new Set(parameters.map(({ call }) => call));
    expect([...UNCHECKED.keys()].filter((call) => !known.has(call))).toEqual([]);
    expect(parameters.length).toBeGreaterThan(120);
  });
});

describe('a secret', () => {
  it.each<[string, Probe]>([
    ['a number in the place of a token', () => Cluster.connect({ token: 271828 as Any })],
    ['a token in the place of all options', () => Cluster.connect('271828' as Any)],
    ['a number in the place of the token of a cluster in process', () => server.cluster({ token: 271828 as Any })],
    ['a kubeconfig in a list of paths', () => Cluster.connect({ kubeconfig: ['users: []\n# 271828\n'] })],
    ['a kubeconfig as bytes', () => Cluster.connect({ kubeconfig: Buffer.from('# 271828\n') as Any })],
    ['a kubeconfig in KUBECONFIG', () => Cluster.connect({ env: { KUBECONFIG: 'users: []\n# 271828\n' } })],
  ])('is not in the message about it: %s', async (_, probe) => {
    const failure: Error = await Promise.resolve()
      .then(() => probe(undefined))
      .then(
        () => new Error('nothing was thrown'),
        (error) => error,
      );
    expect(failure.message).toMatch(/must be|must hold/);
    expect(failure.message).not.toContain('271828');
  });
});
