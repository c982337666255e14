import { compareVersions } from '../crd/version-priority.ts';
import type { ServedResource } from './served-resource.ts';
import type { Table } from './storage.ts';

/** Every resource that is served at present. Custom ones come and go. */
export class ResourceRegistry {
  readonly #resources = new Map<string, ServedResource>();
  readonly #byTable = new Map<Table, ServedResource>();
  /** Groups and versions that exist, in the order of discovery; kept even while a version serves nothing. */
  readonly #versions: { group: string; version: string }[] = [];

  /** Counts the changes of what is served. */
  generation = 0;

  add(resource: ServedResource): void {
    this.generation++;
    this.#resources.set(keyOf(resource.group, resource.version, resource.plural), resource);
    if (!this.#byTable.has(resource.table)) this.#byTable.set(resource.table, resource);
    const known = this.#versions.some(({ group, version }) => group === resource.group && version === resource.version);
    if (!known) this.#versions.push({ group: resource.group, version: resource.version });
  }

  remove(resource: ServedResource): void {
    this.generation++;
    this.#resources.delete(keyOf(resource.group, resource.version, resource.plural));
    if (this.#byTable.get(resource.table) === resource) {
      this.#byTable.delete(resource.table);
      const other = this.all().find((candidate) => candidate.table === resource.table);
      if (other) this.#byTable.set(other.table, other);
    }
    const left = this.inVersion(resource.group, resource.version).length;
    if (left > 0) return;
    const at = this.#versions.findIndex(
      (known) => known.group === resource.group && known.version === resource.version,
    );
    if (at >= 0) this.#versions.splice(at, 1);
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(keyOf(group, version, plural));
  }

  /** Any version of the resource that a table holds. */
  forTable(table: Table): ServedResource | undefined {
    return this.#byTable.get(table);
  }

  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.all().find((resource) => resource.apiVersion === apiVersion && resource.kind === kind);
  }

  all(): ServedResource[] {
    return [...this.#resources.values()];
  }

  inVersion(group: string, version: string): ServedResource[] {
    return this.all().filter((resource) => resource.group === group && resource.version === version);
  }

  /** The groups with their versions, preferred version first; the core group is "". */
  groups(): Map<string, string[]> {
    const groups = new Map<string, string[]>();
    for (const { group, version } of this.#versions) groups.set(group, [...(groups.get(group) ?? []), version]);
    // The built-in ones are in the order of a real server; definitions come in any order.
    for (const [group, versions] of groups) if (!this.hasBuiltins(group)) versions.sort(compareVersions);
    return groups;
  }

  /** Whether the group is one of the server's own. */
  hasBuiltins(group: string): boolean {
    return this.all().some((resource) => resource.group === group && !resource.init.custom);
  }

  hasVersion(group: string, version: string): boolean {
    return this.#versions.some((known) => known.group === group && known.version === version);
  }
}

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
