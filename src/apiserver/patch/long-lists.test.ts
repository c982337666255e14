import { describe, expect, it } from 'vitest';
import { typeSchema } from '../../generated/type-schemas.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import { mergeSchemaOf } from '../apply/merge-schema.ts';
import { applyPatch } from '../apply/server-side-apply.ts';
import { asArray, asObject, getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { strategicMergePatch } from './strategic-merge.ts';

/*
 * So many items that looking for each among all the others would take hours. No duration is asserted: a walk that takes
 * the square of them does not come back before the test times out.
 */
const ITEMS = 200_000;
/** For what takes more steps for each item. */
const APPLIED_ITEMS = 10_000;
const POD = 'io.k8s.api.core.v1.Pod';

const variable = (index: number, value: string) => ({ name: `V${index}`, value });
const variables = (value: string, from = 0, length = ITEMS) =>
  Array.from({ length }, (_, index) => variable(from + index, value));
const pod = (env: JsonValue[], rest: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i', env, ...rest }] },
});
const envOf = (object: JsonObject) =>
  asArray(asObject(asArray(getPath(object, 'spec', 'containers'))[0]).env) as { name: string; value: string }[];

describe('lists of many keyed items', () => {
  const schema = typeSchema(POD);
  if (!schema) throw new Error('the schema of pods is missing');
  const patched = (original: JsonObject, patch: JsonObject) => strategicMergePatch(original, patch, schema, typeSchema);
  const change = (env: JsonValue[], rest: JsonObject = {}) => ({
    spec: { containers: [{ name: 'c', env, ...rest }] },
  });

  it('are merged by a strategic merge patch', () => {
    const half = ITEMS / 2;
    const env = envOf(patched(pod(variables('old')), change(variables('new', half))));
    expect(env).toHaveLength(ITEMS + half);
    const values = new Map(env.map(({ name, value }) => [name, value]));
    expect([values.get('V0'), values.get(`V${half}`), values.get(`V${ITEMS + half - 1}`)]).toEqual([
      'old',
      'new',
      'new',
    ]);
  });

  it('are emptied by the directives of a strategic merge patch', () => {
    const deletions = Array.from({ length: ITEMS }, (_, index) => ({ name: `V${index}`, $patch: 'delete' }));
    expect(envOf(patched(pod([...variables('old'), { name: 'KEPT', value: 'x' }]), change(deletions)))).toEqual([
      { name: 'KEPT', value: 'x' },
    ]);
    const finalizers = Array.from({ length: ITEMS }, (_, index) => `example.com/${index}`);
    const original = { metadata: { name: 'p', finalizers: [...finalizers, 'example.com/kept'] } };
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': finalizers } };
    expect(getPath(patched(original, patch), 'metadata', 'finalizers')).toEqual(['example.com/kept']);
  });

  it('are brought into the order that a strategic merge patch wants', () => {
    const order = Array.from({ length: ITEMS }, (_, index) => ({ name: `V${ITEMS - 1 - index}` }));
    const env = envOf(patched(pod(variables('old')), change([], { '$setElementOrder/env': order })));
    expect(env[0]?.name).toBe(`V${ITEMS - 1}`);
    expect(env).toHaveLength(ITEMS);
  });

  it('follow two patches of the same item in their order', () => {
    const env = [variable(1, 'first'), variable(1, 'second')];
    expect(envOf(patched(pod([variable(1, 'old')]), change(env)))).toEqual([variable(1, 'second')]);
  });

  it('are applied, and taken back again', () => {
    const common = { schema: mergeSchemaOf(POD, typeSchema), apiVersion: 'v1', kind: 'Pod', now: 0, force: false };
    const applied = applyPatch({
      ...common,
      live: undefined,
      config: pod(variables('old', 0, APPLIED_ITEMS)),
      manager: 'm',
    });
    const live = { ...applied, metadata: { ...asObject(applied.metadata), uid: 'u' } };
    const reversed = applyPatch({
      ...common,
      live,
      config: pod(variables('new', 0, APPLIED_ITEMS).reverse()),
      manager: 'm',
    });
    expect(envOf(reversed)[0]).toEqual(variable(APPLIED_ITEMS - 1, 'new'));
    expect(envOf(reversed)).toHaveLength(APPLIED_ITEMS);
    const emptied = applyPatch({ ...common, live: reversed, config: pod([variable(7, 'new')]), manager: 'm' });
    expect(envOf(emptied)).toEqual([variable(7, 'new')]);
  });

  it('are tracked through an update', () => {
    const common = { schema: mergeSchemaOf(POD, typeSchema), apiVersion: 'v1', kind: 'Pod', now: 0 };
    const created = trackUpdate({
      ...common,
      before: undefined,
      after: pod(variables('old', 0, APPLIED_ITEMS)),
      manager: 'one',
    });
    const before = { ...created, metadata: { ...asObject(created.metadata), uid: 'u' } };
    const updated = trackUpdate({
      ...common,
      before,
      after: { ...pod(variables('new', 0, APPLIED_ITEMS)), metadata: before.metadata },
      manager: 'two',
    });
    const managers = asArray(getPath(updated, 'metadata', 'managedFields')).map((entry) => asObject(entry).manager);
    expect(managers).toEqual(['one', 'two']);
  });
});
