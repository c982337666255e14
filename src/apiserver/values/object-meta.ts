import { type FieldError, forbidden, invalid, required, tooLong } from '../request/field-error.ts';
import { asArray, asObject, asString, type JsonObject, jsonEqual } from './json.ts';
import { dnsLabel, labelValueProblems, type NameRule, qualifiedNameProblems } from './name-rules.ts';

export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';
const STANDARD_FINALIZERS = new Set(['kubernetes', FOREGROUND_FINALIZER, ORPHAN_FINALIZER]);
const MAX_ANNOTATION_BYTES = 256 * 1024;

export function metadataOf(object: JsonObject): JsonObject {
  return asObject(object.metadata);
}

export function finalizersOf(object: JsonObject): string[] {
  return asArray(metadataOf(object).finalizers).map(asString);
}

/** RFC 3339 in whole seconds, as `metav1.Time`. */
export function timestamp(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** The judgement of an object's metadata on create and update, worded as the real server words it. */
export function validateMetadata(
  metadata: JsonObject,
  { namespaced, custom, nameRule }: { namespaced: boolean; custom: boolean; nameRule: NameRule },
): FieldError[] {
  const errors: FieldError[] = [];
  const name = asString(metadata.name);
  const generateName = asString(metadata.generateName);
  const namespace = asString(metadata.namespace);
  if (generateName !== '') {
    for (const text of nameRule(generateName, true)) errors.push(invalid('metadata.generateName', generateName, text));
  }
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else for (const text of nameRule(name, false)) errors.push(invalid('metadata.name', name, text));
  if (namespaced) {
    if (namespace === '') errors.push(required('metadata.namespace'));
    else for (const text of dnsLabel(namespace, false)) errors.push(invalid('metadata.namespace', namespace, text));
  } else if (namespace !== '') errors.push(forbidden('metadata.namespace', 'not allowed on this type'));
  errors.push(...validateLabels(asObject(metadata.labels), 'metadata.labels'));
  errors.push(...validateAnnotations(asObject(metadata.annotations)));
  errors.push(...validateOwners(metadata));
  errors.push(...validateFinalizers(metadata, custom));
  return errors;
}

export function validateLabels(labels: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const text of qualifiedNameProblems(key)) errors.push(invalid(field, key, text));
    for (const text of labelValueProblems(asString(value))) errors.push(invalid(field, value, text));
  }
  return errors;
}

export function validateAnnotations(annotations: JsonObject, field = 'metadata.annotations'): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const text of qualifiedNameProblems(key.toLowerCase())) errors.push(invalid(field, key, text));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(asString(value));
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.push(tooLong(field, MAX_ANNOTATION_BYTES));
  return errors;
}

function validateOwners(metadata: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const field = 'metadata.ownerReferences';
  let controller = '';
  for (const item of asArray(metadata.ownerReferences)) {
    const reference = asObject(item);
    if (!/^(?:[^/]+\/)?[^/]+$/.test(asString(reference.apiVersion))) {
      errors.push(invalid(`${field}.apiVersion`, asString(reference.apiVersion), 'version must not be empty'));
    }
    for (const part of ['kind', 'name', 'uid']) {
      if (asString(reference[part]) === '') errors.push(invalid(`${field}.${part}`, '', 'must not be empty'));
    }
    if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
      errors.push(invalid(field, reference, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (reference.controller === true) {
      const current = `${asString(reference.kind)}/${asString(reference.name)}`;
      if (controller !== '') {
        const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`;
        errors.push(invalid(field, metadata.ownerReferences, detail));
      } else controller = current;
    }
  }
  return errors;
}

/** What the real server thinks of the finalizers of a custom resource, which it takes all the same. */
export function finalizerWarnings(metadata: JsonObject): string[] {
  const warnings: string[] = [];
  for (const name of asArray(metadata.finalizers).map(asString)) {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) continue;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const why = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    warnings.push(`metadata.finalizers: ${JSON.stringify(name)}: ${why}`);
  }
  return warnings;
}

function validateFinalizers(metadata: JsonObject, custom: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const finalizers = asArray(metadata.finalizers).map(asString);
  for (const name of finalizers) {
    for (const text of qualifiedNameProblems(name)) errors.push(invalid('metadata.finalizers', name, text));
  }
  if (finalizers.includes(ORPHAN_FINALIZER) && finalizers.includes(FOREGROUND_FINALIZER)) {
    const detail = `finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`;
    errors.push(invalid('metadata.finalizers', finalizers, detail));
  }
  if (custom) return errors;
  finalizers.forEach((name, index) => {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(invalid(`metadata.finalizers[${index}]`, name, detail));
  });
  return errors;
}

/** What an update may not change. */
export function validateMetadataUpdate(metadata: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const before = new Set(asArray(old.finalizers).map(asString));
    const added = asArray(metadata.finalizers)
      .map(asString)
      .filter((name) => !before.has(name))
      .sort();
    if (added.length > 0) {
      const listed = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${listed}`;
      errors.push(forbidden('metadata.finalizers', detail));
    }
  }
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp']) {
    if (!jsonEqual(metadata[field], old[field])) {
      errors.push(invalid(`metadata.${field}`, metadata[field] ?? '', 'field is immutable'));
    }
  }
  return errors;
}
