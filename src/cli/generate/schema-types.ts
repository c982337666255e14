import { asNode, type SchemaNode } from './crd.ts';
import { docComment, propertyName, stringLiteral } from './source-text.ts';
import type { TypeNames } from './type-names.ts';

/** Deeper than any schema that a server accepts; a manifest whose anchors form a circle ends here at the latest. */
const MAX_DEPTH = 64;

const REFERENCE = '#/components/schemas/';

/** What `$ref` leads to. */
export interface Definitions {
  /** By name: those of a document of OpenAPI. */
  readonly schemas: SchemaNode;
  /** By the same name: the TypeScript types that are there already, and those that a reference has made. */
  readonly types: Map<string, string>;
}

/** From an OpenAPI v3 schema, as Kubernetes restricts it, to TypeScript types. */
export class SchemaTypes {
  readonly #names: TypeNames;
  /** The interfaces made so far, in the order of their first use. */
  readonly #interfaces: string[][] = [];
  /** The nodes above the present one. */
  readonly #path: SchemaNode[] = [];

  readonly #definitions: Definitions;

  /** Without definitions, what a reference leads to is unknown. */
  constructor(names: TypeNames, definitions: Definitions = { schemas: {}, types: new Map() }) {
    this.#names = names;
    this.#definitions = definitions;
  }

  get source(): string[] {
    return this.#interfaces.flatMap((lines) => ['', ...lines]);
  }

  /** The type of a value; objects with properties become interfaces named after `name`. */
  typeOf(schema: unknown, name: readonly string[]): string {
    const node = asNode(schema);
    if (node === undefined || this.#path.includes(node) || this.#path.length >= MAX_DEPTH) return 'unknown';
    this.#path.push(node);
    const type = this.#nonNull(node, name);
    this.#path.pop();
    return node.nullable === true && type !== 'unknown' ? `${type} | null` : type;
  }

  /** The members of an object with these properties, `fixed` ones in place of those of the schema. */
  members(node: SchemaNode, name: readonly string[], fixed: ReadonlyMap<string, readonly string[]>): string[] {
    const required = new Set(Array.isArray(node.required) ? node.required : []);
    const lines = [...fixed.values()].flat();
    for (const [property, schema] of Object.entries(asNode(node.properties) ?? {})) {
      if (fixed.has(property)) continue;
      const mark = required.has(property) ? '' : '?';
      const type = this.typeOf(schema, [...name, property]);
      lines.push(...docComment(documentation(schema), '  '), `  ${propertyName(property)}${mark}: ${type};`);
    }
    if (isOpen(node)) lines.push('  [key: string]: unknown;');
    return lines;
  }

  #nonNull(node: SchemaNode, name: readonly string[]): string {
    if (typeof node.$ref === 'string') return this.#referred(node.$ref);
    const [whole, ...others] = Array.isArray(node.allOf) ? node.allOf : [];
    if (asNode(whole)?.$ref !== undefined && others.length === 0) return this.typeOf(whole, name);
    if (Array.isArray(node.enum)) return literals(node.enum);
    if (node['x-kubernetes-int-or-string'] === true) return 'number | string';
    if (node['x-kubernetes-embedded-resource'] === true) return this.#embedded(node, name);
    switch (node.type) {
      case 'string':
        return 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'array':
        return arrayOf(this.typeOf(node.items, [...name, 'item']));
      case 'object':
        return this.#object(node, name);
      case undefined:
        return node.properties === undefined ? this.#alternatives(node, name) : this.#object(node, name);
      default:
        return 'unknown';
    }
  }

  #object(node: SchemaNode, name: readonly string[]): string {
    if (asNode(node.properties) !== undefined) return this.#interface(node, name, new Map(), '');
    const values = asNode(node.additionalProperties);
    return values === undefined
      ? 'Record<string, unknown>'
      : `Record<string, ${this.typeOf(values, [...name, 'value'])}>`;
  }

  /** A whole object of any kind inside another. */
  #embedded(node: SchemaNode, name: readonly string[]): string {
    const own = Object.keys(asNode(node.properties) ?? {}).some((key) => !TYPE_AND_METADATA.includes(key));
    if (!own) return isOpen(node) ? 'KubernetesObject & Record<string, unknown>' : 'KubernetesObject';
    const inherited = new Map(TYPE_AND_METADATA.map((key) => [key, []]));
    return this.#interface(node, name, inherited, ' extends KubernetesObject');
  }

  /** An interface of its own for an object, however often it is referred to; the type itself for what is a value. */
  #referred(reference: string): string {
    const key = reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : '';
    const { schemas, types } = this.#definitions;
    const known = types.get(key);
    if (known !== undefined) return known;
    const node = Object.hasOwn(schemas, key) ? asNode(schemas[key]) : undefined;
    const own = key.slice(key.lastIndexOf('.') + 1);
    if (asNode(node?.properties) === undefined) return this.typeOf(node, [own]);
    const name = this.#names.type(own);
    types.set(key, name);
    const lines: string[] = [];
    this.#interfaces.push(lines);
    const members = this.members(node ?? {}, [own], new Map());
    lines.push(...docComment(documentation(node)), `export interface ${name} {`, ...members, '}');
    return name;
  }

  /** Without a type, `anyOf` or `oneOf` may tell which ones are allowed. */
  #alternatives(node: SchemaNode, name: readonly string[]): string {
    const branches = [node.anyOf, node.oneOf].find(Array.isArray) as readonly unknown[] | undefined;
    if (!branches?.length || !branches.every((branch) => typeof asNode(branch)?.type === 'string')) return 'unknown';
    return [...new Set(branches.map((branch) => this.typeOf(branch, name)))].join(' | ');
  }

  #interface(
    node: SchemaNode,
    path: readonly string[],
    fixed: ReadonlyMap<string, readonly string[]>,
    heritage: string,
  ): string {
    const name = this.#names.type(...path);
    const lines: string[] = [];
    this.#interfaces.push(lines);
    lines.push(`export interface ${name}${heritage} {`, ...this.members(node, path, fixed), '}');
    return name;
  }
}

const TYPE_AND_METADATA = ['apiVersion', 'kind', 'metadata'];

/** What the comment of a property says: its description, its form and its default. */
export function documentation(schema: unknown): string[] {
  const node = asNode(schema);
  const said: string[] = [];
  if (typeof node?.description === 'string') said.push(node.description.trim());
  if (typeof node?.format === 'string' && node['x-kubernetes-int-or-string'] !== true)
    said.push(`Format: ${node.format}.`);
  if (node?.default !== undefined && shortJson(node.default) !== '{}') said.push(`Default: ${shortJson(node.default)}`);
  return said.filter((text) => text !== '');
}

function shortJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    // Anchors of a manifest can form a circle.
  }
  return json === undefined || json.length > 200 ? 'see the definition' : json;
}

/** Whether there may be fields that the schema does not name. */
function isOpen(node: SchemaNode): boolean {
  return (
    node['x-kubernetes-preserve-unknown-fields'] === true ||
    node.additionalProperties === true ||
    asNode(node.additionalProperties) !== undefined
  );
}

function literals(values: readonly unknown[]): string {
  const types = values.map((value) => {
    if (typeof value === 'string') return stringLiteral(value);
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
      return String(value);
    }
    return 'unknown';
  });
  if (types.length === 0) return 'never';
  return types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ');
}

function arrayOf(type: string): string {
  return /[|&]/.test(type) ? `(${type})[]` : `${type}[]`;
}
