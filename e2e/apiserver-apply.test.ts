import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { makeNamespace, sharedControlPlane } from './shared-control-plane-fixture.ts';

const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

/** One request. `path` is below the namespace unless it begins with a slash. */
interface Step {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  type?: string;
  /** A function gets the answer to the step before. */
  body?: JsonValue | ((last: JsonObject) => JsonValue);
  query?: string;
}

interface Answer {
  status: number;
  body: JsonObject;
}

/** A server to be asked: the real one, or ours. */
class Server {
  readonly #url: string;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(url: string, ca: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#agent = new Agent({ connect: { ca } });
  }

  async send({ method, path, type = 'application/json', query = '' }: Step, body?: JsonValue): Promise<Answer> {
    const response = await request(`${this.#url}${path}?${query}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': type, 'user-agent': 'tester/1.0' },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.body.text();
    // A path that leads nowhere is answered in plain text.
    return { status: response.statusCode, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { text } };
  }

  async play(namespace: string, steps: readonly Step[]): Promise<unknown[]> {
    const answers: unknown[] = [];
    let last: JsonObject = {};
    for (const step of steps) {
      const body = typeof step.body === 'function' ? step.body(structuredClone(last)) : step.body;
      const answer = await this.send({ ...step, path: fullPath(namespace, step.path) }, body);
      last = answer.body;
      const what = `${step.method} ${step.path} ${step.type ?? ''} ${step.query ?? ''}`;
      answers.push({ what, status: answer.status, body: comparable(answer.body) });
    }
    return answers;
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

/** `apps/v1 deployments/web` and `configmaps/x` are below the namespace. */
function fullPath(namespace: string, path: string): string {
  if (path.startsWith('/')) return path;
  const [first = '', rest] = path.split(' ');
  return rest === undefined
    ? `/api/v1/namespaces/${namespace}/${first}`
    : `/apis/${first}/namespaces/${namespace}/${rest}`;
}

function ownerOf({ manager, operation, subresource }: JsonObject): string {
  return `${asString(manager)} ${asString(operation)} ${asString(subresource)}`;
}

/** Without what differs from server to server, or from run to run. */
function comparable(body: JsonObject): JsonObject {
  const copy = structuredClone(body);
  const metadata = asObject(copy.metadata);
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp']) {
    if (metadata[field] !== undefined) metadata[field] = 'some';
  }
  for (const entry of asArray(metadata.managedFields).map(asObject)) {
    if (entry.time !== undefined) entry.time = 'some';
  }
  // Entries are in the order of their times, and a second may begin anywhere.
  asArray(metadata.managedFields).sort((a, b) => (ownerOf(asObject(a)) < ownerOf(asObject(b)) ? -1 : 1));
  const spec = asObject(copy.spec);
  if (asString(spec.clusterIP) !== '') Object.assign(spec, { clusterIP: 'some', clusterIPs: ['some'] });
  // The real server goes through managers in no order.
  asArray(asObject(copy.details).causes).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return copy;
}

const apply = (path: string, manager: string, body: JsonObject, query = ''): Step => ({
  method: 'PATCH',
  path,
  type: APPLY,
  body,
  query: `fieldManager=${manager}${query}`,
});
const FORCE = '&force=true';
const patch = (path: string, type: string, body: JsonValue, manager = ''): Step => ({
  method: 'PATCH',
  path,
  type,
  body,
  query: manager === '' ? '' : `fieldManager=${manager}`,
});
const create = (path: string, body: JsonObject, manager = ''): Step => ({
  method: 'POST',
  path,
  body,
  query: manager === '' ? '' : `fieldManager=${manager}`,
});
const put = (path: string, change: (last: JsonObject) => void): Step => ({
  method: 'PUT',
  path,
  body: (last) => {
    change(last);
    return last;
  },
});

function configMap(name: string, data?: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...(data ? { data } : {}) };
}

function deployment(name: string, spec: JsonObject = {}, containers?: JsonValue): JsonObject {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: containers ?? [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80 }] }] },
  };
  const selector = { matchLabels: { app: 'web' } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: 'web' } },
    spec: { replicas: 2, selector, template, ...spec },
  };
}

function service(name: string, ports: JsonValue): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { app: 'web' }, ports } };
}

const WEB = 'apps/v1 deployments/web';
const THINGS = 'apply.example.com/v1 things';

const THING_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        mode: { type: 'string', default: 'plain' },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, v: { type: 'string' } },
          },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        whole: { type: 'array', items: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        colour: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' } } },
  },
};

const THING_DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.apply.example.com' },
  spec: {
    group: 'apply.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: THING_SCHEMA },
      },
    ],
  },
};

const thing = (rest: JsonObject): JsonObject => ({
  apiVersion: 'apply.example.com/v1',
  kind: 'Thing',
  metadata: { name: 't' },
  ...rest,
});

const lastApplied = (object: JsonObject): JsonObject => ({
  'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(object)}\n`,
});

const STORIES: Record<string, Step[]> = {
  'a deployment that many managers write to': [
    create('apps/v1 deployments', deployment('web')),
    patch(WEB, STRATEGIC, { spec: { template: { spec: { containers: [{ name: 'side', image: 'x' }] } } } }, 'injector'),
    patch(WEB, MERGE, { metadata: { labels: { tier: 'b' } } }, 'labeller'),
    patch(WEB, JSON_PATCH, [{ op: 'replace', path: '/spec/replicas', value: 5 }], 'patcher'),
    patch(`${WEB}/scale`, MERGE, { spec: { replicas: 7 } }, 'scaler'),
    { method: 'GET', path: WEB },
    patch(`${WEB}/status`, MERGE, { status: { replicas: 3, readyReplicas: 1 } }, 'controller'),
    apply(WEB, 'one', deployment('web')),
    apply(WEB, 'one', deployment('web'), FORCE),
    apply(WEB, 'one', deployment('web')),
    apply(WEB, 'two', deployment('web')),
    apply(WEB, 'two', deployment('web', { replicas: 9 }, [{ name: 'web', image: 'other' }])),
    apply(WEB, 'one', deployment('web', {}, [{ name: 'web', image: 'nginx' }])),
    apply(WEB, 'two', deployment('web', {}, [{ name: 'web', image: 'nginx' }])),
  ],
  'a deployment that apply creates': [
    apply(WEB, 'one', deployment('web')),
    apply(`${WEB}/status`, 'ctl', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      status: { replicas: 1 },
    }),
    apply(`${WEB}/status`, 'other', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      status: { replicas: 2 },
    }),
    apply(WEB, 'one', deployment('web', { foo: 1 })),
    apply(WEB, 'one', deployment('web', { replicas: 'x' })),
    apply(
      WEB,
      'one',
      deployment('web', {}, [
        { name: 'web', image: 'a' },
        { name: 'web', image: 'b' },
      ]),
    ),
    apply(WEB, 'one', { ...deployment('web'), metadata: { name: 'web', managedFields: [] } }),
    apply(WEB, 'one', { ...deployment('web'), kind: 'Foo' }),
    apply(WEB, 'one', { ...deployment('web'), apiVersion: 'apps/v2' }),
    { ...apply(WEB, 'one', deployment('web')), query: '' },
    { ...patch(WEB, MERGE, {}), query: 'force=true&fieldManager=x' },
    patch(WEB, STRATEGIC, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
    { method: 'GET', path: WEB },
  ],
  'ports of a service, by number and protocol': [
    apply(
      'services/web',
      'one',
      service('web', [
        { name: 'http', port: 80 },
        { name: 'https', port: 443 },
      ]),
    ),
    apply('services/web', 'two', service('web', [{ name: 'dns', port: 53, protocol: 'UDP' }])),
    apply('services/web', 'one', service('web', [{ name: 'https', port: 443 }])),
    apply(
      'services/web',
      'three',
      service('web', [
        { name: 'x', port: 53, protocol: 'UDP' },
        { name: 'y', port: 443 },
      ]),
    ),
    create('services', service('posted', [{ port: 80 }])),
  ],
  'finalizers, owners and keys of a map': [
    apply('configmaps/c', 'one', configMap('c', { a: '1', b: '2' }, { finalizers: ['example.com/a'] })),
    apply('configmaps/c', 'two', configMap('c', { c: '3' }, { finalizers: ['example.com/b', 'example.com/a'] })),
    apply('configmaps/c', 'one', configMap('c', { a: '1' })),
    apply('configmaps/c', 'one', configMap('c')),
    patch('configmaps/c', STRATEGIC, {
      metadata: {
        '$deleteFromPrimitiveList/finalizers': ['example.com/a'],
        '$setElementOrder/finalizers': ['example.com/c', 'example.com/b'],
        finalizers: ['example.com/c'],
      },
    }),
    patch('configmaps/c', MERGE, { data: null, metadata: { finalizers: null } }, 'cleaner'),
  ],
  'owners that are reset': [
    create('configmaps', configMap('c', { a: '1' })),
    put('configmaps/c', (last) => {
      asObject(last.metadata).managedFields = [];
    }),
    patch('configmaps/c', MERGE, { data: { b: '2' } }, 'untracked'),
    apply('configmaps/c', 'one', configMap('c', { a: '9' })),
    apply('configmaps/c', 'one', configMap('c', { a: '9' }), FORCE),
    put('configmaps/c', (last) => {
      asObject(last.metadata).managedFields = [{}];
    }),
  ],
  'from client-side to server-side apply': [
    create(
      'configmaps',
      configMap('c', { a: '1', b: '2' }, { annotations: lastApplied(configMap('c', { a: '1', b: '2' })) }),
      'kubectl-client-side-apply',
    ),
    apply('configmaps/c', 'kubectl', configMap('c', { a: 'x', b: '2' })),
    patch('configmaps/c', MERGE, { data: { b: '7' } }, 'other'),
    apply('configmaps/c', 'kubectl', configMap('c', { a: 'y', b: '2' })),
    apply('configmaps/c', 'kubectl', configMap('c', { a: 'y', b: '2' }), FORCE),
  ],
  'more managers than are kept': [
    create('configmaps', configMap('c', { k: '' }), 'a'),
    ...Array.from({ length: 12 }, (_, index) =>
      patch('configmaps/c', MERGE, { data: { [`k${index}`]: '' } }, `m${index + 10}`),
    ),
  ],
  'patches that do not fit': [
    create('configmaps', configMap('c', { k: '1' })),
    create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    }),
    patch('configmaps/c', JSON_PATCH, [{ op: 'test', path: '/data/k', value: '2' }]),
    patch('configmaps/c', JSON_PATCH, [{ op: 'zap', path: '/data' }]),
    patch('configmaps/c', JSON_PATCH, [{ op: 'remove', path: '/data/nothing' }]),
    patch('configmaps/c', JSON_PATCH, {}),
    patch('configmaps/c', JSON_PATCH, ['x']),
    patch('configmaps/c', JSON_PATCH, [{ op: 'add', path: 1 }]),
    patch(
      'configmaps/c',
      JSON_PATCH,
      Array<JsonObject>(10_001).fill({ op: 'test', path: '/kind', value: 'ConfigMap' }),
    ),
    patch('configmaps/c', MERGE, []),
    patch('configmaps/c', STRATEGIC, []),
    patch('configmaps/c', STRATEGIC, { $patch: 'zap' }),
    patch('configmaps/c', STRATEGIC, { metadata: { '$setElementOrder/finalizers': 'x' } }),
    patch('configmaps/c', STRATEGIC, { metadata: { $retainKeys: 'x' } }),
    patch('configmaps/c', STRATEGIC, { metadata: { $deleteFromPrimitiveList: ['x'] } }),
    patch('pods/p', STRATEGIC, { spec: { containers: [{ image: 'x' }] } }),
    patch('configmaps/nothing', MERGE, {}),
    { method: 'GET', path: 'configmaps/c' },
  ],
};

const THING_STORY: Step[] = [
  apply(
    `${THINGS}/t`,
    'one',
    thing({
      spec: {
        size: 1,
        items: [{ name: 'a', v: '1' }, { name: 'b' }],
        tags: ['x', 'y'],
        whole: ['p'],
        free: { q: { w: 1 }, l: [1] },
        colour: { r: '1' },
      },
    }),
  ),
  apply(`${THINGS}/t`, 'two', thing({ spec: { items: [{ name: 'c', v: '1' }], tags: ['z'], free: { q: { e: 1 } } } })),
  apply(
    `${THINGS}/t`,
    'three',
    thing({
      spec: {
        size: 2,
        items: [{ name: 'a', v: '2' }],
        whole: ['p', 'q'],
        free: { q: { w: 2 }, l: [2] },
        colour: { r: '1', g: '2' },
      },
    }),
  ),
  apply(`${THINGS}/t`, 'one', thing({ spec: { size: 1, items: [{ name: 'b' }] } })),
  apply(`${THINGS}/t/status`, 'ctl', thing({ metadata: { name: 't', labels: { x: 'y' } }, status: { ready: 1 } })),
  apply(`${THINGS}/t`, 'one', thing({ spec: { unknown: 1 } })),
  patch(`${THINGS}/t`, MERGE, { spec: { size: 3 } }),
  patch(`${THINGS}/t`, JSON_PATCH, [{ op: 'remove', path: '/spec/tags' }]),
  patch(`${THINGS}/t`, STRATEGIC, { spec: { size: 4 } }),
  create(THINGS, { ...thing({ spec: { size: 1, tags: ['a'] } }), metadata: { name: 'u' } }),
];

describe('patches and applies get the same answers from the embedded server and the real one', () => {
  let embedded: ApiServer;
  let ours: Server;
  let real: Server;

  beforeAll(async () => {
    const plane = sharedControlPlane();
    real = new Server(plane.server, plane.ca, plane.token);
    embedded = await ApiServer.start();
    ours = new Server(embedded.url, embedded.ca ?? '', embedded.token ?? '');
  });

  afterAll(async () => {
    await Promise.all([real.close(), ours.close()]);
    await embedded.stop();
  });

  it.each(Object.entries(STORIES))('%s', async (_name, steps) => {
    await compare(steps);
  });

  it('a custom resource', async () => {
    try {
      for (const server of [real, ours]) await defineThings(server);
      await compare(THING_STORY);
    } finally {
      await real.send({ method: 'DELETE', path: `${DEFINITIONS}/things.apply.example.com` });
    }
  });

  async function compare(steps: readonly Step[]): Promise<void> {
    const namespace = await makeNamespace('apply');
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await ours.send({ method: 'POST', path: '/api/v1/namespaces' }, body);
    const expected = await real.play(namespace, steps);
    expect(await ours.play(namespace, steps)).toEqual(expected);
  }
});

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function defineThings(server: Server): Promise<void> {
  await server.send({ method: 'POST', path: DEFINITIONS }, THING_DEFINITION);
  const list: Step = { method: 'GET', path: '/apis/apply.example.com/v1/things' };
  for (let tries = 0; (await server.send(list)).status !== 200; tries++) {
    if (tries === 100) throw new Error('the custom resource was not served within ten seconds');
    await sleep(100);
  }
}
