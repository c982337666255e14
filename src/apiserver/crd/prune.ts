import { isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { asResourceRoot, META_FIELDS, type Schema } from './structural-schema.ts';

/**
 * Removes in place what a resource's schema does not describe, and says where: `spec.foo`, `spec.list[0].bar`, sorted.
 * Below `x-kubernetes-preserve-unknown-fields` only what is inside described properties is pruned. The metadata of the
 * resource, and of embedded ones, is left alone: it has a type of its own.
 */
export function pruneResource(object: JsonObject, schema: Schema): string[] {
  return prune(object, asResourceRoot(schema));
}

/** As `pruneResource` for a value inside a resource, such as a default. */
export function prune(value: JsonValue, schema: Schema): string[] {
  const pruner = new Pruner();
  pruner.prune(value, schema, '');
  return pruner.pruned.sort();
}

class Pruner {
  readonly pruned: string[] = [];

  prune(value: JsonValue | undefined, schema: Schema | undefined, path: string): void {
    if (Array.isArray(value)) {
      const keep = schema?.preserveUnknownFields === true;
      for (const [index, item] of value.entries()) {
        // A preserved list preserves its items too, whether or not their schema says so.
        if (keep) this.#within(item, schema?.items, `${path}[${index}]`);
        else this.prune(item, schema?.items, `${path}[${index}]`);
      }
    } else if (isObject(value)) this.#object(value, schema, path, schema?.preserveUnknownFields === true);
  }

  #within(value: JsonValue | undefined, schema: Schema | undefined, path: string): void {
    if (schema === undefined) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.#within(item, schema.items, `${path}[${index}]`);
    } else if (isObject(value)) this.#object(value, schema, path, true);
  }

  #object(object: JsonObject, schema: Schema | undefined, path: string, keep: boolean): void {
    for (const key of Object.keys(object)) {
      if (schema?.embeddedResource && META_FIELDS.has(key)) continue;
      const at = path === '' ? key : `${path}.${key}`;
      const property = schema?.properties.get(key);
      if (property !== undefined) this.prune(object[key], property, at);
      else if (schema?.additionalProperties !== undefined) {
        const { additionalProperties } = schema;
        this.prune(object[key], typeof additionalProperties === 'object' ? additionalProperties : undefined, at);
      } else if (!keep) {
        this.pruned.push(at);
        delete object[key];
      }
    }
  }
}
