import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { keepField } from '../storage/object-writer.ts';
import type { Strategy, WriteContext } from '../storage/strategy.ts';
import { asArray, asObject, asString, ensureObject, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { metadataOf, timestamp } from '../values/object-meta.ts';
import { items, setDefault, specOf } from './defaulting.ts';

const KEY = /^[-._a-zA-Z0-9]+$/;
const MAX_DATA_BYTES = 1024 * 1024;

/** `encoded` are the fields whose values are Base64; the limit counts the bytes that they stand for. */
function validateKeys(object: JsonObject, plain: readonly string[], encoded: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const field of [...plain, ...encoded]) {
    const encoding = encoded.includes(field) ? 'base64' : 'utf8';
    for (const [key, value] of Object.entries(asObject(object[field])).sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const detail of keyProblems(key)) errors.push(invalid(`${field}[${key}]`, key, detail));
      bytes += Buffer.byteLength(asString(value), encoding);
    }
  }
  if (bytes > MAX_DATA_BYTES) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: '',
      message: `Too long: may not be more than ${MAX_DATA_BYTES} bytes`,
    });
  }
  return errors;
}

function keyProblems(key: string): string[] {
  if (key.length > 253) return ['must be no more than 253 bytes'];
  if (!KEY.test(key)) {
    return [
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ];
  }
  if (key === '.' || key === '..') return [`must not be '${key}'`];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}

function validateFrozen(object: JsonObject, old: JsonObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (object.immutable !== true) errors.push(forbidden('immutable', 'field is immutable when `immutable` is set'));
  for (const field of fields) {
    if (!jsonEqual(object[field], old[field]))
      errors.push(forbidden(field, 'field is immutable when `immutable` is set'));
  }
  return errors;
}

export const configMapStrategy: Strategy = {
  validate: (object) => validateKeys(object, ['data'], ['binaryData']),
  validateUpdate: (object, old) => validateFrozen(object, old, ['data', 'binaryData']),
};

/** What each type of secret must hold. */
const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

export const secretStrategy: Strategy = {
  defaults(object) {
    setDefault(object, 'type', 'Opaque');
    const plain = asObject(object.stringData);
    delete object.stringData;
    if (Object.keys(plain).length === 0) return;
    const data = ensureObject(object, 'data');
    for (const [key, value] of Object.entries(plain)) data[key] = Buffer.from(asString(value)).toString('base64');
  },
  validate(object) {
    const errors = validateKeys(object, [], ['data']);
    const data = asObject(object.data);
    for (const key of SECRET_KEYS[asString(object.type)] ?? []) {
      if (!Object.hasOwn(data, key)) errors.push(required(`data[${key}]`));
    }
    return errors;
  },
  validateUpdate(object, old) {
    const errors = validateFrozen(object, old, ['data']);
    if (object.type !== old.type) errors.unshift(invalid('type', object.type, 'field is immutable'));
    return errors;
  },
};

const ENFORCE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

function enforcesSecrets(account: JsonObject): boolean {
  return asObject(asObject(account.metadata).annotations)[ENFORCE_SECRETS] !== undefined;
}

function warnOfEnforcedSecrets(account: JsonObject, context: WriteContext): void {
  if (!enforcesSecrets(account)) return;
  context.warn(
    `metadata.annotations[${ENFORCE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  );
}

export const serviceAccountStrategy: Strategy = {
  returnDeletedObject: true,
  prepareForCreate: warnOfEnforcedSecrets,
  prepareForUpdate(object, old, context) {
    if (!enforcesSecrets(old)) warnOfEnforcedSecrets(object, context);
  },
};

export const nodeStrategy: Strategy = {
  defaults(object) {
    const status = asObject(object.status);
    if (isObject(status.capacity) && status.allocatable === undefined) status.allocatable = { ...status.capacity };
  },
  prepareForCreate(object) {
    const spec = specOf(object);
    const taints = items(spec.taints);
    const key = 'node.kubernetes.io/not-ready';
    if (!taints.some((taint) => taint.key === key)) taints.push({ key, effect: 'NoSchedule' });
    spec.taints = taints;
  },
};

export const persistentVolumeStrategy: Strategy = {
  returnDeletedObject: true,
  defaults(object) {
    const spec = specOf(object);
    setDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    setDefault(spec, 'volumeMode', 'Filesystem');
    const hostPath = isObject(spec.hostPath) ? spec.hostPath : undefined;
    if (hostPath) hostPath.type ??= '';
  },
  prepareForCreate(object, context) {
    object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.nowMs) };
    protect(object, 'kubernetes.io/pv-protection');
  },
  prepareForStatusUpdate(object, old, context) {
    keepField(object, old, 'spec');
    const [status, before] = [ensureObject(object, 'status'), asObject(old.status)];
    if (status.phase === before.phase) keepField(status, before, 'lastPhaseTransitionTime');
    else if (status.lastPhaseTransitionTime === before.lastPhaseTransitionTime) {
      status.lastPhaseTransitionTime = timestamp(context.nowMs);
    }
  },
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    if (asArray(spec.accessModes).length === 0) errors.push(required('spec.accessModes'));
    const capacity = asObject(spec.capacity);
    if (Object.keys(capacity).length === 0) errors.push(required('spec.capacity'));
    if (capacity.storage === undefined) errors.push(notSupported('spec.capacity', spec.capacity, ['storage']));
    const sources = Object.keys(spec).filter((field) => !VOLUME_FIELDS.has(field));
    if (sources.length === 0) errors.push(required('spec', 'must specify a volume type'));
    return errors;
  },
};

/** What of a volume's spec does not say where its data is. */
const VOLUME_FIELDS = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

/** What the protection admission plugin does, which is on by default. */
function protect(object: JsonObject, finalizer: string): void {
  const metadata = metadataOf(object);
  const present = asArray(metadata.finalizers).map(asString);
  metadata.finalizers = present.includes(finalizer) ? present : [...present, finalizer];
}

export const persistentVolumeClaimStrategy: Strategy = {
  returnDeletedObject: true,
  defaults: (object) => setDefault(specOf(object), 'volumeMode', 'Filesystem'),
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    protect(object, 'kubernetes.io/pvc-protection');
  },
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    if (asArray(spec.accessModes).length === 0) {
      errors.push(required('spec.accessModes', 'at least 1 access mode is required'));
    }
    const requests = asObject(asObject(spec.resources).requests);
    if (requests.storage === undefined) errors.push(required('spec.resources[storage]'));
    return errors;
  },
  validateUpdate(object, old) {
    const fixed = ({ resources: _r, volumeName: _v, volumeAttributesClassName: _c, ...rest }: JsonObject) => rest;
    const [now, before] = [fixed(specOf(object)), fixed(specOf(old))];
    // A claim without a class may get one later.
    if (before.storageClassName === undefined) delete now.storageClassName;
    if (jsonEqual(now, before)) return [];
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    return [forbidden('spec', detail)];
  },
};

export const endpointsStrategy: Strategy = {
  createOnUpdate: true,
  defaults(object) {
    for (const subset of items(object.subsets)) {
      for (const port of items(subset.ports)) setDefault(port, 'protocol', 'TCP');
    }
  },
};

export const limitRangeStrategy: Strategy = {
  createOnUpdate: true,
  defaults(object) {
    for (const limit of items(specOf(object).limits)) {
      if (limit.type !== 'Container') continue;
      const [min, max] = [asObject(limit.min), asObject(limit.max)];
      const fallback = { ...max, ...asObject(limit.default) };
      const request = { ...min, ...fallback, ...asObject(limit.defaultRequest) };
      if (Object.keys(fallback).length > 0) limit.default = fallback;
      if (Object.keys(request).length > 0) limit.defaultRequest = request;
    }
  },
};

export const resourceQuotaStrategy: Strategy = { returnDeletedObject: true };
