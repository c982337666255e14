import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { dnsSubdomain } from '../values/name-rules.ts';
import { amountText, parseAmount, ZERO } from '../values/resource-amounts.ts';
import { setDefault, specOf } from './defaulting.ts';
import { protect } from './protection.ts';
import { validateLabelSelector } from './selector-rules.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];
/** The groups that only the older of two fields is checked against: what it names without a group must be a claim. */
const OLD_SOURCES = ['PersistentVolumeClaim'];

export const persistentVolumeClaimStrategy: Strategy = {
  returnDeletedObject: true,
  defaults: (object) => setDefault(specOf(object), 'volumeMode', 'Filesystem'),
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    normalizeSources(specOf(object));
    protect(object, 'kubernetes.io/pvc-protection');
  },
  validate: (object) => validateClaimSpec(specOf(object), 'spec'),
  validateUpdate: validateChange,
  validateStatusUpdate: (object) =>
    Object.entries(asObject(asObject(object.status).capacity)).flatMap(([name, value]) =>
      (parseAmount(value) ?? ZERO).nanos >= 0n
        ? []
        : [invalid(`status.capacity[${name}]`, value, 'must be greater than or equal to 0')],
    ),
};

/** The two fields that say where the first data comes from say the same. */
function normalizeSources(spec: JsonObject): void {
  const { dataSource, dataSourceRef } = spec;
  if (isObject(dataSource) && dataSourceRef === undefined) {
    // What the older field may not name is dropped from it.
    const isAllowed = asString(dataSource.apiGroup) !== '' || OLD_SOURCES.includes(asString(dataSource.kind));
    if (isAllowed) spec.dataSourceRef = { ...dataSource };
    else delete spec.dataSource;
  } else if (isObject(dataSourceRef) && dataSource === undefined && asString(dataSourceRef.namespace) === '') {
    const { apiGroup = null, kind = '', name = '' } = dataSourceRef;
    spec.dataSource = { apiGroup, kind, name };
  }
}

/** For a claim, and for the templates of claims. */
export function validateClaimSpec(spec: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const modes = asArray(spec.accessModes).map(asString);
  if (modes.length === 0) errors.push(required(`${field}.accessModes`, 'at least 1 access mode is required'));
  errors.push(...validateLabelSelector(spec.selector, `${field}.selector`));
  errors.push(...validateAccessModes(modes, `${field}.accessModes`));
  const { storage } = asObject(asObject(spec.resources).requests);
  const at = `${field}.resources[storage]`;
  if (storage === undefined) errors.push(required(at));
  else errors.push(...validatePositiveAmount(storage, at));
  errors.push(...validateClassName(spec.storageClassName, `${field}.storageClassName`));
  errors.push(...validateVolumeMode(spec.volumeMode, `${field}.volumeMode`));
  errors.push(...validateClassName(spec.volumeAttributesClassName, `${field}.volumeAttributesClassName`));
  return errors;
}

export function validateAccessModes(modes: readonly string[], field: string): FieldError[] {
  const errors = modes.flatMap((mode) =>
    ACCESS_MODES.includes(mode) ? [] : [notSupported(field, mode, ACCESS_MODES)],
  );
  const others = modes.filter((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    errors.push(forbidden(field, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

export function validatePositiveAmount(value: JsonValue, field: string): FieldError[] {
  const amount = parseAmount(value) ?? ZERO;
  return amount.nanos > 0n ? [] : [invalid(field, amountText(amount), 'must be greater than zero')];
}

export function validateClassName(value: JsonValue | undefined, field: string): FieldError[] {
  const name = asString(value);
  return name === '' ? [] : dnsSubdomain(name, false).map((text) => invalid(field, name, text));
}

export function validateVolumeMode(value: JsonValue | undefined, field: string): FieldError[] {
  if (value === undefined || VOLUME_MODES.includes(asString(value))) return [];
  return [notSupported(field, value, VOLUME_MODES)];
}

function validateChange(object: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const [spec, before] = [specOf(object), specOf(old)];
  const isBound = asObject(object.status).phase === 'Bound';
  const fixed = (value: JsonObject): JsonObject => ({
    ...value,
    ...(asString(before.volumeName) === '' && { volumeName: null }),
    // A claim without a class may get one later.
    ...(before.storageClassName === undefined && { storageClassName: null }),
    ...(isBound && { volumeAttributesClassName: null, resources: withoutStorage(asObject(value.resources)) }),
  });
  if (!jsonEqual(fixed(spec), fixed(before))) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', detail));
  }
  const [size, oldSize, capacity] = [sizeOf(spec.resources), sizeOf(before.resources), capacityOf(old)];
  if (size < oldSize && size <= capacity) {
    errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  if (!jsonEqual(spec.volumeMode, before.volumeMode)) {
    errors.push(invalid('volumeMode', spec.volumeMode, 'field is immutable'));
  }
  return errors;
}

function withoutStorage(resources: JsonObject): JsonObject {
  return { ...resources, requests: { ...asObject(resources.requests), storage: null } };
}

function sizeOf(resources: JsonValue | undefined): bigint {
  return (parseAmount(asObject(asObject(resources).requests).storage) ?? ZERO).nanos;
}

function capacityOf(claim: JsonObject): bigint {
  return (parseAmount(asObject(asObject(claim.status).capacity).storage) ?? ZERO).nanos;
}
