import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import type { JsonObject } from '../src/apiserver/values/json.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { DEFINITIONS, definition } from './apiserver-crd-corpus.ts';
import { BUDGETED_DEFINITION, budgeted, COSTLY_DEFINITIONS } from './apiserver-crd-costs.ts';
import { BAD_RULES, RULED_VALUES, RULES, ruledDefinition } from './apiserver-crd-rules.ts';
import { SAMPLE_DEFINITION, SAMPLES } from './apiserver-crd-samples.ts';

interface Answer {
  status: number;
  body: JsonObject;
  warnings: string[];
}

interface Target {
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    type?: string,
  ): Promise<Answer>;
}

const DEFINITIONS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SAMPLES_PATH = '/apis/corpus.example.com/v1/namespaces/default/samples';

function target(server: string, token: string | undefined, agent: Agent): Target {
  return {
    async send(method, path, body, type = 'application/json') {
      const answer = await request(`${server}${path}`, {
        dispatcher: agent,
        method,
        headers: { authorization: `Bearer ${token ?? ''}`, accept: 'application/json', 'content-type': type },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { warning = [] } = answer.headers;
      return {
        status: answer.statusCode,
        body: (await answer.body.json()) as JsonObject,
        warnings: typeof warning === 'string' ? [warning] : warning,
      };
    },
  };
}

/** What both servers must agree on. The real one goes through maps in any order, so lists of causes are sorted. */
function judgement({ status, body, warnings }: Answer): unknown {
  const causes = (body.details as JsonObject | undefined)?.causes as JsonObject[] | undefined;
  const sorted = causes?.map(({ field, reason, message }) => `${field}|${reason}|${message}`).sort();
  const message = sorted === undefined || sorted.length < 2 ? body.message : undefined;
  return status < 400 ? { status, warnings } : { status, reason: body.reason, message, causes: sorted, warnings };
}

function withoutIdentity({ metadata, ...object }: JsonObject): JsonObject {
  const { uid: _u, resourceVersion: _r, creationTimestamp: _c, managedFields: _m, ...rest } = metadata as JsonObject;
  return JSON.parse(JSON.stringify({ ...object, metadata: rest, status: withoutTimes(object.status as JsonObject) }));
}

function withoutTimes(status: JsonObject | undefined): JsonObject | undefined {
  if (!Array.isArray(status?.conditions)) return status;
  const conditions = (status.conditions as JsonObject[]).map(({ lastTransitionTime: _t, ...rest }) => rest);
  return { ...status, conditions };
}

describe('custom resources on the embedded server and on a real one', () => {
  let plane: ControlPlane;
  let embedded: ApiServer;
  let agents: Agent[];
  let real: Target;
  let ours: Target;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    embedded = await ApiServer.start();
    agents = [new Agent({ connect: { ca: plane.ca } }), new Agent({ connect: { ca: embedded.ca ?? '' } })];
    const [realAgent, ourAgent] = agents as [Agent, Agent];
    real = target(plane.server, plane.token, realAgent);
    ours = target(embedded.url, embedded.token, ourAgent);
  });

  afterAll(async () => {
    for (const agent of agents ?? []) await agent.close();
    await embedded?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  const both = (): [Target, Target] => [real, ours];

  /** Sends the same to both and expects the same judgement. */
  async function alike(what: string, ...call: Parameters<Target['send']>): Promise<[Answer, Answer]> {
    const [expected, actual] = [await real.send(...call), await ours.send(...call)];
    expect(judgement(actual), what).toEqual(judgement(expected));
    return [expected, actual];
  }

  async function define(crd: JsonObject, path: string): Promise<void> {
    for (const server of both()) {
      const made = await server.send('POST', DEFINITIONS_PATH, crd);
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      await expect.poll(async () => (await server.send('GET', path)).status, { timeout: 120_000 }).toBe(200);
    }
  }

  /** Also waits until it is gone: the real server may have to take its objects away first. */
  async function undefine(name: string): Promise<void> {
    const path = `${DEFINITIONS_PATH}/${name}`;
    for (const server of both()) {
      await server.send('DELETE', path);
      await expect.poll(async () => (await server.send('GET', path)).status, { timeout: 120_000 }).toBe(404);
    }
  }

  it('judge definitions alike', async () => {
    for (const [what, crd] of DEFINITIONS) {
      const [expected] = await alike(what, 'POST', DEFINITIONS_PATH, crd);
      if (expected.status === 201) await undefine(String((crd.metadata as JsonObject).name));
    }
  });

  it('give a definition the same status', async () => {
    const crd = definition('statuses', { names: { shortNames: ['st'], categories: ['all'] } });
    await define(crd, '/apis/corpus.example.com/v1/statuses');
    const taken = definition('others', { names: { shortNames: ['st'], kind: 'Statuse' } });
    for (const server of both()) await server.send('POST', DEFINITIONS_PATH, taken);
    for (const name of ['statuses', 'others']) {
      const path = `${DEFINITIONS_PATH}/${name}.corpus.example.com`;
      await expect
        .poll(async () => (await real.send('GET', path)).body.status, { timeout: 120_000 })
        .toHaveProperty('conditions.1');
      const [expected, actual] = [await real.send('GET', path), await ours.send('GET', path)];
      expect(withoutIdentity(actual.body)).toEqual(withoutIdentity(expected.body));
    }
    for (const name of ['statuses', 'others']) await undefine(`${name}.corpus.example.com`);
  });

  it('judge objects alike, and store them alike', async () => {
    await define(SAMPLE_DEFINITION, SAMPLES_PATH);
    for (const [index, [what, spec]] of SAMPLES.entries()) {
      const object = {
        apiVersion: 'corpus.example.com/v1',
        kind: 'Sample',
        metadata: { name: `sample-${index}` },
        spec,
        status: { phase: 'ignored' },
      };
      const [expected, actual] = await alike(what, 'POST', SAMPLES_PATH, object);
      if (expected.status === 201) expect(withoutIdentity(actual.body), what).toEqual(withoutIdentity(expected.body));
      await alike(`${what}, strictly`, 'POST', `${SAMPLES_PATH}?fieldValidation=Strict&dryRun=All`, object);
      await alike(`${what}, ignoring`, 'POST', `${SAMPLES_PATH}?fieldValidation=Ignore&dryRun=All`, object);
    }
  });

  it('judge metadata alike', async () => {
    const type = { apiVersion: 'corpus.example.com/v1', kind: 'Sample' };
    const metadata: unknown[] = [
      { name: 'meta', labels: { a: 1 } },
      { name: 'meta', labels: 'x' },
      'x',
      { name: 'meta', foo: 1, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y', bar: 2 }] },
      { name: 'Meta' },
      {},
      { name: 'meta', finalizers: ['example.com/qualified'] },
    ];
    for (const [index, meta] of metadata.entries()) {
      const call = [`metadata ${index}`, 'POST', `${SAMPLES_PATH}?dryRun=All`] as const;
      await alike(...call, { ...type, metadata: meta, spec: {} });
    }
    await alike('another version', 'POST', SAMPLES_PATH, { ...type, apiVersion: 'corpus.example.com/v9' });
    await alike('another kind', 'POST', SAMPLES_PATH, { ...type, kind: 'Other', metadata: { name: 'x' }, spec: {} });
  });

  it('treat status and scale alike', async () => {
    const path = `${SAMPLES_PATH}/scaled`;
    const patch = 'application/merge-patch+json';
    const type = { apiVersion: 'corpus.example.com/v1', kind: 'Sample' };
    await alike('create', 'POST', SAMPLES_PATH, { ...type, metadata: { name: 'scaled' }, spec: {} });
    await alike('scale without replicas', 'GET', `${path}/scale`);
    await alike('replicas', 'PATCH', path, { spec: { replicas: 3 } }, patch);
    for (const status of [{ phase: 'Down' }, { replicas: 'x' }, { replicas: -1 }, { replicas: 2, selector: 'a=b' }]) {
      await alike(JSON.stringify(status), 'PATCH', `${path}/status`, { status, spec: { replicas: 9 } }, patch);
    }
    await alike('scale up', 'PATCH', `${path}/scale`, { spec: { replicas: 5 } }, patch);
    await alike('scale too far', 'PATCH', `${path}/scale`, { spec: { replicas: 11 } }, patch);
    const [expected, actual] = await alike('scale', 'GET', `${path}/scale`);
    expect(withoutIdentity(actual.body)).toEqual(withoutIdentity(expected.body));
    const [whole, ourWhole] = await alike('object', 'GET', path);
    expect(withoutIdentity(ourWhole.body)).toEqual(withoutIdentity(whole.body));
  });

  it('let an object keep what a stricter schema would refuse, as long as it does not change', async () => {
    const field = (more: JsonObject): JsonObject => ({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            name: { type: 'string', ...more },
            other: { type: 'string' },
            added: { type: 'string', ...(more.default === undefined ? {} : {}) },
          },
        },
      },
    });
    const crd = definition('ratchets', { version: { schema: { openAPIV3Schema: field({}) } } });
    const path = '/apis/corpus.example.com/v1/namespaces/default/ratchets';
    await define(crd, path);
    const object = { apiVersion: 'corpus.example.com/v1', kind: 'Ratchet', metadata: { name: 'x' } };
    await alike('create', 'POST', path, { ...object, spec: { name: 'LOUD', other: 'a' } });
    const patch = 'application/merge-patch+json';
    const stricter = field({ pattern: '^[a-z]+$' });
    (stricter.properties as JsonObject).extra = { type: 'string', default: 'given' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: stricter } }];
    await alike(
      'a stricter schema',
      'PATCH',
      `${DEFINITIONS_PATH}/ratchets.corpus.example.com`,
      { spec: { versions } },
      patch,
    );
    await expect.poll(async () => (await real.send('GET', `${path}/x`)).body.extra, { timeout: 120_000 }).toBe('given');
    const [expected, actual] = await alike('a new default shows on reads', 'GET', `${path}/x`);
    expect(withoutIdentity(actual.body)).toEqual(withoutIdentity(expected.body));
    await alike('another field', 'PATCH', `${path}/x`, { spec: { other: 'b' } }, patch);
    await alike('the same field', 'PATCH', `${path}/x`, { spec: { name: 'LOUDER' } }, patch);
    await alike('the same field, well', 'PATCH', `${path}/x`, { spec: { name: 'quiet' } }, patch);
    await alike('a new object', 'POST', path, { ...object, metadata: { name: 'y' }, spec: { name: 'LOUD' } });
  });

  it('serve several versions of one object', async () => {
    const version = (name: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
      ...more,
    });
    const text = { type: 'string' };
    const crd = definition('doubles', {
      spec: {
        versions: [
          version('v1', { a: text, b: text }, { deprecated: true }),
          version('v2', { a: text, c: { type: 'string', default: 'new' } }),
          version('v1beta1', { a: text }, { deprecated: true, deprecationWarning: 'use something else' }),
        ],
      },
    });
    const path = (name: string) => `/apis/corpus.example.com/${name}/namespaces/default/doubles`;
    await define(crd, path('v1'));
    const object = { apiVersion: 'corpus.example.com/v1', kind: 'Double', metadata: { name: 'x' } };
    await alike('create', 'POST', path('v1'), { ...object, spec: { a: '1', b: '2' } });
    for (const name of ['v1', 'v2', 'v1beta1']) {
      const [expected, actual] = await alike(name, 'GET', `${path(name)}/x`);
      expect(withoutIdentity(actual.body), name).toEqual(withoutIdentity(expected.body));
    }
  });

  it('accept finalizers without a domain, with a warning', async () => {
    const metadata = { name: 'meta', finalizers: ['plain', 'x.example.com'] };
    const object = { apiVersion: 'corpus.example.com/v1', kind: 'Sample', metadata, spec: {} };
    await alike('finalizers', 'POST', `${SAMPLES_PATH}?dryRun=All`, object);
  });

  it('prefer the same version of a group', async () => {
    const corpus = ({ body }: Answer) =>
      (body.groups as JsonObject[]).find(({ name }) => name === 'corpus.example.com');
    const [groups, ourGroups] = [await real.send('GET', '/apis'), await ours.send('GET', '/apis')];
    expect(corpus(ourGroups)).toEqual(corpus(groups));
  });

  it('select by the fields of the definition', async () => {
    const spec = { type: 'object', properties: { colour: { type: 'string' }, size: { type: 'integer' } } };
    const crd = definition('fields', {
      version: {
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        selectableFields: [{ jsonPath: '.spec.colour' }, { jsonPath: '.spec.size' }],
      },
    });
    const path = '/apis/corpus.example.com/v1/namespaces/default/fields';
    await define(crd, path);
    for (const [name, colour, size] of [
      ['a', 'red', 1],
      ['b', 'blue', 1],
      ['c', 'red', 2],
    ] as const) {
      const object = { apiVersion: 'corpus.example.com/v1', kind: 'Field', metadata: { name }, spec: { colour, size } };
      await alike(name, 'POST', path, object);
    }
    for (const selector of ['spec.colour=red', 'spec.colour!=red', 'spec.size=1,spec.colour=red', 'spec.shape=round']) {
      const [expected, actual] = await alike(selector, 'GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);
      const names = ({ body }: Answer) =>
        (body.items as JsonObject[] | undefined)?.map(({ metadata }) => (metadata as JsonObject).name);
      expect(names(actual), selector).toEqual(names(expected));
    }
  });

  it('describe a custom resource alike in OpenAPI', async () => {
    const path = '/openapi/v3/apis/corpus.example.com/v1';
    const schema = ({ body }: Answer) =>
      ((body.components as JsonObject)?.schemas as JsonObject | undefined)?.['com.example.corpus.v1.Sample'];
    await expect.poll(async () => schema(await real.send('GET', path)), { timeout: 120_000 }).toBeDefined();
    expect(withoutDescriptions(schema(await ours.send('GET', path)))).toEqual(
      withoutDescriptions(schema(await real.send('GET', path))),
    );
    const swagger = ({ body }: Answer) => (body.definitions as JsonObject)?.['com.example.corpus.v1.Sample'];
    await expect.poll(async () => swagger(await real.send('GET', '/openapi/v2')), { timeout: 120_000 }).toBeDefined();
    expect(withoutDescriptions(swagger(await ours.send('GET', '/openapi/v2')))).toEqual(
      withoutDescriptions(swagger(await real.send('GET', '/openapi/v2'))),
    );
  });

  it('describe built-in kinds alike in OpenAPI', async () => {
    for (const path of ['/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1', '/openapi/v3/apis/networking.k8s.io/v1']) {
      const schemas = ({ body }: Answer) => (body.components as JsonObject).schemas as JsonObject;
      const [expected, actual] = [schemas(await real.send('GET', path)), schemas(await ours.send('GET', path))];
      for (const [name, schema] of Object.entries(actual)) {
        expect(comparable(schema), name).toEqual(comparable(expected[name]));
      }
    }
  });

  it('evaluate rules alike', async () => {
    const path = '/apis/corpus.example.com/v1/namespaces/default/rules';
    const rules = RULES.map((rule) => ({ rule, ...(rule.includes('\n') ? { message: 'with a comment' } : {}) }));
    await define(ruledDefinition('rules', rules), path);
    const type = { apiVersion: 'corpus.example.com/v1', kind: 'Rule' };
    for (const [index, value] of RULED_VALUES.entries()) {
      const spec = Object.fromEntries(RULES.map((_, at) => [`r${at}`, value]));
      await alike(`value ${index}`, 'POST', path, { ...type, metadata: { name: `v${index}` }, spec });
    }
  });

  it('estimate the costs of rules alike', async () => {
    expect(COSTLY_DEFINITIONS.length).toBeGreaterThan(40);
    const accepted: boolean[] = [];
    for (const [what, crd] of COSTLY_DEFINITIONS) {
      const [{ status }] = await alike(what, 'POST', `${DEFINITIONS_PATH}?dryRun=All`, crd);
      accepted.push(status === 201);
    }
    expect(accepted.filter(Boolean).length).toBeGreaterThan(20);
    expect(accepted.filter((isAccepted) => !isAccepted).length).toBeGreaterThan(15);
  });

  it('stop rules that cost too much alike', async () => {
    const path = '/apis/corpus.example.com/v1/namespaces/default/budgets';
    await define(BUDGETED_DEFINITION, path);
    const type = { apiVersion: 'corpus.example.com/v1', kind: 'Budget' };
    for (const [what, spec] of [
      ['within the budget', budgeted(3, 300)],
      ['a failing rule', budgeted(1, 300, -1)],
      ['one rule too costly', budgeted(1, 400)],
      ['a failing rule, and a message too costly', budgeted(1, 400, -1)],
    ] as const) {
      await alike(what, 'POST', `${path}?dryRun=All`, { ...type, metadata: { name: 'x' }, spec });
    }
    // The real server goes through the lists in any order.
    for (const server of both()) {
      const object = { ...type, metadata: { name: 'x' }, spec: budgeted(30, 300) };
      const { status, body } = await server.send('POST', `${path}?dryRun=All`, object);
      expect(status).toBe(422);
      expect(body.message).toMatch(
        /spec\.l\d+: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run$/,
      );
    }
  });

  it('refuse rules alike', async () => {
    for (const rule of BAD_RULES) {
      await alike(JSON.stringify(rule), 'POST', DEFINITIONS_PATH, ruledDefinition('badrules', [rule]));
    }
  });

  it('treat messages, reasons and transitions of rules alike', async () => {
    const path = '/apis/corpus.example.com/v1/namespaces/default/moves';
    const rules: JsonObject[] = [
      { rule: 'self.a >= oldSelf.a', message: 'a must not sink' },
      { rule: 'self.a < 10', messageExpression: "'b is ' + self.b", fieldPath: '.a' },
      { rule: "self.b == 'x'", reason: 'FieldValueForbidden' },
      { rule: "self.b == 'x'", reason: 'FieldValueRequired', message: 'x is needed' },
      { rule: 'oldSelf.hasValue() || self.a == 0', optionalOldSelf: true, message: 'must begin at 0' },
      { rule: 'self.k.all(e, e.z < 5)', fieldPath: '.k' },
    ];
    await define(ruledDefinition('moves', rules), path);
    const type = { apiVersion: 'corpus.example.com/v1', kind: 'Move' };
    const patch = 'application/merge-patch+json';
    const good = { a: 0, b: 'x', k: [] };
    const fields = (value: JsonObject) => Object.fromEntries(rules.map((_, index) => [`r${index}`, value]));
    const bad = { ...type, metadata: { name: 'bad' }, spec: fields({ a: 12, b: 'y', k: [{ x: 'q', z: 7 }] }) };
    await alike('bad', 'POST', path, bad);
    await alike('good', 'POST', path, { ...type, metadata: { name: 'm' }, spec: fields(good) });
    await alike('up', 'PATCH', `${path}/m`, { spec: { r0: { a: 5 }, r4: { a: 5 } } }, patch);
    await alike('down', 'PATCH', `${path}/m`, { spec: { r0: { a: 4 } } }, patch);
    await alike('wrong type', 'PATCH', `${path}/m`, { spec: { r0: { a: 'x' }, r1: { a: 99 } } }, patch);
  });

  it('warn of rules that what was left alone would break', async () => {
    const path = '/apis/corpus.example.com/v1/namespaces/default/laters';
    const schema = (rules: JsonObject[]): JsonObject => ({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer', 'x-kubernetes-validations': rules }, b: { type: 'string' } },
        },
      },
    });
    const version = (rules: JsonObject[]): JsonObject => ({
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: schema(rules) },
    });
    await define(definition('laters', { spec: { versions: [version([])] } }), path);
    const object = { apiVersion: 'corpus.example.com/v1', kind: 'Later', metadata: { name: 'x' }, spec: { a: 99 } };
    await alike('create', 'POST', path, object);
    const patch = 'application/merge-patch+json';
    const stricter = { spec: { versions: [version([{ rule: 'self < 10', message: 'too much' }])] } };
    await alike('a rule', 'PATCH', `${DEFINITIONS_PATH}/laters.corpus.example.com`, stricter, patch);
    const trial = { ...object, metadata: { name: 'y' } };
    await expect
      .poll(async () => (await real.send('POST', `${path}?dryRun=All`, trial)).status, { timeout: 120_000 })
      .toBe(422);
    await alike('another field', 'PATCH', `${path}/x`, { spec: { b: 'y' } }, patch);
    await alike('the same field', 'PATCH', `${path}/x`, { spec: { a: 98 } }, patch);
  });
});

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, item]) => key !== 'description' || typeof item !== 'string');
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutDescriptions(item)]));
}

/** The tables from which the embedded server writes its schemas have no texts and no enums. */
function comparable(schema: unknown): unknown {
  const left = ['description', 'enum', 'deprecated', 'x-kubernetes-group-version-kind', 'x-kubernetes-unions'];
  if (Array.isArray(schema)) return schema.map(comparable);
  if (typeof schema !== 'object' || schema === null) return schema;
  // A reference alone, and one with room for a description, say the same.
  const { allOf, ...rest } = schema as { allOf?: unknown[] };
  const [only] = allOf ?? [];
  const whole = allOf?.length === 1 ? { ...rest, ...(only as object) } : schema;
  const entries = Object.entries(whole).filter(([key, value]) => !left.includes(key) || typeof value === 'object');
  const kept = entries.filter(([key]) => !left.slice(1).includes(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, comparable(value)]));
}
