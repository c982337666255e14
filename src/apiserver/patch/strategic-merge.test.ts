import { describe, expect, it } from 'vitest';
import { typeSchema } from '../../generated/type-schemas.ts';
import { StatusError } from '../request/status-error.ts';
import type { JsonObject, JsonValue } from '../values/json.ts';
import { strategicMergePatch } from './strategic-merge.ts';

function patchAs(type: string, original: JsonObject, patch: JsonObject): JsonObject {
  const schema = typeSchema(type);
  if (!schema) throw new Error(`no type ${type}`);
  return strategicMergePatch(original, patch, schema, typeSchema);
}

const patchPod = (original: JsonObject, patch: JsonObject) => patchAs('io.k8s.api.core.v1.Pod', original, patch);
const patchDeployment = (original: JsonObject, patch: JsonObject) =>
  patchAs('io.k8s.api.apps.v1.Deployment', original, patch);

const containers = (...items: JsonObject[]): JsonObject => ({ spec: { containers: items } });
const finalizers = (...items: string[]): JsonObject => ({ metadata: { finalizers: items } });

describe('strategicMergePatch', () => {
  it.each([
    [
      'merges maps and removes with null',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null, c: '3', d: null } } },
      { metadata: { labels: { b: '2', c: '3' } } },
    ],
    [
      'merges a list by its key, patched items first where the order is open',
      containers({ name: 'a', image: '1' }, { name: 'b', image: '1' }),
      containers({ name: 'c', image: '2' }, { name: 'b', image: '2' }),
      containers({ name: 'c', image: '2' }, { name: 'a', image: '1' }, { name: 'b', image: '2' }),
    ],
    [
      'merges lists inside the items of lists',
      containers({ name: 'a', env: [{ name: 'X', value: '1' }], ports: [{ containerPort: 80 }] }),
      containers({ name: 'a', env: [{ name: 'Y', value: '2' }], ports: [{ containerPort: 80, name: 'http' }] }),
      containers({
        name: 'a',
        env: [
          { name: 'Y', value: '2' },
          { name: 'X', value: '1' },
        ],
        ports: [{ containerPort: 80, name: 'http' }],
      }),
    ],
    [
      'replaces a list without a merge key',
      containers({ name: 'a', args: ['x', 'y'] }),
      containers({ name: 'a', args: ['z'] }),
      containers({ name: 'a', args: ['z'] }),
    ],
    [
      'deletes items by their key',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'a', $patch: 'delete' }, { name: 'x', $patch: 'delete' }),
      containers({ name: 'b' }),
    ],
    [
      'replaces a list on demand',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'c' }, { $patch: 'replace' }),
      containers({ name: 'c' }),
    ],
    [
      'replaces a map on demand',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'replace', b: '2' } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'empties a map on demand',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'delete' } } },
      { metadata: { labels: {} } },
    ],
    [
      'merges a list of scalars as a set',
      finalizers('a', 'b'),
      { metadata: { finalizers: ['c', 'a'] } },
      finalizers('c', 'a', 'b'),
    ],
    [
      'deletes from a list of scalars',
      finalizers('a', 'b', 'c'),
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] } },
      finalizers('b', 'c'),
    ],
    [
      'brings a list of scalars into order',
      finalizers('a', 'b', 'c'),
      { metadata: { '$setElementOrder/finalizers': ['d', 'b', 'a'], finalizers: ['d'] } },
      finalizers('d', 'b', 'a', 'c'),
    ],
    [
      'brings items into order, and lets those that the order does not name keep their places',
      containers({ name: 'a' }, { name: 'sidecar' }, { name: 'b' }),
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }, { name: 'c' }],
          containers: [{ name: 'c', image: 'x' }],
        },
      },
      containers({ name: 'sidecar' }, { name: 'b' }, { name: 'a' }, { name: 'c', image: 'x' }),
    ],
    [
      'puts a new item in the place of a deleted one, as kubectl apply sends them',
      containers({ name: 'old' }, { name: 'sidecar' }),
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'new' }],
          containers: [{ name: 'new' }, { name: 'old', $patch: 'delete' }],
        },
      },
      containers({ name: 'sidecar' }, { name: 'new' }),
    ],
    [
      'only reorders when the patch has no list',
      containers({ name: 'a' }, { name: 'b' }),
      { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      containers({ name: 'b' }, { name: 'a' }),
    ],
    [
      'retains only the keys that the patch names',
      { spec: { volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] } },
      { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' }, $retainKeys: ['name', 'hostPath'] }] } },
      { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
    ],
    [
      'takes what is new without its nulls and directives',
      { spec: {} },
      { spec: { securityContext: { runAsUser: null, fsGroup: 1 }, containers: [{ name: 'a' }, { $patch: 'delete' }] } },
      { spec: { securityContext: { fsGroup: 1 }, containers: [{ name: 'a' }] } },
    ],
    [
      'merges the fields of embedded structs',
      { spec: { volumes: [{ name: 'v', configMap: { name: 'x' } }] } },
      { spec: { volumes: [{ name: 'v', configMap: { optional: true } }] } },
      { spec: { volumes: [{ name: 'v', configMap: { name: 'x', optional: true } }] } },
    ],
  ] satisfies [string, JsonObject, JsonObject, JsonObject][])('%s', (_name, original, patch, expected) => {
    const before = structuredClone({ original, patch });
    const result = patchPod(original, patch);
    expect(result).toEqual(expected);
    expect({ original, patch }).toEqual(before);
  });

  it('clears a strategy with retainKeys, as kubectl does when its type changes', () => {
    const original = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(patchDeployment(original, patch)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  it('merges keys that objects have by nature', () => {
    const original = JSON.parse('{"metadata":{"labels":{"constructor":"a"}}}') as JsonObject;
    const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"b","constructor":null}}}') as JsonObject;
    expect(JSON.stringify(patchPod(original, patch))).toBe('{"metadata":{"labels":{"__proto__":"b"}}}');
  });

  it.each([
    [400, 'invalid patch format of retainKeys', { metadata: { $retainKeys: 'x' } }],
    [400, 'invalid patch format of retainKeys', { metadata: { $retainKeys: ['name'], labels: {} } }],
    [400, 'invalid patch format of primitive list', { metadata: { $deleteFromPrimitiveList: ['a'] } }],
    [400, 'invalid patch format of setElementOrder list', { metadata: { $setElementOrder: [] } }],
    [500, 'unknown patch type: zap in map: map[$patch:zap]', { $patch: 'zap' }],
    [500, 'expected a []interface {}, but received a string', { metadata: { '$setElementOrder/finalizers': 'x' } }],
    [500, 'map: map[image:x] does not contain declared merge key: name', containers({ image: 'x' })],
    [500, 'merging lists cannot yet be specified in the patch', containers({ name: 'a', $patch: 'merge' })],
    [
      500,
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
      { spec: { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] } },
    ],
  ] satisfies [number, string, JsonValue][])('answers %i %s', (code, message, patch) => {
    const original: JsonObject = { metadata: { finalizers: ['f'] }, spec: { containers: [{ name: 'a' }] } };
    let refusal: unknown;
    try {
      patchPod(original, patch as JsonObject);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(StatusError);
    expect((refusal as StatusError).status).toMatchObject({ code, message });
  });
});
