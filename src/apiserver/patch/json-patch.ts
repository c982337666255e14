import { type Operation as LibraryOperation, applyPatch as libraryApply, Pointer } from 'rfc6902';
import { getKey, isObject, type JsonObject, type JsonValue, jsonEqual, setKey } from '../json.ts';
import { badRequest, type StatusError, statusError } from '../status-error.ts';
import { unprocessable } from './patch-error.ts';

const MAX_OPERATIONS = 10_000;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** Undefined when the operation has none. */
  readonly value: JsonValue | undefined;
}

/**
 * JSON patch (RFC 6902) with the habits of the real server: `replace` on an absent key adds it, a negative index counts
 * from the end, a `test` for null passes on an absent key, a `copy` of an absent key gives null. An operation that does
 * not apply refuses the whole patch (422), more than 10,000 operations do too (413). Changes nothing that it is given,
 * and the result shares nothing with it.
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
  let document = rename(original, guardKey);
  for (const operation of operations) document = applyOne(document, decode(operation));
  if (!isObject(document)) throw unprocessable('the patch leaves no object');
  return rename(document, restoreKey) as JsonObject;
}

function decode(operation: JsonValue): Operation {
  if (!isObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
  const op = textOf(operation, 'op') ?? 'unknown';
  const value = getKey(operation, 'value');
  return {
    op,
    path: pathOf(operation, 'path', op),
    from: op === 'move' || op === 'copy' ? pathOf(operation, 'from', op) : '',
    value: value === undefined ? undefined : rename(value, guardKey),
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

function applyOne(document: JsonValue, { op, path, from, value }: Operation): JsonValue {
  switch (op) {
    case 'add':
      return change(document, { op, path: writable(document, path, op), value: value ?? null });
    case 'remove':
      return change(document, { op, path: existing(document, path, op).path });
    case 'replace': {
      if (path === '') return value ?? null;
      const target = locate(document, path, op);
      if (Array.isArray(target.parent)) existing(document, path, op);
      return change(document, { op: target.exists ? 'replace' : 'add', path: target.path, value: value ?? null });
    }
    case 'move': {
      const source = existing(document, from, op);
      const without = change(document, { op: 'remove', path: source.path });
      return change(without, { op: 'add', path: writable(without, path, op), value: source.value ?? null });
    }
    case 'copy': {
      const source = locate(document, from, op);
      if (Array.isArray(source.parent)) existing(document, from, op);
      return change(document, { op: 'add', path: writable(document, path, op), value: source.value ?? null });
    }
    case 'test': {
      if (path === '') {
        if (!jsonEqual(document, value ?? null)) throw unprocessable(`testing value ${path} failed: test failed`);
        return document;
      }
      const target = locate(document, path, op);
      if (Array.isArray(target.parent)) existing(document, path, op);
      if (jsonEqual(target.value ?? null, value ?? null)) return document;
      throw unprocessable(`testing value ${path} failed: test failed`);
    }
    default:
      throw unprocessable(`Unexpected kind: ${op}`);
  }
}

interface Target {
  readonly parent: JsonObject | JsonValue[];
  /** The path with its indexes counted from the start. */
  readonly path: string;
  readonly exists: boolean;
  readonly value: JsonValue | undefined;
}

/** Finds what holds the target; the target itself may be absent. */
function locate(document: JsonValue, path: string, op: string): Target {
  const tokens = path.split('/').slice(1).map(unescapeToken);
  const last = tokens.pop();
  const missing = () => unprocessable(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
  if (last === undefined) throw missing();
  let parent = document;
  const exact: string[] = [''];
  for (const token of tokens) {
    const step = stepInto(parent, token);
    if (step?.value === undefined || step.value === null) throw missing();
    exact.push(step.token);
    parent = step.value;
  }
  if (!isObject(parent) && !Array.isArray(parent)) throw missing();
  const step = stepInto(parent, last);
  const pointer = new Pointer([...exact, step?.token ?? guardKey(last)]);
  return { parent, path: pointer.toString(), exists: step?.value !== undefined, value: step?.value };
}

function stepInto(parent: JsonValue, token: string): { token: string; value: JsonValue | undefined } | undefined {
  if (isObject(parent)) {
    const key = guardKey(token);
    return { token: key, value: getKey(parent, key) };
  }
  if (!Array.isArray(parent)) return undefined;
  const index = indexOf(token, parent.length);
  return index === undefined || index >= parent.length ? undefined : { token: String(index), value: parent[index] };
}

/** For operations that need the target to be there. */
function existing(document: JsonValue, path: string, op: string): Target {
  const target = locate(document, path, op);
  if (target.exists) return target;
  throw unprocessable(`error in ${op} for path: '${path}': Unable to access a nonexistent key or index: missing value`);
}

/** Where an `add` puts its value: any key of an object; a list takes indexes up to its length, and `-`. */
function writable(document: JsonValue, path: string, op: string): string {
  const target = locate(document, path, op);
  if (!Array.isArray(target.parent)) return target.path;
  const token = unescapeToken(path.slice(path.lastIndexOf('/') + 1));
  const index = token === '-' ? target.parent.length : indexOf(token, target.parent.length + 1);
  if (index === undefined || index > target.parent.length) {
    throw unprocessable(
      `error in ${op} for path: '${path}': Unable to access invalid index: ${token}: invalid index referenced`,
    );
  }
  return target.path.slice(0, target.path.lastIndexOf('/') + 1) + index;
}

/** `length` is what a negative index counts from; undefined for what is no index. */
function indexOf(token: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(token)) return undefined;
  const index = Number(token);
  if (index >= 0) return index;
  return index < -length ? undefined : index + length;
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function change(document: JsonValue, operation: LibraryOperation): JsonValue {
  const [problem] = libraryApply(document, [operation]);
  if (problem) throw unprocessable(problem.message);
  return document;
}

/*
 * The library does not look under keys that could reach a prototype, but a ConfigMap may well have one. For the time of
 * the patch such keys carry a mark.
 */
const RESERVED = /^%*(?:__proto__|constructor|prototype)$/;

function guardKey(key: string): string {
  return RESERVED.test(key) ? `%${key}` : key;
}

function restoreKey(key: string): string {
  return RESERVED.test(key) ? key.slice(1) : key;
}

/** A copy with other keys. */
function rename(value: JsonValue, name: (key: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => rename(item, name));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) setKey(out, name(key), rename(item, name));
  }
  return out;
}
