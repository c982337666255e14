import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asArray, asObject, asString, getPath, type JsonObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { type RawAnswer, RawWebhooks, reviewed } from './raw-webhook-fixture.ts';
import { type AskedRequest, EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const ns = `conversion-${process.pid}`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** `spec.hostPort` of v1 is `spec.host` and `spec.port` of v2. */
function converted(value: JsonValue, apiVersion: string): JsonObject {
  const object = asObject(value);
  const spec = asObject(object.spec);
  if (apiVersion.endsWith('/v2')) {
    const [host = '', port = ''] = asString(spec.hostPort).split(':');
    return { ...object, apiVersion, spec: { host, port } };
  }
  return { ...object, apiVersion, spec: { hostPort: `${asString(spec.host)}:${asString(spec.port)}` } };
}

const desired = (review: JsonObject) => asString(getPath(review, 'request', 'desiredAPIVersion'));
const objects = (review: JsonObject) => asArray(getPath(review, 'request', 'objects'));
/** The right answer, with something done to each object. */
const right =
  (change: (object: JsonObject) => JsonObject = (object) => object): RawAnswer =>
  (review) =>
    reviewed(review, {
      convertedObjects: objects(review).map((object) => change(converted(object, desired(review)))),
      result: { status: 'Success' },
    });
const withMetadata = (metadata: JsonObject): RawAnswer =>
  right((object) => ({ ...object, metadata: { ...asObject(object.metadata), ...metadata } }));

const text = { type: 'string' };
const version = (name: string, storage: boolean, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { replicas: { type: 'integer' }, ...properties } },
        status: { type: 'object', properties: { replicas: { type: 'integer' }, ready: text } },
      },
    },
  },
  ...more,
});

/** One definition for each case: neither server remembers what another case has converted. */
function definition(group: string, conversion: JsonObject): JsonObject {
  return {
    metadata: { name: `sites.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'sites', kind: 'Site' },
      versions: [
        version('v1', true, { hostPort: text }),
        version(
          'v2',
          false,
          { host: text, port: { ...text, default: '80' } },
          {
            selectableFields: [{ jsonPath: '.spec.host' }],
            additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }],
          },
        ),
      ],
      conversion,
    },
  };
}

describe('conversion webhooks of the embedded server and a real one', () => {
  const hooks = { real: new RawWebhooks(), ours: new RawWebhooks() };
  let servers: TwoServers;
  let count = 0;

  beforeAll(async () => {
    await Promise.all([hooks.real.listen(), hooks.ours.listen()]);
    servers = await TwoServers.start();
    await servers.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: ns } } });
  });

  afterAll(async () => {
    await servers?.stop();
    await Promise.all([hooks.real.close(), hooks.ours.close()]);
  });

  const webhook = (side: 'real' | 'ours', more: JsonObject = {}): JsonObject => ({
    strategy: 'Webhook',
    webhook: { clientConfig: hooks[side].clientConfig('convert'), conversionReviewVersions: ['v1'], ...more },
  });
  const set = (answer: RawAnswer, status = 200) => {
    for (const hook of [hooks.real, hooks.ours]) hook.answers.set('convert', { answer, status });
  };

  /** A definition on both servers, served by both. */
  const served = async (more: JsonObject = {}) => {
    const group = `conversion-${process.pid}-${++count}.example.com`;
    const post = (side: 'real' | 'ours'): AskedRequest => ({
      method: 'POST',
      path: DEFINITIONS,
      body: definition(group, webhook(side, more)),
    });
    const made = [await servers.askReal(post('real')), await servers.askOurs(post('ours'))];
    expect(
      made.map(({ status }) => status),
      JSON.stringify(made),
    ).toEqual([201, 201]);
    const path = (of: string, rest = '') => `/apis/${group}/${of}/namespaces/${ns}/sites${rest}`;
    await vi.waitFor(async () => {
      for (const of of ['v1', 'v2']) {
        expect((await servers.askReal({ method: 'GET', path: path(of) })).status).toBe(200);
      }
    }, EVENTUALLY);
    const site = (of: string, name: string, spec: JsonObject): AskedRequest => ({
      method: 'POST',
      path: path(of),
      body: { apiVersion: `${group}/${of}`, kind: 'Site', metadata: { name }, spec },
    });
    return { group, path, site };
  };
  const plain = (value: unknown, group: string): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(group, 'GROUP')
        // Which of two clocks of the real server rings first is chance, and what it then says.
        .replace(' (Client.Timeout exceeded while awaiting headers)', '')
        .replace('net/http: request canceled', 'context deadline exceeded')
        // Columns are described in our own words.
        .replace(/"description":"[^"]*"/g, '"description":""')
        .replace(/127\.0\.0\.1:\d+/g, 'WEBHOOK'),
    );
  const same = async (group: string, request: AskedRequest): Promise<JsonValue> => {
    const { real, ours } = await servers.ask(request);
    expect(plain(ours, group), JSON.stringify(request)).toEqual(plain(real, group));
    return real.body;
  };

  it('show every version what the others have written', async () => {
    set(right());
    const { group, path, site } = await served();
    const merge = (of: string, name: string, body: JsonValue): AskedRequest => ({
      method: 'PATCH',
      path: path(of, `/${name}`),
      body,
      type: 'application/merge-patch+json',
    });
    const apply = (of: string, name: string, spec: JsonObject, query: string): AskedRequest => ({
      ...site(of, name, spec),
      method: 'PATCH',
      path: path(of, `/${name}?${query}`),
      type: 'application/apply-patch+yaml',
    });
    const requests: AskedRequest[] = [
      site('v2', 'a', { host: 'h', port: '1' }),
      { method: 'GET', path: path('v1', '/a') },
      { method: 'GET', path: path('v2', '/a') },
      site('v1', 'b', { hostPort: 'b:1' }),
      site('v2', 'b', { host: 'b', port: '1' }),
      { method: 'GET', path: path('v2', '/b') },
      site('v2', 'c', { host: 'c' }),
      { method: 'GET', path: path('v1', '/c') },
      merge('v1', 'a', { spec: { hostPort: 'other:2' } }),
      merge('v2', 'a', { spec: { port: '3' } }),
      merge('v2', 'a', { spec: { port: '3' } }),
      merge('v2', 'a', { metadata: { labels: { x: 'y' } }, status: { ready: 'no' } }),
      { ...merge('v2', 'a', { status: { ready: 'yes' }, spec: { host: 'not' } }), path: path('v2', '/a/status') },
      { method: 'GET', path: path('v1', '/a') },
      { method: 'GET', path: path('v2', '/a/scale') },
      { ...merge('v2', 'a', { spec: { port: '4' } }), path: path('v2', '/a?dryRun=All') },
      { method: 'GET', path: path('v2', '/a') },
      apply('v2', 'd', { host: 'd', port: '1' }, 'fieldManager=one'),
      apply('v2', 'd', { host: 'e', port: '1' }, 'fieldManager=one'),
      apply('v2', 'd', { host: 'f', port: '1' }, 'fieldManager=two'),
      apply('v1', 'e', { hostPort: 'e:1' }, 'fieldManager=one'),
      { method: 'GET', path: path('v2', '/e') },
      { method: 'GET', path: path('v2', '?fieldSelector=spec.host%3De') },
      { method: 'GET', path: path('v1', '?fieldSelector=spec.host%3De') },
      { method: 'GET', path: path('v2', '?labelSelector=x%3Dy') },
      { method: 'GET', path: path('v2') },
      { method: 'GET', path: path('v1') },
      {
        method: 'GET',
        path: path('v2'),
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      },
      {
        method: 'GET',
        path: path('v2'),
        headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
      },
      merge('v1', 'a', { metadata: { finalizers: ['example.com/x'] } }),
      { method: 'DELETE', path: path('v2', '/a') },
      merge('v2', 'a', { metadata: { finalizers: [] } }),
      { method: 'GET', path: path('v2', '/a') },
      { method: 'DELETE', path: path('v2', '/b') },
      { method: 'DELETE', path: path('v2') },
      { method: 'GET', path: path('v1') },
    ];
    for (const request of requests) await same(group, request);
  });

  it('are sent the same', async () => {
    set(right());
    const { group, site } = await served();
    for (const hook of [hooks.real, hooks.ours]) hook.reviews.length = 0;
    await same(group, site('v2', 'a', { host: 'h', port: '1' }));
    const sent = ({ reviews: [first = {}] }: RawWebhooks): unknown => {
      const kept = asObject(first.request);
      const [object] = objects(first).map(asObject);
      const { managedFields: _owners, uid, creationTimestamp, ...metadata } = asObject(object?.metadata);
      expect([typeof uid, typeof creationTimestamp]).toEqual(['string', 'string']);
      return plain({ ...first, request: { ...kept, uid: 'UID', objects: [{ ...object, metadata }] } }, group);
    };
    expect(sent(hooks.ours)).toEqual(sent(hooks.real));
  });

  const LIES: [string, RawAnswer, number?][] = [
    ['no, with a reason', (review) => reviewed(review, { result: { status: 'Failure', message: 'not this one' } })],
    ['no, without a reason', (review) => reviewed(review, { result: { status: 'Failure' } })],
    ['nothing about success', (review) => reviewed(review, { convertedObjects: objects(review) })],
    ['no objects', (review) => reviewed(review, { convertedObjects: [], result: { status: 'Success' } })],
    [
      'too many objects',
      (review) => {
        const object = converted(objects(review)[0] ?? {}, desired(review));
        return reviewed(review, { convertedObjects: [object, object], result: { status: 'Success' } });
      },
    ],
    [
      'the object as it was',
      (review) => reviewed(review, { convertedObjects: objects(review), result: { status: 'Success' } }),
    ],
    ['another group', right((object) => ({ ...object, apiVersion: 'other.example.com/v1' }))],
    ['another kind', right((object) => ({ ...object, kind: 'Other' }))],
    ['another name', withMetadata({ name: 'other' })],
    ['another namespace', withMetadata({ namespace: 'other' })],
    ['another identity', withMetadata({ uid: 'other' })],
    ['no metadata', right(({ metadata: _metadata, ...object }) => object)],
    ['labels that are not texts', withMetadata({ labels: { a: 1 } })],
    ['labels that are not labels', withMetadata({ labels: { 'not a label': 'x' } })],
    ['annotations of another type', withMetadata({ annotations: 'x' })],
    ['another review', (review) => ({ ...(right()(review) as JsonObject), response: { uid: 'other' } })],
    ['no response', ({ kind = '', apiVersion = '' }) => ({ kind, apiVersion })],
    [
      'a review of another version',
      (review) => ({ ...(right()(review) as JsonObject), apiVersion: 'apiextensions.k8s.io/v1beta1' }),
    ],
    ['another object', () => ({ kind: 'Pod', apiVersion: 'v1' })],
    ['no JSON', () => 'no JSON'],
    ['nothing', () => ''],
    ['an error', () => 'broken', 500],
    ['404', () => 'nothing here', 404],
  ];

  it.each(LIES)('answer with %s', async (_what, answer, status) => {
    set(right());
    const { group, path, site } = await served();
    await same(group, site('v1', 'a', { hostPort: 'a:1' }));
    set(answer, status);
    await same(group, { method: 'GET', path: path('v2', '/a') });
    await same(group, site('v2', 'b', { host: 'b', port: '1' }));
    const patch = { method: 'PATCH', path: path('v1', '/a'), body: { spec: { hostPort: 'a:2' } } };
    await same(group, { ...patch, type: 'application/merge-patch+json' });
    set(right());
    await same(group, { method: 'GET', path: path('v2', '/a') });
  });

  it('hang', async () => {
    set(right());
    const { group, path, site } = await served();
    await same(group, site('v1', 'a', { hostPort: 'a:1' }));
    set(() => 'hang');
    await same(group, { method: 'GET', path: path('v2', '/a') });
    set(right());
    await same(group, { method: 'GET', path: path('v2', '/a') });
  });

  it('change labels and annotations, and nothing else of the metadata', async () => {
    set(withMetadata({ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x.com/y'], generation: 9 }));
    const { group, path, site } = await served();
    await same(group, site('v1', 'a', { hostPort: 'a:1' }));
    await same(group, { method: 'GET', path: path('v2', '/a') });
    await same(group, site('v2', 'b', { host: 'b', port: '1' }));
    await same(group, { method: 'GET', path: path('v1', '/b') });
  });

  it('are spoken to in the older version of reviews', async () => {
    set(right());
    const { group, path, site } = await served({ conversionReviewVersions: ['v9', 'v1beta1', 'v1'] });
    await same(group, site('v2', 'a', { host: 'h', port: '1' }));
    await same(group, { method: 'GET', path: path('v1', '/a') });
    expect(hooks.ours.reviews.at(-1)?.apiVersion).toBe('apiextensions.k8s.io/v1beta1');
  });

  it('convert what was stored before the storage version changed', async () => {
    set(right());
    const { group, path, site } = await served();
    await same(group, site('v1', 'a', { hostPort: 'a:1' }));
    const crd: AskedRequest = {
      method: 'PATCH',
      path: `${DEFINITIONS}/sites.${group}`,
      type: 'application/json-patch+json',
      body: [
        { op: 'replace', path: '/spec/versions/0/storage', value: false },
        { op: 'replace', path: '/spec/versions/1/storage', value: true },
      ],
    };
    const { real, ours } = await servers.ask(crd);
    expect([real.status, ours.status]).toEqual([200, 200]);
    await same(group, site('v1', 'b', { hostPort: 'b:1' }));
    for (const of of ['v1', 'v2']) {
      for (const name of ['a', 'b']) await same(group, { method: 'GET', path: path(of, `/${name}`) });
      await same(group, { method: 'GET', path: path(of) });
    }
  });

  /** What goes by the rules about v2 sees v2, whatever the client writes: `Equivalent` is the default. */
  describe('before those who are asked about another version', () => {
    const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
    const rules = (group: string) => [
      { apiGroups: [group], apiVersions: ['v2'], operations: ['*'], resources: ['sites'] },
    ];
    const both = async (plural: string, body: (side: 'real' | 'ours') => JsonObject) => {
      const made: Awaited<ReturnType<TwoServers['askReal']>>[] = [];
      for (const side of ['real', 'ours'] as const) {
        const request = { method: 'POST', path: `${REGISTRATION}/${plural}`, body: body(side) };
        made.push(await (side === 'real' ? servers.askReal(request) : servers.askOurs(request)));
      }
      expect(
        made.map(({ status }) => status),
        JSON.stringify(made),
      ).toEqual([201, 201]);
      return async () => {
        for (const { body } of made.slice(0, 1)) {
          const name = asString(getPath(body, 'metadata', 'name'));
          await servers.ask({ method: 'DELETE', path: `${REGISTRATION}/${plural}/${name}` });
        }
      };
    };
    /** Until the real server goes by what was registered a moment ago. */
    const known = (request: AskedRequest, isKnown: (status: number, body: JsonValue) => boolean) =>
      vi.waitFor(async () => {
        const { status, body } = await servers.askReal({ ...request, path: `${request.path}?dryRun=All` });
        expect(isKnown(status, body)).toBe(true);
      }, EVENTUALLY);
    const webhooks = (kind: string, group: string, answer: RawAnswer, more: JsonObject = {}) => {
      for (const hook of [hooks.real, hooks.ours]) hook.answers.set('admit', { answer, status: 200 });
      return both(`${kind}webhookconfigurations`, (side) => ({
        metadata: { name: group },
        webhooks: [
          {
            name: 'hook.example.com',
            clientConfig: hooks[side].clientConfig('admit'),
            rules: rules(group),
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            ...more,
          },
        ],
      }));
    };
    const spec = (review: JsonObject, of: string) => JSON.stringify(getPath(review, 'request', of, 'spec') ?? null);
    const denyBad: RawAnswer = (review) => {
      const said = `${asString(getPath(review, 'request', 'resource', 'version'))} of ${asString(getPath(review, 'request', 'requestResource', 'version'))}: ${spec(review, 'object')} after ${spec(review, 'oldObject')}`;
      const isBad = [spec(review, 'object'), spec(review, 'oldObject')].some((one) => one.includes('bad'));
      return reviewed(review, isBad ? { allowed: false, status: { message: said } } : { allowed: true });
    };
    const patch = (path: string, hostPort: string): AskedRequest => ({
      method: 'PATCH',
      path,
      body: { spec: { hostPort } },
      type: 'application/merge-patch+json',
    });

    it('validating webhooks see the version of their rules', async () => {
      set(right());
      const { group, path, site } = await served();
      await same(group, site('v1', 'old', { hostPort: 'bad:0' }));
      await same(group, site('v1', 'good', { hostPort: 'good:0' }));
      const remove = await webhooks('validating', group, denyBad);
      await known(site('v1', 'probe', { hostPort: 'bad:1' }), (status) => status === 400);
      await same(group, site('v1', 'a', { hostPort: 'bad:1' }));
      await same(group, site('v1', 'b', { hostPort: 'fine:1' }));
      await same(group, site('v2', 'c', { host: 'bad', port: '1' }));
      await same(group, patch(path('v1', '/old'), 'fine:2'));
      await same(group, patch(path('v1', '/good'), 'bad:2'));
      await same(group, { method: 'DELETE', path: path('v1', '/old') });
      // The webhook that converts says no.
      set((review) => reviewed(review, { convertedObjects: [], result: { status: 'Failure', message: 'never' } }));
      await same(group, site('v1', 'd', { hostPort: 'fine:1' }));
      set(right());
      await remove();
    });

    it('and not with an exact policy', async () => {
      set(right());
      const { group, site } = await served();
      const remove = await webhooks('validating', group, denyBad, { matchPolicy: 'Exact' });
      await known(site('v2', 'probe', { host: 'bad', port: '1' }), (status) => status === 400);
      await same(group, site('v1', 'a', { hostPort: 'bad:1' }));
      await remove();
    });

    it('mutating webhooks change the version of their rules', async () => {
      set(right());
      const { group, path, site } = await served();
      const operations = [{ op: 'replace', path: '/spec/host', value: 'changed' }];
      const change = Buffer.from(JSON.stringify(operations)).toString('base64');
      const answer: RawAnswer = (review) =>
        reviewed(
          review,
          spec(review, 'object').includes('keep')
            ? { allowed: true }
            : { allowed: true, patchType: 'JSONPatch', patch: change },
        );
      const remove = await webhooks('mutating', group, answer, {
        rules: [{ ...rules(group)[0], operations: ['CREATE', 'UPDATE'] }],
      });
      const probe = site('v1', 'probe', { hostPort: 'x:1' });
      await known(probe, (_status, body) => JSON.stringify(body).includes('changed'));
      await same(group, site('v1', 'a', { hostPort: 'x:1' }));
      await same(group, site('v1', 'b', { hostPort: 'keep:1' }));
      await same(group, patch(path('v1', '/b'), 'other:2'));
      for (const of of ['v1', 'v2']) await same(group, { method: 'GET', path: path(of, '/b') });
      set((review) => reviewed(review, { convertedObjects: [], result: { status: 'Failure', message: 'never' } }));
      await same(group, site('v1', 'd', { hostPort: 'fine:1' }));
      set(right());
      await remove();
    });

    it('policies judge and change the version of their rules', async () => {
      set(right());
      const { group, path, site } = await served();
      const named = { metadata: { name: group } };
      const binding = { ...named, spec: { policyName: group } };
      const matchConstraints = { resourceRules: [{ ...rules(group)[0], operations: ['CREATE', 'UPDATE'] }] };
      const removals = [
        await both('validatingadmissionpolicies', () => ({
          ...named,
          spec: {
            matchConstraints,
            validations: [{ expression: "object.spec.host != 'bad'", messageExpression: "'host ' + object.spec.host" }],
          },
        })),
        await both('validatingadmissionpolicybindings', () => ({
          ...binding,
          spec: { ...binding.spec, validationActions: ['Deny'] },
        })),
        await both('mutatingadmissionpolicies', () => ({
          ...named,
          spec: {
            matchConstraints,
            matchConditions: [{ name: 'one', expression: "object.spec.host == 'one'" }],
            reinvocationPolicy: 'Never',
            mutations: [
              {
                patchType: 'ApplyConfiguration',
                applyConfiguration: { expression: "Object{spec: Object.spec{host: object.spec.host + '-two'}}" },
              },
            ],
          },
        })),
        await both('mutatingadmissionpolicybindings', () => binding),
      ];
      await known(site('v1', 'probe', { hostPort: 'bad:1' }), (status) => status === 422);
      const probe = site('v1', 'probe', { hostPort: 'one:1' });
      await known(probe, (_status, body) => JSON.stringify(body).includes('one-two'));
      await same(group, site('v1', 'a', { hostPort: 'bad:1' }));
      await same(group, site('v1', 'b', { hostPort: 'one:1' }));
      await same(group, patch(path('v1', '/b'), 'bad:2'));
      for (const of of ['v1', 'v2']) await same(group, { method: 'GET', path: path(of, '/b') });
      set((review) => reviewed(review, { convertedObjects: [], result: { status: 'Failure', message: 'never' } }));
      await same(group, site('v1', 'd', { hostPort: 'fine:1' }));
      set(right());
      for (const remove of removals) await remove();
    });
  });

  const WRONG: JsonObject[] = [
    {},
    { clientConfig: {} },
    { clientConfig: { url: 'https://x' } },
    { clientConfig: { url: 'http://user@host:1/x?a=b#c' }, conversionReviewVersions: ['v1'] },
    {
      clientConfig: { service: { name: 'a', namespace: 'b', path: 'no//x_', port: 0 } },
      conversionReviewVersions: ['v1'],
    },
    { clientConfig: { url: 'https://x', service: { name: 'a', namespace: 'b' } }, conversionReviewVersions: ['v1'] },
    { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v2', 'v2', 'V_'] },
    { clientConfig: { url: 'https://x', caBundle: 'eA==' }, conversionReviewVersions: ['v1'] },
  ];
  it.each(WRONG.map((one) => [JSON.stringify(one), one] as const))('are refused: %s', async (_title, one) => {
    const group = `wrong-${process.pid}.example.com`;
    const body = definition(group, { strategy: 'Webhook', webhook: one });
    await same(group, { method: 'POST', path: DEFINITIONS, body });
  });
});
