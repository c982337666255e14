import type { FieldSchema } from '../../src/api/type-schema.ts';
import type { GoField, GoType, OpenApiSchema } from './sources.ts';

/** What OpenAPI adds to the Go structs. */
export class FieldFacts {
  readonly #schemas: ReadonlyMap<string, OpenApiSchema>;
  /** A type that is only ever embedded has no schema of its own; its fields stand in the schema of a parent. */
  readonly #parents = new Map<string, string>();

  constructor(types: ReadonlyMap<string, GoType>, schemas: ReadonlyMap<string, OpenApiSchema>) {
    this.#schemas = schemas;
    for (const type of types.values()) {
      for (const field of type.fields) {
        if (field.inline && !this.#parents.has(field.type)) this.#parents.set(field.type, type.name);
      }
    }
  }

  isAtomic(type: GoType): boolean {
    return this.#schemas.get(type.name)?.['x-kubernetes-map-type'] === 'atomic';
  }

  fieldSchema(type: GoType, field: GoField): FieldSchema {
    const schema = this.#schemaOf(type.name);
    const property = schema?.properties?.[field.json];
    if (schema && !property && !field.inline && type.form === undefined) {
      throw new Error(`OpenAPI does not know ${type.name}.${field.json}`);
    }
    const listType = property?.['x-kubernetes-list-type'];
    const listMapKeys = property?.['x-kubernetes-list-map-keys'];
    const mapType = property?.['x-kubernetes-map-type'];
    const fallback = property?.default;
    return {
      json: field.json,
      wire: field.wire,
      ...(field.inline ? { inline: true } : {}),
      shape: field.shape,
      type: field.type,
      pointer: field.pointer,
      omit: field.omit,
      required: schema ? (schema.required ?? []).includes(field.json) : field.omit === 'never' && !field.inline,
      ...(field.patchStrategy ? { patchStrategy: field.patchStrategy } : {}),
      ...(field.patchMergeKey ? { patchMergeKey: field.patchMergeKey } : {}),
      ...(listType ? { listType } : {}),
      ...(listMapKeys ? { listMapKeys } : {}),
      ...(mapType ? { mapType } : {}),
      ...(fallback === undefined || typeof fallback === 'object' ? {} : { default: fallback }),
    };
  }

  #schemaOf(name: string): OpenApiSchema | undefined {
    for (let at: string | undefined = name; at !== undefined; at = this.#parents.get(at)) {
      const schema = this.#schemas.get(at);
      if (schema) return schema;
    }
    return undefined;
  }
}
