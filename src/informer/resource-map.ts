import { type Resource, resourceName } from '../api/resource.ts';

/** A map whose keys are equal when they have the same group, version and plural name, as tokens of a resource are. */
export class ResourceMap<V> extends Map<Resource, V> {
  /** By name, the token that stands in the map. */
  readonly #tokens = new Map<string, Resource>();

  constructor(entries: Iterable<readonly [Resource, V]> = []) {
    super();
    for (const [resource, value] of entries) this.set(resource, value);
  }

  override get(resource: Resource): V | undefined {
    return super.get(this.#token(resource));
  }

  /** Any token of the resource finds it. */
  override has(resource: Resource): boolean {
    return super.has(this.#token(resource));
  }

  override set(resource: Resource, value: V): this {
    const token = this.#token(resource);
    this.#tokens.set(resourceName(token), token);
    return super.set(token, value);
  }

  /** Whether it was there. Any token of the resource finds it. */
  override delete(resource: Resource): boolean {
    const token = this.#token(resource);
    this.#tokens.delete(resourceName(token));
    return super.delete(token);
  }

  /** Forgets all. */
  override clear(): void {
    this.#tokens.clear();
    super.clear();
  }

  #token(resource: Resource): Resource {
    return this.#tokens.get(resourceName(resource)) ?? resource;
  }
}
