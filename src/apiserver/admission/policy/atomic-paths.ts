import { childSchema, kindOf, type MergeSchema } from '../../apply/schema-node.ts';
import { asArray, asObject, type JsonValue } from '../../values/json.ts';

/** Where a value has parts that can only be replaced as a whole, as `.spec.args`. */
export function atomicPaths(value: JsonValue, schema: MergeSchema, path = ''): string[] {
  const kind = kindOf(schema, value);
  if (kind === 'map' && schema.map) {
    const { map } = schema;
    const own = map.atomic ? [path] : [];
    const inner = Object.entries(asObject(value)).flatMap(([key, item]) => {
      return map.field(key) ? atomicPaths(item ?? null, childSchema(map, key), `${path}.${key}`) : [];
    });
    return [...own, ...inner];
  }
  if (kind !== 'list' || !schema.list) return [];
  const { list } = schema;
  const own = list.kind === 'atomic' ? [path] : [];
  return [...own, ...asArray(value).flatMap((item) => atomicPaths(item, list.items, path))];
}
