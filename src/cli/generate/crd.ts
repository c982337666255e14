import { CliError } from '../cli-error.ts';

/** A node of an OpenAPI v3 schema. Its fields come from a file or a cluster, so each is checked where it is read. */
export type SchemaNode = Readonly<Record<string, unknown>>;

export interface CrdVersion {
  readonly name: string;
  readonly storage: boolean;
  /** Absent when the version accepts anything. */
  readonly schema?: SchemaNode;
}

/** What types and a resource token can be made of. */
export interface Crd {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly versions: readonly CrdVersion[];
}

/**
 * Reads the definition out of a decoded manifest. Undefined when it is something else; throws `CliError` when it is a
 * CustomResourceDefinition that cannot be used. `where` says where it comes from.
 */
export function readCrd(manifest: unknown, where: string): Crd | undefined {
  const root = asNode(manifest);
  if (root?.kind !== 'CustomResourceDefinition') return undefined;
  const fail = (problem: string) =>
    new CliError(
      `${where}: the CustomResourceDefinition ${JSON.stringify(asNode(root.metadata)?.name ?? '')} ${problem}`,
    );
  if (root.apiVersion !== 'apiextensions.k8s.io/v1') {
    throw fail(`is of the version ${JSON.stringify(root.apiVersion)}, and only apiextensions.k8s.io/v1 is understood`);
  }
  const spec = asNode(root.spec);
  const names = asNode(spec?.names);
  const group = pathName(spec?.group, 'spec.group', fail);
  const plural = pathName(names?.plural, 'spec.names.plural', fail);
  const kind = names?.kind;
  if (typeof kind !== 'string' || !/^[A-Za-z][A-Za-z0-9-]*$/.test(kind)) {
    throw fail(`has a spec.names.kind that is not a name: ${JSON.stringify(kind)}`);
  }
  const versions = Array.isArray(spec?.versions) ? spec.versions.map((entry: unknown) => readVersion(entry, fail)) : [];
  if (versions.length === 0) throw fail('has no versions');
  return { group, plural, kind, namespaced: spec?.scope !== 'Cluster', versions };
}

/** The manifests inside a List, of whatever depth, or the manifest itself. */
export function* manifestsIn(manifest: unknown, depth = 0): Iterable<unknown> {
  const root = asNode(manifest);
  const isList = typeof root?.kind === 'string' && root.kind.endsWith('List') && Array.isArray(root.items);
  if (!isList || depth > 8) {
    yield manifest;
    return;
  }
  for (const item of root.items as readonly unknown[]) {
    // The items of a typed list may leave out what the list says.
    const typed =
      root.kind === 'List' || asNode(item)?.kind !== undefined ? item : { ...typeOf(root), ...asNode(item) };
    yield* manifestsIn(typed, depth + 1);
  }
}

export function asNode(value: unknown): SchemaNode | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SchemaNode) : undefined;
}

function typeOf(list: SchemaNode): SchemaNode {
  return { apiVersion: list.apiVersion, kind: String(list.kind).replace(/List$/, '') };
}

function readVersion(entry: unknown, fail: (problem: string) => CliError): CrdVersion {
  const version = asNode(entry);
  const name = pathName(version?.name, 'spec.versions[].name', fail);
  const schema = asNode(asNode(version?.schema)?.openAPIV3Schema);
  return { name, storage: version?.storage === true, ...(schema && { schema }) };
}

/** These become parts of URLs, of file names and of the generated text: nothing but DNS names passes. */
function pathName(value: unknown, field: string, fail: (problem: string) => CliError): string {
  if (
    typeof value === 'string' &&
    value.length <= 253 &&
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(value)
  ) {
    return value;
  }
  throw fail(`has a ${field} that is not a DNS name: ${JSON.stringify(value)}`);
}
