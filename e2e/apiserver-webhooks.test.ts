import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asObject, asString, getPath, type JsonObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { RawWebhooks, reviewed } from './raw-webhook-fixture.ts';
import { type AskedRequest, EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const ns = `webhooks-${process.pid}`;
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
const maps = `/api/v1/namespaces/${ns}/configmaps`;
const map = (name: string, more: JsonObject = {}): AskedRequest => {
  return { method: 'POST', path: maps, body: { metadata: { name }, ...more } };
};
const kept = (name: string) => map(name, { metadata: { name, labels: { kept: 'yes' } } });
const patch = (path: string, body: JsonValue, type = 'application/merge-patch+json'): AskedRequest => {
  return { method: 'PATCH', path, body, type };
};

/** What a webhook answers to the request of a review; a text is sent as it is. */
type Answer = (request: JsonObject) => JsonObject | string | 'hang';
const allow = (): JsonObject => ({ allowed: true });
const deny = (status?: JsonObject) => (): JsonObject => ({ allowed: false, ...(status ? { status } : {}) });
const change =
  (...operations: JsonObject[]): Answer =>
  () => ({ allowed: true, patchType: 'JSONPatch', patch: base64(operations) });
const base64 = (value: JsonValue) => Buffer.from(JSON.stringify(value)).toString('base64');
/** For those that must be asked only about their own test. */
const only = (prefix: string): JsonObject => ({
  matchConditions: [{ name: 'own', expression: `request.name.startsWith('${prefix}')` }],
});

interface Case {
  readonly title: string;
  readonly mutating?: boolean;
  /** Beside name, clientConfig and the rules about config maps of this namespace. */
  readonly webhooks: { answer: Answer; spec?: JsonObject; status?: number }[];
  /** Compared on both servers; the first one tells when the real one knows the webhook: it must not be simply allowed. */
  readonly requests: AskedRequest[];
  readonly before?: AskedRequest[];
  /** Whether the first request shows that the webhook is asked. Default: it is refused. */
  readonly isAsked?: (body: JsonValue, warnings: unknown, status: number) => boolean;
}

const marked = (body: JsonValue) => JSON.stringify(body).includes('"marked"');
const add = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path, value });

const CASES: Case[] = [
  {
    title: 'deny, with and without a reason',
    webhooks: [{ answer: deny({ message: 'not this one', reason: 'because', code: 418 }) }],
    requests: [map('deny.a'), map('deny.b', { data: { a: 'b' } })],
  },
  { title: 'deny without explanation', webhooks: [{ answer: deny() }], requests: [map('deny.c')] },
  {
    title: 'deny with a reason alone, and details',
    webhooks: [{ answer: deny({ reason: 'Forbidden', details: { name: 'x', kind: 'y' }, code: 403 }) }],
    requests: [map('deny.d')],
  },
  {
    title: 'deny deletion and update, not creation',
    webhooks: [
      {
        answer: (request) =>
          request.operation === 'CREATE' ? allow() : deny({ message: asString(request.operation) })(),
      },
    ],
    before: [kept('keep.a')],
    requests: [
      // Before the real server has heard of the webhook, it must not delete what the others are about.
      { method: 'DELETE', path: `${maps}/keep.a?dryRun=All` },
      { method: 'DELETE', path: `${maps}/keep.a` },
      patch(`${maps}/keep.a`, { data: { x: 'y' } }),
      kept('keep.b'),
      // Not those that other webhooks have kept the real server from deleting.
      { method: 'DELETE', path: `${maps}?labelSelector=kept` },
    ],
  },
  {
    title: 'warn',
    webhooks: [{ answer: () => ({ allowed: true, warnings: ['first', 'second "quoted"'] }) }],
    requests: [map('warn.a')],
    isAsked: (_body, warnings) => warnings !== undefined,
  },
  {
    title: 'mutate in the order of their names, and see each other',
    mutating: true,
    webhooks: [
      { answer: change(add('/data', { marked: '1' })) },
      {
        answer: (request) =>
          change(add('/data/saw', JSON.stringify(getPath(request, 'object', 'data') ?? null)))(request),
      },
    ],
    requests: [
      map('mutate.a'),
      map('mutate.b', { data: { own: 'x' } }),
      patch(`${maps}/mutate.a`, { data: { z: 'z' } }),
    ],
    isAsked: marked,
  },
  {
    title: 'are asked again when others have changed the object',
    mutating: true,
    webhooks: [
      {
        answer: (request) => {
          const data = asObject(getPath(request, 'object', 'data'));
          return change(add('/data', { ...data, marked: `${asString(data.marked)}1${asString(data.second)}` }))(
            request,
          );
        },
        spec: { reinvocationPolicy: 'IfNeeded' },
      },
      {
        answer: (request) =>
          change(add('/data/second', `${asString(getPath(request, 'object', 'data', 'second'))}2`))(request),
      },
    ],
    requests: [map('again.a')],
    isAsked: marked,
  },
  {
    title: 'choose by labels of the object',
    webhooks: [{ answer: deny({ message: 'labelled' }), spec: { objectSelector: { matchLabels: { a: 'b' } } } }],
    requests: [
      map('label.a', { metadata: { name: 'label.a', labels: { a: 'b' } } }),
      map('label.b', { metadata: { name: 'label.b', labels: { a: 'c' } } }),
      patch(`${maps}/label.b`, { metadata: { labels: { a: 'b' } } }),
    ],
  },
  {
    title: 'choose by conditions',
    webhooks: [
      {
        answer: deny({ message: 'matched' }),
        spec: {
          matchConditions: [
            { name: 'named', expression: "request.name.startsWith('cond')" },
            { name: 'data', expression: "object.data.x == 'y'" },
          ],
        },
      },
    ],
    requests: [map('cond.a', { data: { x: 'y' } }), map('cond.b', { data: { x: 'z' } }), map('cond.c'), map('other.c')],
  },
  {
    title: 'are not asked about dry runs when they have side effects',
    webhooks: [
      { answer: allow, spec: { sideEffects: 'NoneOnDryRun' } },
      { answer: deny(), spec: only('dry.a') },
    ],
    requests: [map('dry.a'), { ...map('dry.b'), path: `${maps}?dryRun=All` }],
  },
  {
    title: 'fail closed when nobody answers',
    webhooks: [{ answer: allow, spec: { clientConfig: { url: 'https://127.0.0.1:1/nobody' } } }],
    requests: [map('closed.a')],
  },
  {
    title: 'fail open when they may',
    webhooks: [
      { answer: allow, spec: { clientConfig: { url: 'https://127.0.0.1:1/nobody' }, failurePolicy: 'Ignore' } },
      { answer: deny(), spec: only('open.a') },
    ],
    requests: [map('open.a'), map('open.b')],
  },
  {
    title: 'time out',
    webhooks: [{ answer: () => 'hang', spec: { timeoutSeconds: 1, ...only('slow.') } }],
    requests: [map('slow.a')],
  },
  {
    title: 'time out and are ignored',
    webhooks: [
      { answer: () => 'hang', spec: { timeoutSeconds: 1, failurePolicy: 'Ignore', ...only('late.b') } },
      { answer: deny(), spec: only('late.a') },
    ],
    requests: [map('late.a'), map('late.b')],
  },
  ...(
    [
      ['another uid', () => ({ uid: 'other', allowed: true })],
      ['no response', () => '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'],
      ['no JSON', () => 'no JSON'],
      ['nothing', () => ''],
      ['another kind', () => '{"kind":"Pod","apiVersion":"v1"}'],
      ['a patch of a validating webhook', change(add('/data', {}))],
    ] as [string, Answer][]
  ).map(
    ([what, answer], index): Case => ({
      title: `lie: ${what}`,
      webhooks: [{ answer }],
      requests: [map(`lie.${index}`)],
    }),
  ),
  ...(
    [
      ['a patch without its type', () => ({ allowed: true, patch: base64([]) })],
      ['a type without a patch', () => ({ allowed: true, patchType: 'JSONPatch' })],
      ['another type', () => ({ allowed: true, patchType: 'Merge', patch: base64([{ op: 'remove', path: '/data' }]) })],
      [
        'a patch that is not JSON',
        () => ({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from('x').toString('base64') }),
      ],
      ['a patch that does not fit', change({ op: 'remove', path: '/data/none' })],
      ['a value of another type', change(add('/data', 'text'))],
    ] as [string, Answer][]
  ).map(
    ([what, answer], index): Case => ({
      title: `lie while mutating: ${what}`,
      mutating: true,
      webhooks: [{ answer }],
      requests: [map(`lie.mutating.${index}`)],
    }),
  ),
  {
    title: 'answer with an error',
    webhooks: [{ answer: () => 'broken', status: 500 }],
    requests: [map('error.a')],
  },
  {
    title: 'answer with 404',
    webhooks: [{ answer: () => 'nothing here', status: 404 }],
    requests: [map('error.b')],
  },
  {
    title: 'have a certificate that is not trusted',
    webhooks: [{ answer: allow, spec: { caBundle: null } }],
    requests: [map('tls.a')],
  },
  {
    title: 'mutate pods, which get their defaults afterwards',
    mutating: true,
    webhooks: [
      {
        answer: change(add('/spec/initContainers', [{ name: 'marked', image: 'image' }])),
        spec: { rules: [{ ...MAPS, operations: ['CREATE'], resources: ['pods'] }] },
      },
    ],
    requests: [
      {
        method: 'POST',
        path: `/api/v1/namespaces/${ns}/pods`,
        body: { metadata: { name: 'pod' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    ],
    isAsked: marked,
  },
  {
    title: 'see other versions of what they asked for',
    webhooks: [
      {
        answer: (request) =>
          deny({
            message: `${asString(getPath(request, 'object', 'apiVersion'))} ${asString(getPath(request, 'resource', 'version'))} of ${asString(getPath(request, 'requestResource', 'version'))}`,
          })(),
        spec: {
          rules: [
            {
              apiGroups: ['autoscaling'],
              apiVersions: ['v1'],
              operations: ['*'],
              resources: ['horizontalpodautoscalers'],
            },
          ],
        },
      },
    ],
    requests: [
      {
        method: 'POST',
        path: `/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers`,
        body: {
          metadata: { name: 'h' },
          spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
        },
      },
    ],
  },
  {
    title: 'see the status, and not what they did not ask for',
    webhooks: [
      {
        answer: deny({ message: 'status' }),
        spec: {
          rules: [
            { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/status'] },
          ],
        },
      },
    ],
    before: [
      {
        method: 'POST',
        path: `/apis/apps/v1/namespaces/${ns}/deployments`,
        body: {
          metadata: { name: 'd' },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    ],
    requests: [
      patch(`/apis/apps/v1/namespaces/${ns}/deployments/d/status`, { status: { replicas: 1 } }),
      patch(`/apis/apps/v1/namespaces/${ns}/deployments/d`, { spec: { replicas: 2 } }),
    ],
  },
  {
    title: 'deny attaching to a pod',
    webhooks: [
      {
        answer: (request) =>
          deny({
            message: `attaching to ${asString(request.name)} by ${asString(getPath(request, 'kind', 'kind'))}`,
          })(),
        spec: { rules: [{ ...MAPS, operations: ['CONNECT'], resources: ['pods/attach'] }] },
      },
    ],
    before: [
      {
        method: 'POST',
        path: `/api/v1/namespaces/${ns}/pods`,
        body: { metadata: { name: 'attach' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    ],
    requests: [{ method: 'POST', path: `/api/v1/namespaces/${ns}/pods/attach/attach?container=c&stdin=true` }],
    // Nobody can be attached to a pod that does not run, and the server that has not heard of the webhook yet says so.
    isAsked: (body) => JSON.stringify(body).includes('denied the request'),
  },
];

describe('webhooks of the embedded server and a real one', () => {
  const hooks = { real: new RawWebhooks(), ours: new RawWebhooks() };
  let servers: TwoServers;

  beforeAll(async () => {
    await Promise.all([hooks.real.listen(), hooks.ours.listen()]);
    servers = await TwoServers.start();
    await servers.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: ns } } });
  });

  afterAll(async () => {
    await servers?.stop();
    await Promise.all([hooks.real.close(), hooks.ours.close()]);
  });

  const configuration = ({ webhooks }: Case, index: number, side: 'real' | 'ours'): JsonObject => ({
    metadata: { name: `case-${index}-${process.pid}` },
    webhooks: webhooks.map(({ answer, spec = {}, status = 200 }, at) => {
      const path = `case-${index}-${at}`;
      hooks[side].answers.set(path, { answer: (review) => replyOf(review, answer), status });
      const { caBundle, ...rest } = spec;
      const config = hooks[side].clientConfig(path);
      return {
        name: `hook-${at}.example.com`,
        clientConfig: caBundle === undefined ? config : { url: config.url ?? null },
        rules: [MAPS],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...rest,
      };
    }),
  });

  it.each(CASES.map((one, index) => [one.title, one, index] as const))('%s', async (_title, one, index) => {
    for (const request of one.before ?? []) {
      const { real, ours } = await servers.ask(request);
      expect([real.status, ours.status]).toEqual([201, 201]);
    }
    const path = `${GROUP}/${one.mutating ? 'mutating' : 'validating'}webhookconfigurations`;
    const made = [
      await servers.askReal({ method: 'POST', path, body: configuration(one, index, 'real') }),
      await servers.askOurs({ method: 'POST', path, body: configuration(one, index, 'ours') }),
    ];
    expect(
      made.map(({ status }) => status),
      JSON.stringify(made),
    ).toEqual([201, 201]);
    try {
      const [first, ...others] = one.requests;
      if (!first) throw new Error('no request');
      const isAsked = one.isAsked ?? ((_body, _warnings, status) => status >= 400);
      // A creation is tried in a dry run: once the webhook is known, it may refuse to let anything be deleted.
      const isCreation = first.method === 'POST' && first.path === maps;
      const trial = isCreation ? { ...first, path: `${maps}?dryRun=All` } : first;
      let real = await vi.waitFor(async () => {
        hooks.real.reviews.length = 0;
        const answer = await servers.askReal(trial);
        expect(isAsked(answer.body, answer.warnings, answer.status)).toBe(true);
        return answer;
      }, EVENTUALLY);
      if (isCreation) {
        hooks.real.reviews.length = 0;
        real = await servers.askReal(first);
      }
      hooks.ours.reviews.length = 0;
      expect(alike(await servers.askOurs(first))).toEqual(alike(real));
      expect(seen(hooks.ours)).toEqual(seen(hooks.real));
      for (const request of others) {
        const answers = await servers.ask(request);
        expect(alike(answers.ours), JSON.stringify(request)).toEqual(alike(answers.real));
      }
      expect(seen(hooks.ours)).toEqual(seen(hooks.real));
    } finally {
      await servers.ask({ method: 'DELETE', path: `${path}/case-${index}-${process.pid}` });
      await vi.waitFor(async () => {
        hooks.real.reviews.length = 0;
        const answer = await servers.askReal({ ...map('probe'), path: `${maps}?dryRun=All` });
        expect([answer.status, answer.warnings, marked(answer.body)]).toEqual([201, undefined, false]);
        // One that allows creations could still refuse what the next case deletes.
        expect(hooks.real.reviews).toEqual([]);
      }, EVENTUALLY);
    }
  });
});

const plain = (more: JsonObject = {}): JsonObject => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://127.0.0.1:1' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});
const condition = (expression: string, name = 'x'): JsonObject => ({ matchConditions: [{ name, expression }] });
const WRONG: JsonObject[][] = [
  [{}],
  [plain({ name: 'short' })],
  [plain({ name: 'Not A Name' })],
  [plain(), plain()],
  [plain({ clientConfig: {} })],
  [plain({ clientConfig: { url: 'http://user@host:1/x?a=b#c' } })],
  [plain({ clientConfig: { url: 'https://' } })],
  [plain({ clientConfig: { service: { name: '', namespace: '' } } })],
  [plain({ sideEffects: 'Some' })],
  [plain({ failurePolicy: 'Perhaps', matchPolicy: 'Nearly', timeoutSeconds: 31 })],
  [plain({ admissionReviewVersions: ['v2', 'v2'] })],
  [plain({ rules: [{ operations: [], apiGroups: [], apiVersions: [], resources: [] }] })],
  [plain(condition(''))],
  [plain(condition('true', ''))],
  [plain(condition("'text'"))],
  [plain(condition('nothing == 1'))],
  [
    plain({
      matchConditions: [
        { name: 'a', expression: 'true' },
        { name: 'a', expression: 'true' },
      ],
    }),
  ],
];

describe('configurations of webhooks', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start();
  });

  afterAll(() => servers?.stop());

  it.each(WRONG.map((webhooks) => [JSON.stringify(webhooks), webhooks] as const))(
    'refused alike: %s',
    async (_title, webhooks) => {
      for (const kind of ['mutating', 'validating']) {
        const body = { metadata: { name: `wrong-${process.pid}` }, webhooks };
        const { real, ours } = await servers.ask({
          method: 'POST',
          path: `${GROUP}/${kind}webhookconfigurations?dryRun=All`,
          body,
        });
        expect(real.status).toBe(422);
        expect(ours).toEqual(real);
      }
    },
  );
});

function replyOf(review: JsonObject, answer: Answer): JsonObject | string {
  const said = answer(asObject(review.request));
  return typeof said === 'string' ? said : reviewed(review, said);
}

/** Without addresses, ports and managers. */
function alike(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/127\.0\.0\.1:\d+/g, 'ADDRESS'));
}

function seen({ reviews }: RawWebhooks): unknown {
  const uid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
  const text = JSON.stringify(reviews).replace(uid, 'UID').replace(time, 'TIME');
  const versions = text.replace(/"resourceVersion":"\d+"/g, '"resourceVersion":""');
  const kept = JSON.parse(versions, (key, value) =>
    key === 'managedFields' || key === 'userInfo' ? undefined : value,
  );
  return kept;
}
