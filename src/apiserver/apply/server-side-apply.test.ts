import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typeSchema } from '../../generated/type-schemas.ts';
import { StatusError } from '../request/status-error.ts';
import { asArray, asObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { ApplyConflict } from './apply-conflict.ts';
import { trackUpdate } from './managed-fields.ts';
import { mergeSchemaOf, mergeSchemaOfStructural } from './merge-schema.ts';
import { type ApplyPatchOptions, applyPatch } from './server-side-apply.ts';

const NOON = Date.parse('2024-05-01T12:00:00Z');
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const configMaps = {
  schema: mergeSchemaOf('io.k8s.api.core.v1.ConfigMap', typeSchema),
  apiVersion: 'v1',
  kind: 'ConfigMap',
};
const services = { schema: mergeSchemaOf('io.k8s.api.core.v1.Service', typeSchema), apiVersion: 'v1', kind: 'Service' };
const deployments = {
  schema: mergeSchemaOf('io.k8s.api.apps.v1.Deployment', typeSchema),
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  hasStatusSubresource: true,
};

type Endpoint = Pick<ApplyPatchOptions, 'schema' | 'apiVersion'> & { kind: string; hasStatusSubresource?: boolean };

/** One object on a server that does nothing but apply and update. */
class Stage {
  object: JsonObject | undefined;
  readonly #endpoint: Endpoint;
  now = NOON;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  apply(manager: string, body: JsonObject, options: Partial<ApplyPatchOptions> = {}): JsonObject {
    const { apiVersion, kind } = this.#endpoint;
    const config = { apiVersion, kind, metadata: { name: 'x' }, ...body };
    const inputs = structuredClone({ live: this.object, config });
    const base = { ...this.#endpoint, live: this.object, config, manager, force: false, now: this.now };
    const result = applyPatch({ ...base, ...options });
    expect({ live: this.object, config }).toEqual(inputs);
    return this.#store(result);
  }

  update(manager: string, change: (object: JsonObject) => void): JsonObject {
    const { apiVersion, kind } = this.#endpoint;
    const after: JsonObject = structuredClone(this.object ?? { apiVersion, kind, metadata: { name: 'x' } });
    change(after);
    const before = this.object;
    return this.#store(trackUpdate({ ...this.#endpoint, before, after, manager, now: this.now }));
  }

  refusal(manager: string, body: JsonObject, options: Partial<ApplyPatchOptions> = {}): StatusError {
    const before = structuredClone(this.object);
    try {
      this.apply(manager, body, options);
    } catch (error) {
      expect(this.object).toEqual(before);
      if (error instanceof StatusError) return error;
      throw error;
    }
    throw new Error('the apply was not refused');
  }

  owners(): Record<string, JsonValue | undefined> {
    const entries = asArray(asObject(this.object?.metadata).managedFields).map(asObject);
    return Object.fromEntries(entries.map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]));
  }

  #store(object: JsonObject): JsonObject {
    this.object = { ...object, metadata: { ...asObject(object.metadata), uid: 'uid' } };
    return this.object;
  }
}

describe('applyPatch', () => {
  it('creates, and owns what the config mentions and nothing else', () => {
    const stage = new Stage(services);
    const created = stage.apply('me', { spec: { selector: { a: 'b' }, ports: [{ port: 80, name: 'http' }] } });
    expect(created.spec).toEqual({ selector: { a: 'b' }, ports: [{ port: 80, name: 'http' }] });
    expect(asObject(created.metadata).managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '2024-05-01T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
            'f:selector': {},
          },
        },
      },
    ]);
  });

  it('changes nothing, not even a time, when it is repeated', () => {
    const stage = new Stage(configMaps);
    const first = stage.apply('me', { data: { a: '1' } });
    stage.now += 60_000;
    expect(stage.apply('me', { data: { a: '1' } })).toEqual(first);
  });

  it('removes what the manager no longer applies, and keeps what others set', () => {
    const stage = new Stage(configMaps);
    stage.apply('me', { data: { a: '1', b: '1' } });
    stage.update('them', (object) => {
      asObject(object.data).c = '1';
    });
    expect(stage.apply('me', { data: { a: '1' } }).data).toEqual({ a: '1', c: '1' });
    stage.apply('me', {});
    expect(stage.object?.data).toEqual({ c: '1' });
    expect(stage.owners()).toEqual({ 'them Update': { 'f:data': { 'f:c': {} } } });
  });

  it('shares what two managers apply alike, until both let go', () => {
    const stage = new Stage(configMaps);
    stage.apply('one', { data: { a: '1', b: '1' } });
    stage.apply('two', { data: { a: '1' } });
    expect(stage.owners()).toEqual({
      'one Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } },
      'two Apply': { 'f:data': { 'f:a': {} } },
    });
    expect(stage.apply('one', {}).data).toEqual({ a: '1' });
    expect(stage.apply('two', {}).data).toBeUndefined();
  });

  it('refuses to change what another applied, and says what', () => {
    const stage = new Stage(configMaps);
    stage.apply('one', { data: { a: '1' } });
    const error = stage.refusal('two', { data: { a: '2' } });
    expect(error).toBeInstanceOf(ApplyConflict);
    expect(error.status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }] },
      code: 409,
    });
  });

  it('lists conflicts by manager', () => {
    const stage = new Stage(deployments);
    const web = (image: string) => ({ template: { spec: { containers: [{ name: 'web', image }] } } });
    stage.apply('b', { spec: { replicas: 1, ...web('x') } });
    stage.update('a', (object) => {
      asObject(object.spec).paused = true;
    });
    expect(stage.refusal('c', { spec: { replicas: 2, paused: false, ...web('y') } }).message).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "a" using apps/v1:',
        '- .spec.paused',
        'conflicts with "b":',
        '- .spec.replicas',
        '- .spec.template.spec.containers[name="web"].image',
      ].join('\n'),
    );
  });

  it('names the subresource through which the other came', () => {
    const stage = new Stage(deployments);
    stage.apply('one', {});
    stage.apply('ctl', { status: { replicas: 1 } }, { subresource: 'status' });
    expect(stage.refusal('two', { status: { replicas: 2 } }, { subresource: 'status' }).message).toBe(
      'Apply failed with 1 conflict: conflict with "ctl" with subresource "status": .status.replicas',
    );
  });

  it('takes fields over by force', () => {
    const stage = new Stage(configMaps);
    stage.apply('one', { data: { a: '1', b: '1' } });
    expect(stage.apply('two', { data: { a: '2' } }, { force: true }).data).toEqual({ a: '2', b: '1' });
    expect(stage.owners()).toEqual({
      'one Apply': { 'f:data': { 'f:b': {} } },
      'two Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  it('merges lists by key, with the default of a key that is left out', () => {
    const stage = new Stage(services);
    stage.apply('one', {
      spec: {
        ports: [
          { port: 80, name: 'http' },
          { port: 443, name: 'https' },
        ],
      },
    });
    stage.apply('two', { spec: { ports: [{ port: 53, protocol: 'UDP', name: 'dns' }] } });
    const ports = asObject(
      stage.apply('one', { spec: { ports: [{ port: 443, protocol: 'TCP', name: 'https' }] } }).spec,
    ).ports;
    expect(ports).toEqual([
      { port: 443, name: 'https', protocol: 'TCP' },
      { port: 53, protocol: 'UDP', name: 'dns' },
    ]);
  });

  it('merges sets member by member', () => {
    const stage = new Stage(configMaps);
    const finalizers = (...items: string[]) => ({ metadata: { name: 'x', finalizers: items } });
    stage.apply('one', finalizers('a', 'b'));
    stage.apply('two', finalizers('c', 'b'));
    expect(asObject(stage.apply('one', finalizers('b')).metadata).finalizers).toEqual(['c', 'b']);
  });

  it('treats atomic lists and maps as one value', () => {
    const stage = new Stage(deployments);
    stage.apply('one', { spec: { selector: { matchLabels: { a: '1' } } } });
    const other = { spec: { selector: { matchLabels: { a: '1', b: '2' } } } };
    expect(stage.refusal('two', other).message).toContain('conflict with "one": .spec.selector');
    expect(asObject(stage.apply('two', other, { force: true }).spec).selector).toEqual({
      matchLabels: { a: '1', b: '2' },
    });
  });

  it('leaves the status to its endpoint where there is one', () => {
    const stage = new Stage(deployments);
    stage.apply('me', { spec: { replicas: 1 }, status: { replicas: 7 } });
    expect(stage.owners()).toEqual({ 'me Apply': { 'f:spec': { 'f:replicas': {} } } });
  });

  it('gives an object that was not tracked to before-first-apply', () => {
    const stage = new Stage(configMaps);
    stage.object = { metadata: { name: 'x', uid: 'u' }, data: { a: '1', b: '1' } };
    expect(stage.refusal('me', { data: { a: '2' } }).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
    stage.apply('me', { data: { a: '2' } }, { force: true });
    expect(stage.owners()).toEqual({
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:b': {} } },
      'me Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  describe('on an object of client-side apply', () => {
    function clientSideApplied(): Stage {
      const stage = new Stage(configMaps);
      stage.update('kubectl-client-side-apply', (object) => {
        object.data = { a: '1', b: '1' };
        const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1', b: '1' } };
        asObject(object.metadata).annotations = { [LAST_APPLIED]: JSON.stringify(config) };
      });
      return stage;
    }

    it('lets kubectl take its own fields, and keeps the annotation in step', () => {
      const stage = clientSideApplied();
      const taken = stage.apply('kubectl', { data: { a: '2', b: '1' } });
      expect(taken.data).toEqual({ a: '2', b: '1' });
      expect(asObject(asObject(taken.metadata).annotations)[LAST_APPLIED]).toBe(
        '{"apiVersion":"v1","data":{"a":"2","b":"1"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
      );
    });

    it('still protects what somebody has changed since', () => {
      const stage = clientSideApplied();
      stage.update('them', (object) => {
        asObject(object.data).b = '9';
      });
      expect(stage.refusal('kubectl', { data: { a: '2', b: '1' } }).message).toBe(
        'Apply failed with 1 conflict: conflict with "them" using v1: .data.b',
      );
    });

    it('lets nobody else', () => {
      expect(clientSideApplied().refusal('other', { data: { a: '2' } }).message).toContain('kubectl-client-side-apply');
    });
  });

  it.each([
    [400, 'metadata.managedFields must be nil', { metadata: { name: 'x', managedFields: [] } }],
    [400, 'invalid object type: apps/v2, Kind=Deployment', { apiVersion: 'apps/v2' }],
    [400, 'invalid object type: apps/v1, Kind=Foo', { kind: 'Foo' }],
    [
      500,
      'failed to create typed patch object (ns/x; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema',
      { metadata: { name: 'x', namespace: 'ns' }, spec: { foo: 1 } },
    ],
    [
      500,
      'failed to create typed patch object (/x; apps/v1, Kind=Deployment): errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.minReadySeconds: expected numeric (int or float), got bool',
      { spec: { replicas: '3', minReadySeconds: true } },
    ],
    [
      500,
      'failed to create typed patch object (/x; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="web"]',
      { spec: { template: { spec: { containers: [{ name: 'web' }, { name: 'web' }] } } } },
    ],
    [
      500,
      'failed to create typed patch object (/x; apps/v1, Kind=Deployment): .spec.template.spec.containers: expected list, got &{map[a:1]}',
      { spec: { template: { spec: { containers: { a: 1 } } } } },
    ],
    [
      500,
      'failed to create typed patch object (/x; apps/v1, Kind=Deployment): .metadata.labels.a: expected string, got &value.valueUnstructured{Value:8080}',
      { metadata: { name: 'x', labels: { a: 8080 } } },
    ],
  ] satisfies [number, string, JsonObject][])('answers %i %s', (code, message, body) => {
    expect(new Stage(deployments).refusal('me', body).status).toMatchObject({ code, message });
  });

  it('refuses a keyed list without keys, in an object of a custom resource', () => {
    const schema = mergeSchemaOfStructural({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'id'],
          items: { type: 'object', properties: { name: { type: 'string' }, id: { type: 'string' } } },
        },
      },
    });
    const stage = new Stage({ schema, apiVersion: 'a.io/v1', kind: 'T' });
    expect(stage.refusal('me', { items: [{}] }).message).toBe(
      `failed to create typed patch object (/x; a.io/v1, Kind=T): .items: element 0: associative list with keys has an element that omits all key fields ["name" "id"] (and doesn't have default values for any key fields)`,
    );
    expect(stage.apply('me', { items: [{ id: '1' }, { name: 'a', id: '1' }] }).items).toHaveLength(2);
  });

  it('applies to a custom resource without a schema: lists whole, maps key by key', () => {
    const stage = new Stage({ schema: mergeSchemaOfStructural(undefined), apiVersion: 'a.io/v1', kind: 'T' });
    stage.apply('one', { spec: { list: [1], map: { a: 1 } } });
    expect(stage.apply('two', { spec: { map: { b: 2 } } }).spec).toEqual({ list: [1], map: { a: 1, b: 2 } });
    expect(stage.refusal('two', { spec: { list: [1, 2] } }).message).toContain('.spec.list');
  });

  describe('whatever is applied', () => {
    const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.constantFrom('1', '2'));
    const steps = fc.array(fc.record({ manager: fc.constantFrom('one', 'two'), apply: fc.boolean(), data }), {
      minLength: 1,
      maxLength: 8,
    });

    it('a forced apply wins, is remembered, and repeating it changes nothing', () => {
      fc.assert(
        fc.property(steps, data, (history, last) => {
          const stage = play(history);
          const config = structuredClone(last) as JsonObject;
          const applied = stage.apply('me', { data: config }, { force: true });
          for (const key of Object.keys(config)) expect(asObject(applied.data)[key]).toBe(config[key]);
          expect(stage.apply('me', { data: config })).toEqual(applied);
          const rest = stage.apply('me', {});
          const others = Object.keys(asObject(rest.data)).filter((key) => Object.hasOwn(config, key));
          for (const key of others) expect(JSON.stringify(stage.owners())).toContain(`"f:${key}"`);
        }),
      );
    });

    it('every key has an owner, and no owner has a key that is not there', () => {
      fc.assert(
        fc.property(steps, (history) => {
          const stage = play(history);
          const owned = new Set<string>();
          for (const fields of Object.values(stage.owners())) {
            for (const element of Object.keys(asObject(asObject(fields)['f:data']))) {
              if (element !== '.') owned.add(element.slice(2));
            }
          }
          expect(owned).toEqual(new Set(Object.keys(asObject(stage.object?.data))));
        }),
      );
    });

    function play(history: readonly { manager: string; apply: boolean; data: Record<string, string> }[]): Stage {
      const stage = new Stage(configMaps);
      // Somebody owns something throughout: an object without owners is not tracked.
      stage.apply('base', { metadata: { name: 'x', labels: { base: 'yes' } } });
      for (const step of history) {
        const body = structuredClone(step.data) as JsonObject;
        if (step.apply) stage.apply(step.manager, { data: body }, { force: true });
        else {
          stage.update(step.manager, (object) => {
            object.data = body;
          });
        }
      }
      return stage;
    }
  });
});
