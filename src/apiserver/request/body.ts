import { goJsonProblem } from '../values/go-json-problem.ts';
import { asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { jsonTypeName } from '../values/scalar-values.ts';
import { duplicateKeys, MAX_DEPTH, TooDeep } from './duplicate-keys.ts';
import { isKubernetesProtobuf, parseProtobufBody } from './protobuf-body.ts';
import { badRequest, StatusError, unsupportedMediaType } from './status-error.ts';
import { readYaml } from './yaml-text.ts';

export const MAX_BODY_BYTES = 3 * 1024 * 1024;
const PREVIEW_BYTES = 30;
const INPUTS = ['application/json', 'application/yaml'];

/** What a strict reader complains of that the value does not show. */
export interface StrictFindings {
  /** Paths of keys that stood twice in JSON; the last one counted. */
  readonly duplicates: readonly string[];
  /** The JSON itself, for the order of complaints; unset when it came as something else. */
  readonly text?: string;
  /** What Go says of YAML in which a key stands twice. */
  readonly yamlProblem?: string | undefined;
}

export interface ParsedBody extends StrictFindings {
  readonly value: JsonValue;
}

/** `application/json; charset=utf-8` is `application/json`. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export type InputFormat = 'json' | 'yaml' | 'protobuf';

/** The format of a body by its Content-Type; JSON when there is none. Throws 415. */
export function inputFormat(contentType: string | undefined): InputFormat {
  const type = mediaType(contentType);
  if (type === 'application/vnd.kubernetes.protobuf') return 'protobuf';
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  throw unsupportedMediaType(INPUTS);
}

/** Throws an Error whose message says what is wrong with the text; 415 for protobuf that nobody could have meant. */
export function parseText(bytes: Uint8Array, format: InputFormat): ParsedBody {
  if (format === 'protobuf') return { value: parseProtobuf(bytes), duplicates: [] };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (format === 'json') return parseJson(text);
  if (looksLikeJson(text)) return parseJsonAsYaml(text);
  const { value, problem } = readYaml(text);
  return { value, duplicates: [], yamlProblem: problem };
}

/** client-go sends built-in kinds this way by default, so kubectl would not work without; answers are JSON all the same. */
function parseProtobuf(bytes: Uint8Array): JsonValue {
  const value = isKubernetesProtobuf(bytes) ? parseProtobufBody(bytes) : undefined;
  if (value === undefined) throw unsupportedMediaType(INPUTS);
  return value;
}

function looksLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text) && isJson(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseJson(text: string): ParsedBody {
  return { value: readJson(text), duplicates: duplicateKeys(text), text };
}

function readJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new Error(goJsonProblem(text), { cause: error });
  }
}

function parseJsonAsYaml(text: string): ParsedBody {
  try {
    const { value, duplicates } = parseJson(text);
    return { value, duplicates: [], ...(duplicates.length > 0 && { yamlProblem: readYaml(text).problem }) };
  } catch (error) {
    throw error instanceof TooDeep ? new Error(`yaml: exceeded max depth of ${MAX_DEPTH}`) : error;
  }
}

/**
 * The object in a body for a kind. Texts that are not an object get the real server's 400. `null`, and YAML without content, is
 * an object without fields there, whose name is then found missing.
 */
export function parseObject(
  bytes: Uint8Array,
  format: InputFormat,
  kind: string,
): { object: JsonObject; strict: StrictFindings } {
  try {
    return parseFields(bytes, format);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${preview(bytes)})`);
  }
}

/** As `parseObject`, where the real server does not say what it was looking for: throws an Error with the reason alone. */
export function parseFields(bytes: Uint8Array, format: InputFormat): { object: JsonObject; strict: StrictFindings } {
  let parsed: ParsedBody;
  try {
    parsed = parseText(bytes, format);
  } catch (error) {
    if (error instanceof StatusError || format !== 'json') throw error;
    throw new Error(`${NO_TYPE}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const { value } = parsed;
  if (value === null) return { object: {}, strict: { duplicates: [] } };
  if (isObject(value)) {
    const problem = typeProblem(value);
    if (problem !== undefined) throw new Error(problem);
    return { object: value, strict: parsed };
  }
  throw new Error(`${NO_TYPE}: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${TYPE_META}`);
}

/** What is wrong with the fields that say what an object is, whatever they should say. */
export function typeProblem(object: JsonObject): string | undefined {
  for (const field of ['apiVersion', 'kind']) {
    const value = object[field] ?? '';
    if (typeof value === 'string') continue;
    return `${NO_TYPE}: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`;
  }
  const version = asString(object.apiVersion);
  return version.split('/').length > 2 ? `unexpected GroupVersion string: ${version}` : undefined;
}

const NO_TYPE = "couldn't get version/kind; json parse error";
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The beginning of a body: what looks like JSON as it is, anything else byte by byte. */
function preview(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const isText = bytes[0] === '{'.charCodeAt(0);
  const shown = Buffer.from(bytes.subarray(0, PREVIEW_BYTES)).toString(isText ? 'utf8' : 'hex');
  return bytes.length > PREVIEW_BYTES ? `${shown} ...` : shown;
}
