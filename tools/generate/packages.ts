import type { GoDocument, GoType } from './sources.ts';

/**
 * `core/v1` for the Go package `k8s.io/api/core/v1`: where its types are found under `tidewatch/api/`. The folder is
 * that of client-go's typed client.
 */
export function doorOf(goPackage: string): string {
  const parts = goPackage.split('/');
  if (parts.length < 3) throw new Error(`${goPackage} is no package of an API group and version`);
  return parts.slice(-2).join('/');
}

/** `io.k8s.api.core.v1` for `io.k8s.api.core.v1.Pod`. */
export function modelPackage(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}

/** `csiDrivers` for `CSIDrivers`, `serviceCIDRs` for `ServiceCIDRs`: a leading acronym is lowered whole. */
export function lowerCamelCase(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (leading) => leading.toLowerCase());
}

/** The types that the kinds of the given groups and versions lead to, by name. `meta.k8s.io/v1` always belongs to them. */
export function reachableTypes(go: GoDocument, groupVersions: ReadonlySet<string>): Map<string, GoType> {
  const all = new Map(go.types.map((type) => [type.name, type]));
  const reached = new Map<string, GoType>();
  const visit = (name: string): void => {
    const type = all.get(name);
    if (!type || reached.has(name)) return;
    reached.set(name, type);
    for (const field of type.fields) visit(field.type);
  };
  for (const kind of go.kinds) {
    if (groupVersions.has(`${kind.group}/${kind.version}`)) visit(kind.type);
  }
  return new Map([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
}
