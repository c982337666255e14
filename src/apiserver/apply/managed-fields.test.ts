import { describe, expect, it } from 'vitest';
import { typeSchema } from '../../generated/type-schemas.ts';
import { asArray, asObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { managerName, trackUpdate } from './managed-fields.ts';
import { mergeSchemaOf, mergeSchemaOfStructural } from './merge-schema.ts';

const NOON = Date.parse('2024-05-01T12:00:00.900Z');
const configMaps = mergeSchemaOf('io.k8s.api.core.v1.ConfigMap', typeSchema);

interface Write {
  manager?: string;
  now?: number;
  subresource?: string;
}

/** As the server writes: what a client sent, then the server's uid. */
function write(before: JsonObject | undefined, after: JsonObject, options: Write = {}): JsonObject {
  const stored = trackUpdate({
    before,
    after,
    schema: configMaps,
    manager: 'm',
    apiVersion: 'v1',
    now: NOON,
    ...options,
  });
  return { ...stored, metadata: { ...asObject(stored.metadata), uid: 'uid' } };
}

function configMap(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { metadata: { name: 'c', ...metadata }, data };
}

const entriesOf = (object: JsonObject) => asArray(asObject(object.metadata).managedFields);
const managersOf = (object: JsonObject) => entriesOf(object).map((entry) => asObject(entry).manager);

/** Who owns what, by manager. */
function owners(object: JsonObject): Record<string, JsonValue | undefined> {
  return Object.fromEntries(
    entriesOf(object)
      .map(asObject)
      .map((entry) => [entry.manager, entry.fieldsV1]),
  );
}

describe('trackUpdate', () => {
  it('gives a new object to its creator, but for what identifies it', () => {
    expect(entriesOf(write(undefined, configMap({ a: '1' }, { labels: { x: 'y' } }), { manager: 'kubectl' }))).toEqual([
      {
        manager: 'kubectl',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2024-05-01T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:data': { '.': {}, 'f:a': {} },
          'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
        },
      },
    ]);
  });

  it('counts what Go prints for an empty object as there before', () => {
    const deployment = trackUpdate({
      before: undefined,
      after: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: {
          replicas: 1,
          selector: { matchLabels: { a: 'b' } },
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], resources: {} }] },
          },
        },
        status: { replicas: 1 },
      },
      schema: mergeSchemaOf('io.k8s.api.apps.v1.Deployment', typeSchema),
      manager: 'm',
      apiVersion: 'apps/v1',
      hasStatusSubresource: true,
      now: NOON,
    });
    expect(owners(deployment)).toEqual({
      m: {
        'f:spec': {
          'f:replicas': {},
          'f:selector': {},
          'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} }, 'f:type': {} },
          'f:template': {
            'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
            'f:spec': {
              'f:containers': {
                'k:{"name":"c"}': {
                  '.': {},
                  'f:image': {},
                  'f:name': {},
                  'f:ports': {
                    '.': {},
                    'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                  },
                  'f:resources': {},
                },
              },
            },
          },
        },
      },
    });
  });

  it('moves what changed to whoever changed it, and drops what went away', () => {
    const created = write(undefined, configMap({ a: '1', b: '1', c: '1' }), { manager: 'first' });
    const changed = write(created, configMap({ a: '1', b: '2', d: '1' }), { manager: 'second' });
    expect(owners(changed)).toEqual({
      first: { 'f:data': { '.': {}, 'f:a': {} } },
      second: { 'f:data': { 'f:b': {}, 'f:d': {} } },
    });
  });

  it('forgets a manager that owns nothing any more', () => {
    const created = write(undefined, configMap({ a: '1' }), { manager: 'first' });
    const labelled = write(created, { ...created, data: { a: '2' } }, { manager: 'second' });
    const emptied = write(labelled, { metadata: { name: 'c' } }, { manager: 'third' });
    expect(emptied.metadata).toEqual({ name: 'c', uid: 'uid' });
  });

  it('adds to the entry of the same manager, with a new time', () => {
    const created = write(undefined, configMap({ a: '1' }));
    const changed = write(created, configMap({ a: '1', b: '1' }), { now: NOON + 60_000 });
    expect(entriesOf(changed)).toMatchObject([
      { manager: 'm', time: '2024-05-01T12:01:00Z', fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } } },
    ]);
  });

  it('leaves everything, times included, as it was when nothing changed', () => {
    const created = write(undefined, configMap({ a: '1' }));
    const again = write(created, configMap({ a: '1' }), { manager: 'other', now: NOON + 60_000 });
    expect(again).toEqual(created);
  });

  it('keeps writes through subresources apart, and ignores the managedFields that come in there', () => {
    const created = write(undefined, configMap({ a: '1' }));
    const sent = configMap({ a: '2' }, { managedFields: [] });
    const changed = write(created, sent, { subresource: 'other' });
    expect(entriesOf(changed)).toMatchObject([{ manager: 'm' }, { manager: 'm', subresource: 'other' }]);
  });

  it('lets nobody own what a status endpoint puts back', () => {
    const before = { metadata: { uid: 'u', name: 'x' }, spec: { a: 1 }, status: {} };
    const track = (apiVersion: string, kind: string, subresource?: string) =>
      owners(
        trackUpdate({
          before: { ...before, metadata: { ...before.metadata, managedFields: [anyEntry] } },
          after: { metadata: { name: 'x', uid: 'u', labels: { l: '1' } }, spec: { a: 2 }, status: { b: 1 } },
          schema: mergeSchemaOfStructural(undefined),
          manager: 'm',
          apiVersion,
          kind,
          hasStatusSubresource: true,
          now: NOON,
          ...(subresource === undefined ? {} : { subresource }),
        }),
      ).m;
    const labels = { 'f:labels': { '.': {}, 'f:l': {} } };
    expect(track('example.com/v1', 'Thing')).toEqual({ 'f:metadata': labels, 'f:spec': { 'f:a': {} } });
    expect(track('example.com/v1', 'Thing', 'status')).toEqual({ 'f:status': { 'f:b': {} } });
    expect(track('apps/v1', 'DaemonSet', 'status')).toEqual({ 'f:metadata': labels, 'f:status': { 'f:b': {} } });
    expect(track('apps/v1', 'Deployment', 'status')).toEqual({ 'f:status': { 'f:b': {} } });
  });

  it.each([[[]], [[{}]]])('stops tracking after managedFields: %j, until somebody applies', (managedFields) => {
    const created = write(undefined, configMap({ a: '1' }));
    const reset = write(created, configMap({ a: '2' }, { managedFields }));
    expect(entriesOf(reset)).toEqual([]);
    expect(entriesOf(write(reset, configMap({ a: '3' })))).toEqual([]);
  });

  it('takes the managedFields of a client as its wish, and the stored ones when those are invalid', () => {
    const created = write(undefined, configMap({ a: '1' }));
    const wish = {
      manager: 'w',
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': {} },
    };
    const granted = write(created, configMap({ a: '1' }, { managedFields: [wish] }));
    expect(entriesOf(granted)).toEqual([wish]);
    for (const broken of [
      { ...wish, operation: 'Zap' },
      { ...wish, apiVersion: '' },
      { ...wish, fieldsType: 'V9' },
    ]) {
      expect(write(created, configMap({ a: '1' }, { managedFields: [broken] }))).toEqual(created);
    }
  });

  it('keeps ten entries of updates, and puts the oldest together', () => {
    let object = write(undefined, configMap({ k0: '' }), { manager: 'm0' });
    const data: JsonObject = { k0: '' };
    for (let index = 1; index <= 12; index++) {
      data[`k${index}`] = '';
      object = write(object, configMap({ ...data }), { manager: `m${index}`, now: NOON + index * 1000 });
    }
    expect(managersOf(object)).toEqual(['ancient-changes', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11', 'm12']);
    expect(owners(object)['ancient-changes']).toEqual({
      'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} },
    });
    expect(asObject(entriesOf(object)[0]).time).toBe('2024-05-01T12:00:03Z');
  });

  it('stores an object that its schema cannot explain without owners', () => {
    const schema = mergeSchemaOfStructural({
      type: 'object',
      properties: { set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } },
    });
    const after = { metadata: { name: 'x' }, set: [{ not: 'a scalar' }] };
    expect(trackUpdate({ before: undefined, after, schema, manager: 'm', apiVersion: 'a/v1', now: NOON })).toEqual(
      after,
    );
  });

  it('gives the whole of a map to its owners when the schema has become atomic', () => {
    const version = (mapType: string) =>
      mergeSchemaOfStructural({
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-map-type': mapType },
          other: { type: 'integer' },
        },
      });
    const options = { manager: 'm', apiVersion: 'a/v1', now: NOON };
    const created = trackUpdate({
      ...options,
      before: undefined,
      after: { metadata: { name: 'x' }, spec: { a: 1 } },
      schema: version('granular'),
    });
    const before = { ...created, metadata: { ...asObject(created.metadata), uid: 'u' } };
    const after = { metadata: { name: 'x', uid: 'u' }, spec: { a: 1 }, other: 1 };
    const changed = trackUpdate({ ...options, before, after, schema: version('atomic'), manager: 'n' });
    expect(owners(changed)).toEqual({ m: { 'f:spec': {} }, n: { 'f:other': {} } });
  });

  it('keeps labels apart that have the names of what objects have by nature', () => {
    const labels = JSON.parse('{"__proto__":"a","constructor":"b"}') as JsonObject;
    const created = write(undefined, configMap({}, { labels }));
    expect(JSON.stringify(owners(created).m)).toBe(
      '{"f:data":{},"f:metadata":{"f:labels":{".":{},"f:__proto__":{},"f:constructor":{}}}}',
    );
  });

  it('changes nothing that it is given', () => {
    const created = write(undefined, configMap({ a: '1' }));
    const after = configMap({ a: '2' }, { managedFields: entriesOf(created) });
    const before = structuredClone({ created, after });
    write(created, after, { manager: 'other' });
    expect({ created, after }).toEqual(before);
  });
});

const anyEntry = {
  manager: 'any',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:z': {} },
};

describe('managerName', () => {
  it.each([
    ['given', 'kubectl/v1.36.3', 'given'],
    [undefined, 'kubectl/v1.36.3 (linux/amd64)', 'kubectl'],
    ['', 'my\u0007 tool', 'my tool'],
    [undefined, 'x'.repeat(200), 'x'.repeat(128)],
    [undefined, undefined, ''],
  ])('of fieldManager %j and User-Agent %j is %j', (fieldManager, userAgent, expected) => {
    expect(managerName(fieldManager, userAgent)).toBe(expected);
  });
});
