import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../src/apiserver/values/json.ts';
import { type AskedRequest, EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const ns = `policies-${process.pid}`;
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const CONFIG_MAPS = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
const name = (text: string) => `${text}-${process.pid}.example.com`;
const inNamespace = { matchLabels: { 'kubernetes.io/metadata.name': ns } };

function policy(title: string, spec: JsonObject): AskedRequest {
  const matchConstraints = { resourceRules: [CONFIG_MAPS], namespaceSelector: inNamespace };
  return {
    method: 'POST',
    path: POLICIES,
    body: { metadata: { name: name(title) }, spec: { matchConstraints, ...spec } },
  };
}
function binding(title: string, spec: JsonObject = {}): AskedRequest {
  const body = {
    metadata: { name: name(title) },
    spec: { policyName: name(title), validationActions: ['Deny'], ...spec },
  };
  return { method: 'POST', path: BINDINGS, body };
}
const map = (title: string, more: JsonObject = {}): AskedRequest => ({
  method: 'POST',
  path: `/api/v1/namespaces/${ns}/configmaps`,
  body: { metadata: { name: title, labels: { policy: title.split('.')[0] ?? '' } }, ...more },
});
/** Only objects of this policy: the others stay as they are. */
const only = (title: string): JsonObject => ({
  matchResources: { objectSelector: { matchLabels: { policy: title } } },
});

interface Case {
  readonly title: string;
  readonly spec: JsonObject;
  readonly binding?: JsonObject;
  readonly before?: AskedRequest[];
  /** Whose answers are compared; the first one must be refused or warned of, so that the policy is known to be in force. */
  readonly requests: AskedRequest[];
  /** What the first request is refused with; it may take the real server another moment to know the parameters. */
  readonly says?: string;
}

const CASES: Case[] = [
  {
    title: 'plain',
    spec: { validations: [{ expression: 'has(object.data) && object.data.size() > 1' }] },
    requests: [map('plain.a'), map('plain.b', { data: { a: '1', b: '2' } }), map('plain.c', { data: { a: '1' } })],
  },
  {
    title: 'worded',
    spec: {
      validations: [
        { expression: "object.metadata.name != 'worded.a'", message: 'not this name', reason: 'Forbidden' },
        {
          expression: "!object.metadata.name.endsWith('b')",
          messageExpression:
            "'the name ' + object.metadata.name + ' of ' + string('system:masters' in request.userInfo.groups)",
          message: 'unused',
        },
        {
          expression: "!object.metadata.name.endsWith('c')",
          messageExpression: 'string(object.data.none)',
          message: 'spare',
        },
        { expression: "request.operation != 'DELETE'", reason: 'RequestEntityTooLarge', message: 'stay' },
      ],
    },
    requests: [
      map('worded.a'),
      map('worded.b'),
      map('worded.c'),
      map('worded.d'),
      { method: 'DELETE', path: `/api/v1/namespaces/${ns}/configmaps/worded.d` },
    ],
  },
  {
    title: 'variables',
    spec: {
      variables: [
        { name: 'count', expression: 'has(object.data) ? object.data.size() : 0' },
        { name: 'odd', expression: 'variables.count % 2 == 1' },
        { name: 'broken', expression: 'object.data.none' },
      ],
      validations: [
        { expression: 'variables.odd', messageExpression: "'got ' + string(variables.count)" },
        { expression: "variables.count < 3 || variables.broken == 'x'" },
      ],
    },
    requests: [
      map('variables.a'),
      map('variables.b', { data: { a: '1' } }),
      map('variables.c', { data: { a: '1', b: '2', c: '3' } }),
    ],
  },
  {
    title: 'conditions',
    spec: {
      matchConditions: [
        { name: 'named', expression: "object.metadata.name.startsWith('conditions.a')" },
        { name: 'data', expression: "object.data['x'] == 'y'" },
      ],
      validations: [{ expression: 'false' }],
    },
    requests: [map('conditions.a', { data: { x: 'y' } }), map('conditions.ab'), map('conditions.b')],
  },
  {
    title: 'errors',
    spec: { failurePolicy: 'Fail', validations: [{ expression: "object.data.x == '1'" }] },
    requests: [map('errors.a'), map('errors.b', { data: { x: '1' } }), map('errors.c', { data: { x: '2' } })],
  },
  {
    title: 'ignored',
    spec: { failurePolicy: 'Ignore', validations: [{ expression: "object.data.x == '1'" }] },
    requests: [map('ignored.a', { data: { x: '2' } }), map('ignored.b')],
  },
  {
    title: 'warned',
    spec: { validations: [{ expression: "!('x' in object.data)", message: 'no x' }] },
    binding: { validationActions: ['Warn', 'Audit'] },
    requests: [map('warned.a', { data: { x: '1' } }), map('warned.b', { data: { y: '1' } })],
  },
  {
    title: 'params',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        { expression: 'has(object.data) && object.data.size() <= int(params.data.most)', message: 'too much' },
      ],
    },
    before: [map('limit', { data: { most: '1' } })],
    binding: { paramRef: { name: 'limit', namespace: ns, parameterNotFoundAction: 'Deny' } },
    says: 'too much',
    requests: [map('params.a', { data: { a: '1', b: '2' } }), map('params.b', { data: { a: '1' } })],
  },
  {
    title: 'paramless',
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'true' }] },
    binding: { paramRef: { name: 'absent', namespace: ns, parameterNotFoundAction: 'Deny' } },
    requests: [map('paramless.a')],
  },
  {
    title: 'updates',
    spec: {
      validations: [{ expression: 'oldObject == null || oldObject.data == object.data', message: 'data stays' }],
      matchConstraints: {
        namespaceSelector: inNamespace,
        resourceRules: [{ ...CONFIG_MAPS, operations: ['CREATE', 'UPDATE'] }],
        excludeResourceRules: [{ ...CONFIG_MAPS, resourceNames: ['updates.free'] }],
      },
    },
    before: [map('updates.a', { data: { a: '1' } }), map('updates.free', { data: { a: '1' } })],
    requests: ['updates.a', 'updates.free'].map((title) => ({
      method: 'PATCH',
      path: `/api/v1/namespaces/${ns}/configmaps/${title}`,
      type: 'application/merge-patch+json',
      body: { data: { a: '2' } },
    })),
  },
  {
    title: 'authorized',
    spec: {
      validations: [
        {
          expression:
            "!authorizer.group('').resource('pods').namespace('x').check('create').allowed() || authorizer.requestResource.check('none').reason() == 'x'",
          message: 'an administrator',
        },
        {
          expression: "namespaceObject.metadata.name == request.namespace && request.resource.resource == 'configmaps'",
        },
      ],
    },
    requests: [map('authorized.a')],
  },
];

const WRONG: [string, AskedRequest][] = [
  ['a name that is not declared', policy('w1', { validations: [{ expression: 'foo == 1' }] })],
  ['a text', policy('w2', { validations: [{ expression: "'x'" }] })],
  ['a field', policy('w3', { validations: [{ expression: 'object.spec.x' }] })],
  ['nothing to say', policy('w5', {})],
  [
    'no constraints',
    {
      method: 'POST',
      path: POLICIES,
      body: { metadata: { name: 'w6' }, spec: { validations: [{ expression: 'true' }] } },
    },
  ],
  ['another reason', policy('w7', { validations: [{ expression: 'true', reason: 'Because' }] })],
  [
    'a variable that is not there',
    policy('w8', { variables: [{ name: 'a', expression: '1' }], validations: [{ expression: 'variables.b == 1' }] }),
  ],
  [
    'a variable of no name',
    policy('w9', { variables: [{ name: 'a-b', expression: '1' }], validations: [{ expression: 'true' }] }),
  ],
  ['parameters without a kind', policy('wa', { validations: [{ expression: "params.x == 'y'" }] })],
  ['a message that is a number', policy('wb', { validations: [{ expression: 'true', messageExpression: '1' }] })],
  [
    'a condition without a name',
    policy('wc', { matchConditions: [{ expression: 'true' }], validations: [{ expression: 'true' }] }),
  ],
  ['an annotation that is a number', policy('wd', { auditAnnotations: [{ key: 'k', valueExpression: '1' }] })],
  ['a field of the request that is not there', policy('we', { validations: [{ expression: "request.foo == 'x'" }] })],
  [
    'a binding without actions',
    { method: 'POST', path: BINDINGS, body: { metadata: { name: 'w' }, spec: { policyName: 'p' } } },
  ],
  ['a binding that denies and warns', binding('wf', { validationActions: ['Deny', 'Warn'] })],
  ['a binding with half of a parameter', binding('wg', { paramRef: { name: 'x' } })],
  [
    'a binding to nobody',
    { method: 'POST', path: BINDINGS, body: { metadata: { name: 'w' }, spec: { validationActions: ['Deny'] } } },
  ],
];

describe('the embedded server and the real one obey policies alike', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
    await servers.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: ns } } });
  });
  afterAll(() => servers?.stop());

  it.each(WRONG)('written with %s', async (_title, one) => {
    const { real, ours } = await servers.ask(one);
    expect(ours).toEqual(real);
  });

  it.each(CASES.map((one): [string, Case] => [one.title, one]))('%s', async (title, one) => {
    for (const first of one.before ?? []) await servers.ask(first);
    const made = await servers.ask(policy(title, one.spec));
    expect(made.ours).toEqual(made.real);
    const bound = await servers.ask(binding(title, { ...only(title), ...one.binding }));
    expect(bound.ours).toEqual(bound.real);
    const [first] = one.requests;
    // The real server learns of policies a moment later.
    const inForce = async () => {
      const dry = first && (await servers.askReal({ ...first, path: `${first.path}?dryRun=All` }));
      const isRefused = dry !== undefined && (dry.status >= 400 || dry.warnings !== undefined);
      return isRefused && JSON.stringify(dry).includes(one.says ?? '');
    };
    await vi.waitUntil(inForce, EVENTUALLY);
    for (const request of one.requests) {
      const { real, ours } = await servers.ask(request);
      expect(ours).toEqual(real);
    }
  });
});
