import type { FieldSchema, TypeSchema } from '../../api/type-schema.ts';
import { jsonFields, type ResolveType } from '../apply/merge-schema.ts';
import { strategicError } from './patch-error.ts';

/** What struct tags say about patching one field. */
export interface PatchMeta {
  /** `merge` or `replace`; empty for the default: maps merge, lists are replaced. `retainKeys` is the client's business. */
  readonly strategy: string;
  readonly mergeKey: string;
  /** The type of the value, or of one item of a list. */
  readonly type: PatchType;
}

/** The patching rules of a type, looked up field by field. */
export class PatchType {
  readonly #type: TypeSchema | undefined;
  readonly #resolve: ResolveType;
  #fields: Map<string, FieldSchema> | undefined;

  /** Without a type: something whose fields no patch can address (a map of scalars, an opaque value). */
  constructor(type: TypeSchema | undefined, resolve: ResolveType) {
    this.#type = type;
    this.#resolve = resolve;
  }

  /** For a field that is an object on both sides. */
  ofObject(name: string): PatchMeta {
    const field = this.#field(name);
    // The keys of a map are data; what is under them has no rules of its own.
    const type = field.shape === 'one' ? this.#resolve(field.type) : undefined;
    return this.#meta(field, type);
  }

  /** For a field that is a list on both sides. */
  ofList(name: string): PatchMeta {
    const field = this.#field(name);
    const inner = field.shape === 'one' ? this.#resolve(field.type) : undefined;
    if (field.shape !== 'list' && inner?.form === undefined) {
      throw strategicError('expected slice or array type, but got: struct');
    }
    return this.#meta(field, field.shape === 'list' ? this.#resolve(field.type) : undefined);
  }

  #meta(field: FieldSchema, type: TypeSchema | undefined): PatchMeta {
    const strategies = (field.patchStrategy ?? '').split(',').filter((strategy) => strategy !== 'retainKeys');
    return {
      strategy: strategies[0] ?? '',
      mergeKey: field.patchMergeKey ?? '',
      type: new PatchType(type, this.#resolve),
    };
  }

  #field(name: string): FieldSchema {
    if (!this.#type) throw strategicError('merging an object in json but data type is not struct, instead is: map');
    this.#fields ??= new Map(jsonFields(this.#type, this.#resolve).map((field) => [field.json, field]));
    const field = this.#fields.get(name);
    if (field) return field;
    const struct = this.#type.name.slice(this.#type.name.lastIndexOf('.') + 1);
    throw strategicError(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`);
  }
}
