import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { keepField } from '../storage/object-writer.ts';
import type { Strategy, WriteContext } from '../storage/strategy.ts';
import { networkProblems } from '../values/ip-address.ts';
import { asArray, asObject, asString, ensureObject, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { configKeyProblems, labelValueProblems, qualifiedNameProblems } from '../values/name-rules.ts';
import { metadataOf, timestamp } from '../values/object-meta.ts';
import { items, setDefault, specOf } from './defaulting.ts';
import { protect } from './protection.ts';
import { validateAccessModes, validateClassName, validatePositiveAmount, validateVolumeMode } from './volume-claim.ts';

const MAX_DATA_BYTES = 1024 * 1024;

/** `encoded` are the fields whose values are Base64; the limit counts the bytes that they stand for. */
function validateKeys(object: JsonObject, plain: readonly string[], encoded: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const field of [...plain, ...encoded]) {
    const encoding = encoded.includes(field) ? 'base64' : 'utf8';
    for (const [key, value] of Object.entries(asObject(object[field])).sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const detail of configKeyProblems(key)) errors.push(invalid(`${field}[${key}]`, key, detail));
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
  validate(object) {
    const errors = validateKeys(object, ['data'], ['binaryData']);
    const binary = asObject(object.binaryData);
    for (const key of Object.keys(asObject(object.data)).sort()) {
      if (Object.hasOwn(binary, key))
        errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
    return errors;
  },
  validateUpdate: (object, old) => validateFrozen(object, old, ['data', 'binaryData']),
};

/** What each type of secret must hold. */
const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

/** One of them is enough. */
const BASIC_AUTH_KEYS = ['username', 'password'];
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

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
    if (object.type === 'kubernetes.io/ssh-auth' && data['ssh-privatekey'] === '') {
      errors.push(required('data[ssh-privatekey]'));
    }
    if (object.type === 'kubernetes.io/basic-auth' && !BASIC_AUTH_KEYS.some((key) => Object.hasOwn(data, key))) {
      errors.push(...BASIC_AUTH_KEYS.map((key) => required(`data[${key}]`)));
    }
    const account = asObject(metadataOf(object).annotations)[ACCOUNT_NAME];
    if (object.type === 'kubernetes.io/service-account-token' && asString(account) === '') {
      errors.unshift(required(`metadata.annotations[${ACCOUNT_NAME}]`));
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
  // The kubelet brings its status when it registers the node.
  statusOnCreate: true,
  defaults(object) {
    const status = asObject(object.status);
    if (isObject(status.capacity) && status.allocatable === undefined) status.allocatable = { ...status.capacity };
    syncPodRanges(specOf(object));
  },
  prepareForCreate(object) {
    const spec = specOf(object);
    const taints = items(spec.taints);
    const key = 'node.kubernetes.io/not-ready';
    if (!taints.some((taint) => taint.key === key)) taints.push({ key, effect: 'NoSchedule' });
    spec.taints = taints;
  },
  validate(object) {
    const spec = specOf(object);
    return [...validateTaints(items(spec.taints)), ...validatePodRanges(spec)];
  },
  validateUpdate(object, old) {
    const [spec, before] = [specOf(object), specOf(old)];
    const errors: FieldError[] = [];
    for (const [field, shown] of [
      ['podCIDRs', 'podCIDR'],
      ['providerID', 'providerID'],
    ] as const) {
      if (before[field] === undefined || jsonEqual(spec[field], before[field])) continue;
      errors.push(forbidden(`spec.${field}`, `node updates may not change ${shown} except from "" to valid`));
    }
    return errors;
  },
};

/** The first of the ranges has a field of its own, which older clients set alone. */
function syncPodRanges(spec: JsonObject): void {
  const first = asString(spec.podCIDR);
  const ranges = asArray(spec.podCIDRs).map(asString);
  if (first !== '' && ranges[0] !== first) spec.podCIDRs = [first];
  else if (ranges[0] !== undefined) spec.podCIDR = ranges[0];
}

function validatePodRanges(spec: JsonObject): FieldError[] {
  return asArray(spec.podCIDRs).flatMap((range, index) =>
    networkProblems(asString(range)).map((text) => invalid(`spec.podCIDRs[${index}]`, range, text)),
  );
}

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The paths are those of the real server, which has the taints in the metadata. */
function validateTaints(taints: readonly JsonObject[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  taints.forEach((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [asString(taint.key), asString(taint.value), asString(taint.effect)];
    errors.push(...qualifiedNameProblems(key).map((text) => invalid(`${field}.key`, key, text)));
    errors.push(...labelValueProblems(value).map((text) => invalid(`${field}.value`, value, text)));
    if (effect === '') errors.push(required(`${field}.effect`));
    else if (!TAINT_EFFECTS.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, TAINT_EFFECTS));
    const pair = `${key} ${effect}`;
    if (seen.has(pair)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      const error = duplicate(field, shown);
      errors.push({ ...error, message: `${error.message}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
  });
  return errors;
}

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
    const modes = asArray(spec.accessModes).map(asString);
    errors.push(...validateAccessModes(modes, 'spec.accessModes'));
    if (capacity.storage !== undefined)
      errors.push(...validatePositiveAmount(capacity.storage, 'spec.capacity[storage]'));
    errors.push(...validateVolumeSource(spec));
    if (!RECLAIM_POLICIES.includes(asString(spec.persistentVolumeReclaimPolicy))) {
      const policy = spec.persistentVolumeReclaimPolicy;
      errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES));
    }
    errors.push(...validateClassName(spec.storageClassName, 'spec.storageClassName'));
    return [...errors, ...validateVolumeMode(spec.volumeMode, 'spec.volumeMode')];
  },
};

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

function validateVolumeSource(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const sources = Object.keys(spec).filter((field) => !VOLUME_FIELDS.has(field));
  if (sources.length === 0) errors.push(required('spec', 'must specify a volume type'));
  for (const field of sources.slice(1)) {
    errors.push(forbidden(`spec.${field}`, 'may not specify more than 1 volume type'));
  }
  const path = asString(asObject(spec.hostPath).path);
  if (isObject(spec.hostPath) && path === '') errors.push(required('spec.hostPath.path'));
  if (isObject(spec.csi)) {
    for (const field of ['driver', 'volumeHandle']) {
      if (asString(spec.csi[field]) === '') errors.push(required(`spec.csi.${field}`));
    }
  }
  if (isObject(spec.local) && spec.nodeAffinity === undefined) {
    errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  if (path === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', detail));
  }
  return errors;
}

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
