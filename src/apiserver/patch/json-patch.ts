import { badRequest, type StatusError, statusError } from '../request/status-error.ts';
import { cloneJson, getKey, isObject, type JsonObject, type JsonValue, jsonEqual, setKey } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import { unprocessable } from './patch-error.ts';

const MAX_OPERATIONS = 10_000;
/** How much all `copy` operations of a patch may add together. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: JsonValue;
}

/**
 * JSON patch (RFC 6902) with the habits of the real server: `replace` on an absent key adds it, a negative index counts
 * from the end, a `test` for null passes on an absent key, a `copy` of an absent key gives null. An operation that does
 * not apply refuses the whole patch (422), as do copies of more than 3 MiB; more than 10,000 operations are too many
 * (413). Changes nothing that it is given, and the result shares nothing with it.
 */
export function jsonPatch(original: JsonObject, operations: JsonValue): JsonObject {
  if (!Array.isArray(operations)) throw undecodable(operations, 'value of type []handlers.jsonPatchOp');
  if (operations.length > MAX_OPERATIONS) {
    throw statusError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  const patched = new PatchedDocument(cloneJson(original));
  for (const operation of operations.map(decode)) patched.apply(operation);
  if (!isObject(patched.root)) throw unprocessable('the patch leaves no object');
  return patched.root;
}

function decode(given: JsonValue): Operation {
  const operation = given ?? {};
  if (!isObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
  const op = textOf(operation, 'op') ?? 'unknown';
  return {
    op,
    path: pathOf(operation, 'path', op),
    from: op === 'move' || op === 'copy' ? pathOf(operation, 'from', op) : '',
    value: cloneJson(getKey(operation, 'value') ?? null),
  };
}

function pathOf(operation: JsonObject, member: 'path' | 'from', op: string): string {
  const path = textOf(operation, member);
  if (path === undefined) throw unprocessable(`${op} operation failed to decode ${member}: missing value`);
  return path;
}

function textOf(operation: JsonObject, member: string): string | undefined {
  const text = getKey(operation, member);
  if (typeof text === 'string' || text === undefined) return text;
  if (text === null) return undefined;
  throw undecodable(text, `struct field jsonPatchOp.${member} of type string`);
}

function undecodable(found: JsonValue, wanted: string): StatusError {
  const kind = Array.isArray(found) ? 'array' : typeof found === 'boolean' ? 'bool' : typeof found;
  return badRequest(`error decoding patch: json: cannot unmarshal ${kind} into Go ${wanted}`);
}

/** Where an operation acts: a key of an object, or a place in a list as it was written. */
interface Target {
  readonly parent: JsonObject | JsonValue[];
  readonly token: string;
}

class PatchedDocument {
  root: JsonValue;
  #copiedBytes = 0;

  constructor(root: JsonObject) {
    this.root = root;
  }

  apply({ op, path, from, value }: Operation): void {
    switch (op) {
      case 'add':
        this.#add(this.#locate(path, op), value);
        break;
      case 'remove':
        this.#remove(this.#locate(path, op), path, op);
        break;
      case 'replace':
        this.#replace(path, value);
        break;
      case 'move': {
        const source = this.#locate(from, op);
        const moved = this.#read(source) ?? null;
        this.#remove(source, from, op);
        this.#add(this.#locate(path, op), moved);
        break;
      }
      case 'copy': {
        const copied = this.#read(this.#locate(from, op)) ?? null;
        const target = this.#locate(path, op);
        this.#countCopy(copied);
        this.#add(target, cloneJson(copied));
        break;
      }
      case 'test': {
        const found = path === '' ? this.root : this.#read(this.#locate(path, op));
        if (!jsonEqual(found ?? null, value)) throw unprocessable(`testing value ${path} failed: test failed`);
        break;
      }
      default:
        throw unprocessable(`Unexpected kind: ${op}`);
    }
  }

  /** Finds what holds the target; the target itself may be absent. */
  #locate(path: string, op: string): Target {
    const tokens = path.split('/').slice(1).map(unescapeToken);
    const token = tokens.pop();
    const missing = () =>
      unprocessable(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
    if (token === undefined) throw missing();
    let parent = this.root;
    for (const step of tokens) {
      const next = isObject(parent) ? getKey(parent, step) : Array.isArray(parent) ? itemAt(parent, step) : undefined;
      if (next === undefined || next === null) throw missing();
      parent = next;
    }
    if (!isObject(parent) && !Array.isArray(parent)) throw missing();
    return { parent, token };
  }

  /** Undefined for an absent key; an item must be there. */
  #read({ parent, token }: Target): JsonValue | undefined {
    return Array.isArray(parent) ? parent[existingIndex(parent, token)] : getKey(parent, token);
  }

  #add({ parent, token }: Target, value: JsonValue): void {
    if (!Array.isArray(parent)) {
      setKey(parent, token, value);
      return;
    }
    const index = token === '-' ? parent.length : indexOf(token, parent.length + 1);
    if (index === undefined || index > parent.length) throw invalidIndex(token);
    parent.splice(index, 0, value);
  }

  #remove({ parent, token }: Target, path: string, op: string): void {
    if (Array.isArray(parent)) {
      parent.splice(existingIndex(parent, token), 1);
      return;
    }
    if (!Object.hasOwn(parent, token)) {
      const why = `Unable to remove nonexistent key: ${token}: missing value`;
      throw unprocessable(`error in ${op} for path: '${path}': ${why}`);
    }
    delete parent[token];
  }

  #replace(path: string, value: JsonValue): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null) {
        throw unprocessable('replace operation value must be object or array');
      }
      this.root = value;
      return;
    }
    const { parent, token } = this.#locate(path, 'replace');
    if (Array.isArray(parent)) parent[existingIndex(parent, token)] = value;
    else setKey(parent, token, value);
  }

  #countCopy(value: JsonValue): void {
    const bytes = typeof value === 'object' && value !== null ? jsonText(value) : JSON.stringify(value);
    this.#copiedBytes += Buffer.byteLength(bytes);
    if (this.#copiedBytes <= MAX_COPIED_BYTES) return;
    throw unprocessable(
      `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`,
    );
  }
}

function itemAt(list: readonly JsonValue[], token: string): JsonValue | undefined {
  const index = indexOf(token, list.length);
  return index === undefined ? undefined : list[index];
}

function existingIndex(list: readonly JsonValue[], token: string): number {
  const index = indexOf(token, list.length);
  if (index === undefined || index >= list.length) throw invalidIndex(token);
  return index;
}

function invalidIndex(token: string): StatusError {
  return unprocessable(`Unable to access invalid index: ${token}: invalid index referenced`);
}

/** `length` is what a negative index counts from; undefined for what is not an index. */
function indexOf(token: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(token)) return undefined;
  const index = Number(token);
  if (index >= 0) return index;
  return index < -length ? undefined : index + length;
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
