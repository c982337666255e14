import type { FieldSchema, TypeSchema } from '../api/type-schema.ts';
import { SCALAR_CODES } from './scalar-codes.ts';
import { groupVersionPackages, typeSchemaPackages } from './tables/type-schemas.ts';

/*
 * The table holds one line a type: `Name` with its marks (`!` atomic, `=` form value, `?` form choice), then the fields,
 * each after a semicolon: `json,wire,type,flags` and extras.
 * - type: `[` a list of, `{` a map of; then the code of a scalar, `.Name` of the same package, or `3.Name` of package 3.
 * - flags: `p` pointer, `e` and `z` what JSON omits, `r` required, `i` inline.
 * - extras begin with a letter: `s` patchStrategy, `k` patchMergeKey, `l` listType and keys, `m` mapType, `d` default as JSON.
 */

/** By package, then by the type's own name: the line of the table until somebody asks, then the schema. */
const packages = new Map<string, Map<string, string | TypeSchema>>();

/** The schema of a Go struct by its OpenAPI name, `io.k8s.api.core.v1.Pod`. Calls for the same name give the same object. */
export function typeSchema(name: string): TypeSchema | undefined {
  const dot = name.lastIndexOf('.');
  const types = packageTypes(name.slice(0, dot));
  const own = name.slice(dot + 1);
  const found = types?.get(own);
  if (found === undefined || typeof found !== 'string') return found;
  const schema = parseType(name, name.slice(0, dot), found);
  types?.set(own, schema);
  return schema;
}

/**
 * The name of the schema of a kind: of objects (`apps/v1` `Deployment`), lists, and what subresources take (`Scale`,
 * `Eviction`); kinds that every version shares (`Status`, `DeleteOptions`, `WatchEvent`) are found under any.
 */
export function schemaOfKind(group: string, version: string, kind: string): string | undefined {
  const own = groupVersionPackages[`${group}/${version}`];
  const shared = groupVersionPackages['meta.k8s.io/v1'];
  for (const index of own === undefined ? [shared] : [own, shared]) {
    const name = typeSchemaPackages[index ?? -1]?.[0];
    if (name !== undefined && packageTypes(name)?.has(kind)) return `${name}.${kind}`;
  }
  return undefined;
}

/** Every name that `typeSchema` knows. */
export function typeSchemaNames(): string[] {
  return typeSchemaPackages.flatMap(([name]) => [...(packageTypes(name)?.keys() ?? [])].map((own) => `${name}.${own}`));
}

function packageTypes(name: string): Map<string, string | TypeSchema> | undefined {
  const known = packages.get(name);
  if (known) return known;
  const lines = typeSchemaPackages.find(([candidate]) => candidate === name)?.[1];
  if (lines === undefined) return undefined;
  const types = new Map(lines.split('\n').map((line) => [/^\w+/.exec(line)?.[0] ?? '', line]));
  packages.set(name, types);
  return types;
}

function parseType(name: string, packageName: string, line: string): TypeSchema {
  const [head = '', ...fields] = line.split(';');
  const form = head.includes('=') ? 'value' : head.includes('?') ? 'choice' : undefined;
  return {
    name,
    fields: fields.map((field) => parseField(field, packageName)),
    ...(form ? { form } : {}),
    ...(head.includes('!') ? { atomic: true } : {}),
  };
}

function parseField(text: string, packageName: string): FieldSchema {
  const [json = '', wire = '', typeText = '', flags = '', ...extras] = text.split(',');
  const extra = (letter: string) => extras.find((part) => part.startsWith(letter))?.slice(1);
  const strategy = extra('s');
  const mergeKey = extra('k');
  const [listType, ...listMapKeys] = extra('l')?.split('+') ?? [];
  const mapType = extra('m');
  const fallback = extra('d');
  return {
    json,
    wire: Number(wire),
    ...(flags.includes('i') ? { inline: true } : {}),
    shape: typeText.startsWith('[') ? 'list' : typeText.startsWith('{') ? 'map' : 'one',
    type: parseReference(typeText.replace(/^[[{]/, ''), packageName),
    pointer: flags.includes('p'),
    omit: flags.includes('e') ? 'empty' : flags.includes('z') ? 'zero' : 'never',
    required: flags.includes('r'),
    ...(strategy === undefined ? {} : { patchStrategy: strategy.replaceAll('+', ',') }),
    ...(mergeKey === undefined ? {} : { patchMergeKey: mergeKey }),
    ...(listType === undefined ? {} : { listType: listType as 'atomic' | 'set' | 'map' }),
    ...(listMapKeys.length === 0 ? {} : { listMapKeys }),
    ...(mapType === undefined ? {} : { mapType: mapType as 'atomic' | 'granular' }),
    ...(fallback === undefined ? {} : { default: JSON.parse(fallback) as unknown }),
  };
}

function parseReference(text: string, packageName: string): string {
  const dot = text.indexOf('.');
  if (dot < 0) return SCALAR_CODES[text] ?? text;
  const owner = dot === 0 ? packageName : typeSchemaPackages[Number(text.slice(0, dot))]?.[0];
  return `${owner}.${text.slice(dot + 1)}`;
}
