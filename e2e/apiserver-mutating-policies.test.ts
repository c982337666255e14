import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asString, getPath, type JsonObject } from '../src/apiserver/values/json.ts';
import { type AskedRequest, EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const ns = `mutating-${process.pid}`;
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const rule = (apiGroups: string[], resources: string[]): JsonObject => {
  return { apiGroups, apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources };
};
const maps = `/api/v1/namespaces/${ns}/configmaps`;
const map = (name: string, more: JsonObject = {}): AskedRequest => {
  return { method: 'POST', path: maps, body: { metadata: { name }, ...more } };
};
const deployment = (name: string): AskedRequest => ({
  method: 'POST',
  path: `/apis/apps/v1/namespaces/${ns}/deployments`,
  body: {
    metadata: { name },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] }] },
      },
    },
  },
});
const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

interface Case {
  readonly title: string;
  readonly rules?: JsonObject[];
  readonly spec: JsonObject;
  readonly before?: AskedRequest[];
  readonly binding?: JsonObject;
  /** The first must show `marked`, or be refused. */
  readonly requests: AskedRequest[];
}

const CASES: Case[] = [
  {
    title: 'apply a configuration',
    spec: { mutations: [apply("Object{metadata: Object.metadata{labels: {'marked': object.metadata.name}}}")] },
    requests: [map('apply.a'), map('apply.b', { metadata: { name: 'apply.b', labels: { own: 'x', marked: 'no' } } })],
  },
  {
    title: 'apply a configuration to lists with keys',
    rules: [rule(['apps'], ['deployments'])],
    spec: {
      variables: [{ name: 'first', expression: 'object.spec.template.spec.containers[0].name' }],
      mutations: [
        apply(`Object{spec: Object.spec{replicas: 3, template: Object.spec.template{spec: Object.spec.template.spec{
          containers: [Object.spec.template.spec.containers{
            name: variables.first,
            env: [Object.spec.template.spec.containers.env{name: 'marked', value: 'yes'}]}],
          initContainers: [Object.spec.template.spec.initContainers{name: 'init', image: 'i'}]
        }}}}`),
      ],
    },
    requests: [deployment('keys')],
  },
  {
    title: 'patch',
    spec: {
      matchConditions: [{ name: 'not', expression: "!object.metadata.name.endsWith('skip')" }],
      mutations: [
        patch("has(object.data) ? [] : [JSONPatch{op: 'add', path: '/data', value: {}}]"),
        patch(`[
          JSONPatch{op: 'add', path: '/data/marked', value: 'yes'},
          JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a~b'), value: string(object.data.size())},
          JSONPatch{op: 'copy', from: '/metadata/name', path: '/data/name'}
        ]`),
      ],
    },
    requests: [map('patch.a'), map('patch.b', { data: { x: 'y' } }), map('patch.skip')],
  },
  {
    title: 'patch nothing when a test does not hold',
    spec: {
      mutations: [
        patch("[JSONPatch{op: 'add', path: '/data', value: {'marked': object.metadata.name}}]"),
        patch(
          "[JSONPatch{op: 'test', path: '/data/marked', value: 'test.b'}, JSONPatch{op: 'add', path: '/data/more', value: 'x'}]",
        ),
      ],
    },
    requests: [map('test.a'), map('test.b')],
  },
  {
    title: 'make objects of patches',
    rules: [rule(['apps'], ['deployments'])],
    spec: {
      mutations: [
        // In a list, such an object makes the real server panic.
        patch(
          "[JSONPatch{op: 'add', path: '/spec/strategy', value: Object.spec.strategy{type: 'Recreate'}}, JSONPatch{op: 'add', path: '/metadata/labels', value: {'marked': 'yes'}}]",
        ),
      ],
    },
    requests: [deployment('objects')],
  },
  {
    title: 'are refused where they would replace as a whole',
    rules: [rule(['apps'], ['deployments'])],
    spec: {
      mutations: [apply("Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'x': 'y'}}}}")],
    },
    requests: [deployment('atomic')],
  },
  {
    title: 'fail with an expression that fails',
    spec: { mutations: [apply("Object{data: {'x': object.data.none}}")] },
    requests: [map('fails.a')],
  },
  {
    title: 'fail with a patch that does not fit',
    spec: { mutations: [patch("[JSONPatch{op: 'remove', path: '/data/none'}]")] },
    requests: [map('unfit.a', { data: { a: 'b' } })],
  },
  {
    title: 'fail with another type',
    spec: { mutations: [apply('Object{data: 5}')] },
    requests: [map('type.a')],
  },
  {
    title: 'fail with a name that is not the place',
    rules: [rule(['apps'], ['deployments'])],
    spec: { mutations: [apply('Object{spec: Object.wrong{replicas: 1}}')] },
    requests: [deployment('place')],
  },
  {
    title: 'go by parameters',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      mutations: [apply("Object{metadata: Object.metadata{annotations: {'marked': params.data.text}}}")],
    },
    before: [map('param', { data: { text: 'from params' } })],
    binding: { paramRef: { name: 'param', namespace: ns, parameterNotFoundAction: 'Deny' } },
    requests: [map('params.a')],
  },
  {
    title: 'do not find their parameters',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      mutations: [apply("Object{metadata: Object.metadata{annotations: {'marked': params.data.text}}}")],
    },
    binding: { paramRef: { name: 'absent', namespace: ns, parameterNotFoundAction: 'Deny' } },
    requests: [map('params.b')],
  },
];

const WRONG: JsonObject[] = [
  { mutations: [] },
  { mutations: [{ patchType: 'Other' }] },
  { mutations: [{ patchType: 'JSONPatch' }] },
  { mutations: [{ ...apply('Object{}'), jsonPatch: { expression: '[]' } }] },
  { mutations: [apply('')] },
  { mutations: [apply('Object{')] },
  { mutations: [apply('object')] },
  { mutations: [apply("'text'")] },
  { mutations: [apply('Objekt{}')] },
  { mutations: [patch('Object{}')] },
  { mutations: [patch('[JSONPatch{op: nothing}]')] },
  { mutations: [apply('Object{}')], reinvocationPolicy: 'Sometimes' },
  { mutations: [apply('Object{}')], reinvocationPolicy: '' },
  { mutations: [apply('Object{}')], failurePolicy: 'Perhaps' },
];

describe('mutating policies of the embedded server and a real one', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start();
    await servers.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: ns } } });
  });

  afterAll(() => servers?.stop());

  const policy = (name: string, rules: JsonObject[], spec: JsonObject): AskedRequest => ({
    method: 'POST',
    path: `${GROUP}/mutatingadmissionpolicies`,
    body: {
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: rules,
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
        },
        reinvocationPolicy: 'Never',
        ...spec,
      },
    },
  });

  it.each(CASES.map((one, index) => [one.title, one, index] as const))('%s', async (_title, one, index) => {
    const name = `case-${index}-${process.pid}.example.com`;
    for (const request of one.before ?? []) {
      const { real, ours } = await servers.ask(request);
      expect([real.status, ours.status]).toEqual([201, 201]);
    }
    const made = await servers.ask(policy(name, one.rules ?? [rule([''], ['configmaps'])], one.spec));
    expect(made.ours).toEqual(made.real);
    expect(made.real.status, JSON.stringify(made.real.body)).toBe(201);
    const binding = { metadata: { name }, spec: { policyName: name, ...one.binding } };
    const bound = await servers.ask({
      method: 'POST',
      path: `${GROUP}/mutatingadmissionpolicybindings`,
      body: binding,
    });
    expect(bound.ours).toEqual(bound.real);
    try {
      const [first, ...others] = one.requests;
      if (!first) throw new Error('no request');
      const real = await vi.waitFor(async () => {
        const answer = await servers.askReal(first);
        const known = answer.status >= 400 || JSON.stringify(answer.body).includes('marked');
        if (!known) {
          const title = asString(getPath(first.body ?? null, 'metadata', 'name'));
          await servers.askReal({ method: 'DELETE', path: `${first.path}/${title}` });
        }
        expect(known && answer.status !== 409).toBe(true);
        return answer;
      }, EVENTUALLY);
      expect(alike(await servers.askOurs(first))).toEqual(alike(real));
      for (const request of others) {
        const answers = await servers.ask(request);
        expect(alike(answers.ours)).toEqual(alike(answers.real));
      }
    } finally {
      await servers.ask({ method: 'DELETE', path: `${GROUP}/mutatingadmissionpolicybindings/${name}` });
      await servers.ask({ method: 'DELETE', path: `${GROUP}/mutatingadmissionpolicies/${name}` });
      await vi.waitFor(async () => {
        for (const probe of [map('probe'), deployment('probe')]) {
          const answer = await servers.askReal({ ...probe, path: `${probe.path}?dryRun=All` });
          expect(answer.status).toBe(201);
          expect(JSON.stringify(answer.body)).not.toContain('marked');
        }
      }, EVENTUALLY);
    }
  });

  it.each(WRONG.map((spec, index) => [JSON.stringify(spec), spec, index] as const))(
    'refused alike: %s',
    async (_title, spec, index) => {
      const { real, ours } = await servers.ask(
        policy(`wrong-${index}-${process.pid}.example.com`, [rule([''], ['configmaps'])], spec),
      );
      expect(real.status).toBe(422);
      expect(alike(ours)).toEqual(alike(real));
    },
  );
});

/** Texts about what does not parse are worded by each parser. */
function alike(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/Syntax error: [^"]*?(?=")/g, 'Syntax error'));
}
