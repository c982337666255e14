import { type FieldError, invalid } from '../request/field-error.ts';
import { badRequest, internalError } from '../request/status-error.ts';
import { goJson } from '../table/go-number.ts';
import { asObject, getKey, isObject, type JsonObject, type JsonValue, setKey } from '../values/json.ts';
import type { ScalePaths } from './definition.ts';

const MAX_INT32 = 2 ** 31 - 1;
/** Stands for replicas that an object does not have. */
const UNSET = -(2 ** 31);

/** The scale subresource of a custom resource: an `autoscaling/v1` Scale that lives in fields of the definition's choice. */
export class CustomScale {
  readonly #paths: ScalePaths;
  readonly replicasPath: readonly string[];

  constructor(paths: ScalePaths) {
    this.#paths = paths;
    this.replicasPath = fieldsOf(paths.specReplicas);
  }

  /** Throws 500, as the real server does, when the object says nothing about its replicas. */
  read(object: JsonObject): JsonObject {
    const replicas = this.#number(object, this.#paths.specReplicas);
    if (replicas === undefined) {
      throw internalError(`the spec replicas field ${JSON.stringify(this.#paths.specReplicas)} does not exist`);
    }
    return this.#scale(object, replicas);
  }

  /** What a change of the scale starts from: it must not stay as it is when the object has no replicas. */
  readForUpdate(object: JsonObject): JsonObject {
    return this.#scale(object, this.#number(object, this.#paths.specReplicas) ?? UNSET);
  }

  /** Sets the replicas of the object, in place. */
  write(object: JsonObject, scale: JsonObject): void {
    const replicas = asObject(scale.spec).replicas ?? 0;
    if (replicas === UNSET) {
      throw badRequest(`the spec replicas field ${JSON.stringify(this.#paths.specReplicas)} cannot be empty`);
    }
    setField(object, this.replicasPath, replicas);
  }

  /** Replicas must be counts, and the selector a text, in every object of the kind. */
  validate(object: JsonObject, part: 'both' | 'status'): FieldError[] {
    const { specReplicas, statusReplicas, labelSelector } = this.#paths;
    const errors = part === 'both' ? countErrors(object, specReplicas) : [];
    errors.push(...countErrors(object, statusReplicas));
    if (labelSelector === undefined) return errors;
    const found = lookUp(object, labelSelector, 'string', (value) => typeof value === 'string');
    return 'problem' in found ? [...errors, invalid(labelSelector, '', found.problem)] : errors;
  }

  #scale(object: JsonObject, replicas: number): JsonObject {
    const { name, namespace, uid, resourceVersion, creationTimestamp } = asObject(object.metadata);
    const { statusReplicas, labelSelector } = this.#paths;
    const selector = labelSelector === undefined ? undefined : lookUp(object, labelSelector, 'string', isText);
    const text = selector && 'value' in selector ? selector.value : undefined;
    return {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: replicas === 0 ? {} : { replicas },
      status: {
        replicas: this.#number(object, statusReplicas) ?? 0,
        ...(typeof text === 'string' && text !== '' ? { selector: text } : {}),
      },
    };
  }

  #number(object: JsonObject, path: string): number | undefined {
    const found = lookUp(object, path, 'int64', Number.isInteger);
    if ('problem' in found) throw badRequest(found.problem);
    return typeof found.value === 'number' ? found.value : undefined;
  }
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
}

function countErrors(object: JsonObject, path: string): FieldError[] {
  const found = lookUp(object, path, 'int64', Number.isInteger);
  if ('problem' in found) return [invalid(path, 0, found.problem)];
  const count = typeof found.value === 'number' ? found.value : 0;
  if (count < 0) return [invalid(path, count, 'should be a non-negative integer')];
  if (count > MAX_INT32) return [invalid(path, count, `should be less than or equal to ${MAX_INT32}`)];
  return [];
}

function fieldsOf(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

type Found = { value: JsonValue | undefined } | { problem: string };

/** The value at a simple path, or the real server's words for why there is none of the wanted type. */
function lookUp(object: JsonObject, path: string, wanted: string, fits: (value: JsonValue) => boolean): Found {
  const fields = fieldsOf(path);
  let value: JsonValue | undefined = object;
  for (const [depth, field] of fields.entries()) {
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value))
      return { problem: accessorError(fields.slice(0, depth + 1), value, 'map[string]interface{}') };
    value = getKey(value, field);
  }
  if (value === undefined || fits(value)) return { value };
  return { problem: accessorError(fields, value, wanted) };
}

function accessorError(fields: readonly string[], value: JsonValue, wanted: string): string {
  return `.${fields.join('.')} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${wanted}`;
}

function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

/** Go's `%v`. */
function goValue(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isObject(value)) return typeof value === 'string' ? value : goJson(value);
  const entries = Object.keys(value).sort();
  return `map[${entries.map((key) => `${key}:${goValue(value[key] ?? null)}`).join(' ')}]`;
}

function setField(object: JsonObject, [field = '', ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    setKey(object, field, value);
    return;
  }
  const inner = getKey(object, field);
  const next = isObject(inner) ? inner : {};
  if (next !== inner) setKey(object, field, next);
  setField(next, rest, value);
}
