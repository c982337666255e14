import { asString, cloneJson, getKey, isObject, type JsonObject, type JsonValue, jsonEqual, setKey } from './json.ts';
import { badRequest, type StatusError, statusError } from './status-error.ts';

const MAX_OPERATIONS = 10_000;

/**
 * RFC 6902, as the library of the real server reads it (an index may count from the end). The target is not changed.
 * Throws 400 for a value that is no patch, and 422 for a patch that does not fit.
 */
export function jsonPatch(target: JsonObject, patch: JsonValue): JsonObject {
  if (!Array.isArray(patch)) {
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  }
  if (patch.length > MAX_OPERATIONS) {
    const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`;
    throw statusError(413, 'RequestEntityTooLarge', message);
  }
  const result = cloneJson(target);
  for (const operation of patch) apply(result, operation);
  return result;
}

/** The real server does not say which operation, or why. */
function unfit(): StatusError {
  return statusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

function apply(document: JsonObject, operation: JsonValue): void {
  if (!isObject(operation) || typeof operation.path !== 'string') throw unfit();
  const path = pointer(operation.path);
  const value = operation.value ?? null;
  switch (operation.op) {
    case 'add':
      add(document, path, cloneJson(value));
      break;
    case 'replace':
      if (read(document, path) === undefined) throw unfit();
      write(document, path, cloneJson(value));
      break;
    case 'remove':
      remove(document, path);
      break;
    case 'test':
      if (!jsonEqual(read(document, path) ?? null, value)) throw unfit();
      break;
    case 'copy':
    case 'move': {
      const from = pointer(asString(operation.from));
      const moved = read(document, from);
      if (moved === undefined) throw unfit();
      if (operation.op === 'move') remove(document, from);
      add(document, path, cloneJson(moved));
      break;
    }
    default:
      throw unfit();
  }
}

function pointer(text: string): string[] {
  if (!text.startsWith('/')) throw unfit();
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function child(parent: JsonValue | undefined, token: string): JsonValue | undefined {
  if (Array.isArray(parent)) return parent[indexIn(parent, token)];
  return isObject(parent) ? getKey(parent, token) : undefined;
}

function read(document: JsonObject, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(child, document);
}

/** The container that the last token of the path is looked up in. */
function parentOf(document: JsonObject, path: readonly string[]): [JsonObject | JsonValue[], string] {
  const parent = read(document, path.slice(0, -1));
  if (!isObject(parent) && !Array.isArray(parent)) throw unfit();
  return [parent, path[path.length - 1] ?? ''];
}

/** NaN (so that nothing is found) when the token is no index. */
function indexIn(array: readonly JsonValue[], token: string): number {
  if (!/^-?(?:0|[1-9][0-9]*)$/.test(token)) return Number.NaN;
  const index = Number(token);
  return index < 0 ? index + array.length : index;
}

function add(document: JsonObject, path: readonly string[], value: JsonValue): void {
  const [parent, token] = parentOf(document, path);
  if (!Array.isArray(parent)) {
    setKey(parent, token, value);
    return;
  }
  // Counted from the end, an index names the place behind the element: -1 appends.
  const shifted = token.startsWith('-') && token !== '-' ? indexIn(parent, token) + 1 : indexIn(parent, token);
  const index = token === '-' ? parent.length : shifted;
  if (!(index >= 0 && index <= parent.length)) throw unfit();
  parent.splice(index, 0, value);
}

function write(document: JsonObject, path: readonly string[], value: JsonValue): void {
  const [parent, token] = parentOf(document, path);
  if (Array.isArray(parent)) parent[indexIn(parent, token)] = value;
  else setKey(parent, token, value);
}

function remove(document: JsonObject, path: readonly string[]): void {
  const [parent, token] = parentOf(document, path);
  if (child(parent, token) === undefined) throw unfit();
  if (Array.isArray(parent)) parent.splice(indexIn(parent, token), 1);
  else delete parent[token];
}
