import type { ServedResource } from './served-resource.ts';

/** Every resource that is served at present. Custom ones come and go. */
export class ResourceRegistry {
  readonly #resources = new Map<string, ServedResource>();
  /** Groups and versions that exist, in the order of discovery; kept even while a version serves nothing. */
  readonly #versions: { group: string; version: string }[] = [];

  add(resource: ServedResource): void {
    this.#resources.set(keyOf(resource.group, resource.version, resource.plural), resource);
    const known = this.#versions.some(({ group, version }) => group === resource.group && version === resource.version);
    if (!known) this.#versions.push({ group: resource.group, version: resource.version });
  }

  remove(resource: ServedResource): void {
    this.#resources.delete(keyOf(resource.group, resource.version, resource.plural));
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

  /** Any version of the resource; the preferred one when there are several. */
  findAny(group: string, plural: string): ServedResource | undefined {
    return this.all().find((resource) => resource.group === group && resource.plural === plural);
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
    return groups;
  }

  hasVersion(group: string, version: string): boolean {
    return this.#versions.some((known) => known.group === group && known.version === version);
  }
}

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
