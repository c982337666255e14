import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { didYouMean } from '../api/suggestion.ts';
import type { FieldSchema } from '../api/type-schema.ts';
import { segmentsOf } from '../codec/filter/field-filter.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { findBuiltin } from '../generated/resources.ts';
import { typeSchema } from '../generated/type-schemas.ts';
import type { Indexers } from '../store/index-definition.ts';
import { IndexError } from '../store/index-error.ts';
import { parseIndexPath } from '../store/index-path.ts';
import type { InformerOrigin } from './informer-origin.ts';
import type { Transform } from './transform.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
/** What holds any JSON. */
const OPEN = new Set(['RawExtension', 'JSON', 'FieldsV1']);

/**
 * Throws `TypeError` for a path of `drop` or `keep`, `IndexError` for that of an index, that leads nowhere in the objects of a
 * built-in kind. In the objects of other kinds it is the metadata alone that are known. A server that is asked for JSON may be newer
 * than the tables, and a transform may add fields: their paths are not checked.
 */
export function checkPaths<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
  { indexers, transform }: { indexers?: Indexers<T>; transform?: Transform<T> | undefined },
): void {
  if ('listWatch' in origin || origin.encoding === 'json') return;
  const { resource } = origin;
  if (!origin.ofAnyKind) checkKeepPaths(resource, origin);
  if (transform) return;
  for (const [name, definition] of Object.entries(indexers ?? {})) {
    if (typeof definition !== 'string') continue;
    const problem = problemOf(resource, parseIndexPath(name, definition).segments);
    if (problem !== undefined) {
      throw new IndexError('index-definition', name, `cannot follow the path "${definition}": ${problem}`);
    }
  }
}

/** Throws `TypeError`. Without a resource, for a path that objects of every kind lack: other paths may be those of a custom resource. */
export function checkKeepPaths(resource: Resource | undefined, options: Pick<KeepOptions, 'drop' | 'keep'>): void {
  for (const name of ['drop', 'keep'] as const) {
    for (const path of options[name] ?? []) {
      const problem = problemOf(resource, segmentsOf(path));
      if (problem !== undefined) throw new TypeError(`${name}: cannot follow the path "${path}": ${problem}`);
    }
  }
}

/** Why objects have nothing at a path; undefined when they may have something. */
function problemOf(resource: Resource | undefined, segments: readonly string[]): string | undefined {
  const builtin = resource && findBuiltin(resource.group, resource.version, resource.plural);
  if (builtin) return follow(builtin.schema, segments, 0);
  return segments[0] === 'metadata' ? follow(OBJECT_META, segments, 1) : undefined;
}

function follow(type: string, segments: readonly string[], depth: number): string | undefined {
  const segment = segments[depth];
  const schema = typeSchema(type);
  if (segment === undefined || segment === '*' || schema === undefined || schema.form !== undefined) return undefined;
  const fields = fieldsOf(type);
  const field = fields.find(({ json }) => json === segment);
  const where = segments.slice(0, depth).join('.');
  if (field === undefined) {
    const what = where === '' ? `a ${type.slice(type.lastIndexOf('.') + 1)}` : where;
    const names = fields.map(({ json }) => json);
    const hint = didYouMean(segment, names);
    return `${what} has no field "${segment}"${hint ? `; ${hint}` : `, but ${names.sort().join(', ')}`}`;
  }
  const next = segments[depth + 1];
  if (next === undefined || OPEN.has(field.type)) return undefined;
  const here = segments.slice(0, depth + 1).join('.');
  if (field.shape === 'list' && next !== '*' && !/^\d+$/.test(next)) {
    return `${here} is a list; write "${here}.*.${segments.slice(depth + 1).join('.')}" for each element`;
  }
  const inside = field.shape === 'one' ? depth + 1 : depth + 2;
  if (inside >= segments.length) return undefined;
  if (typeSchema(field.type)) return follow(field.type, segments, inside);
  return `${segments.slice(0, inside).join('.')} is a value and has no fields`;
}

/** With those of embedded structs, which JSON shows in their parent. */
function fieldsOf(type: string): FieldSchema[] {
  const fields = typeSchema(type)?.fields ?? [];
  return fields.flatMap((field) => (field.inline ? fieldsOf(field.type) : [field]));
}
