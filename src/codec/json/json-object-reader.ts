import type { KubernetesObject } from '../../api/metadata.ts';
import { type FieldRules, filterData } from '../filter/field-filter.ts';
import { JsonFilter } from '../filter/json-filter.ts';
import { locateManagedFields } from './managed-fields-range.ts';

export interface JsonObjectReaderOptions {
  /** Filled in where an object lacks them; items of lists do. "" when not known. */
  kind: string;
  apiVersion: string;
  dropManagedFields: boolean;
  /** What stays of objects; takes care of managed fields too. */
  rules: FieldRules | undefined;
}

const KIND_FIRST = Buffer.from('{"kind":');
const API_VERSION_FIRST = Buffer.from('{"apiVersion":');
const OBJECT_START = 0x7b;

/** From the bytes of one object to the object, with `kind` and `apiVersion` filled in and without what is not to stay. */
export class JsonObjectReader {
  readonly #kind: string;
  readonly #apiVersion: string;
  readonly #dropManagedFields: boolean;
  readonly #rules: FieldRules | undefined;
  readonly #filter: JsonFilter | undefined;
  /** Put before the text of an object without a type, so that it gets the shape of one with it at no further cost. */
  readonly #typePrefix: string;

  constructor(options: JsonObjectReaderOptions) {
    this.#kind = options.kind;
    this.#apiVersion = options.apiVersion;
    this.#dropManagedFields = options.dropManagedFields;
    this.#rules = options.rules;
    this.#filter = options.rules && new JsonFilter(options.rules);
    this.#typePrefix = `{"kind":${JSON.stringify(options.kind)},"apiVersion":${JSON.stringify(options.apiVersion)},`;
  }

  /** Throws `SyntaxError`. What it returns may be any JSON value when the bytes are those of no object. */
  read(bytes: Buffer, start: number, end: number): unknown {
    if (this.#filter === undefined) return this.#completed(this.#parse(bytes, start, end));
    const kept = this.#filter.filter(bytes, start, end);
    if (kept !== undefined) return this.#completed(this.#parse(kept, 0, kept.length));
    return this.complete(this.#parse(bytes, start, end));
  }

  /** The same for an object that has been parsed with what was around it. May change it. */
  complete(value: unknown): unknown {
    if (!isObject(value)) return value;
    return this.#completed(this.#rules === undefined ? value : filterData(value, this.#rules));
  }

  /** Whether `complete` would change nothing. */
  isComplete(value: unknown): boolean {
    if (!isObject(value)) return true;
    const object: KubernetesObject = value;
    return (
      this.#rules === undefined &&
      (this.#kind === '' || Boolean(object.kind && object.apiVersion)) &&
      !(this.#dropManagedFields && hasManagedFields(object))
    );
  }

  #parse(bytes: Buffer, start: number, end: number): unknown {
    const managed = this.#dropManagedFields ? locateManagedFields(bytes, start, end) : undefined;
    const prefix = this.#kind !== '' && lacksType(bytes, start, end) ? this.#typePrefix : '';
    const from = prefix === '' ? start : start + 1;
    const text =
      managed === undefined
        ? bytes.toString('utf8', from, end)
        : bytes.toString('utf8', from, managed.start) + bytes.toString('utf8', managed.end, end);
    return JSON.parse(prefix + text);
  }

  #completed(value: unknown): unknown {
    if (!isObject(value)) return value;
    const object: KubernetesObject = value;
    if (this.#kind !== '') {
      object.kind ||= this.#kind;
      object.apiVersion ||= this.#apiVersion;
    }
    if (this.#dropManagedFields && hasManagedFields(object)) delete object.metadata?.managedFields;
    return object;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasManagedFields({ metadata }: KubernetesObject): boolean {
  return typeof metadata === 'object' && metadata !== null && 'managedFields' in metadata;
}

/** Whether the object begins with another field than those two. An empty object counts as one that does not. */
export function lacksType(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== OBJECT_START || bytes[start + 1] !== 0x22) return false;
  return !beginsWith(bytes, start, end, KIND_FIRST) && !beginsWith(bytes, start, end, API_VERSION_FIRST);
}

export function beginsWith(bytes: Buffer, start: number, end: number, what: Buffer): boolean {
  if (end - start < what.length) return false;
  for (let i = 0; i < what.length; i++) {
    if (bytes[start + i] !== what[i]) return false;
  }
  return true;
}
