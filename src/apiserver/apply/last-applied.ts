import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { validate } from './applied-value.ts';
import { compare } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { goJson } from './go-value.ts';
import { SchemaMismatch } from './list-item.ts';
import type { MergeSchema } from './merge-schema.ts';
import { fieldsOf } from './value-fields.ts';

/** The only manager for which objects of client-side apply are taken over. */
export const KUBECTL = 'kubectl';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATION_BYTES = 256 * 1024;

/**
 * What the last client-side apply set and nobody has changed since: kubectl may take these fields from whoever owns
 * them, because it was kubectl that set them. Empty when the annotation is missing or makes no sense.
 */
export function fieldsLastApplied(live: JsonObject, schema: MergeSchema, apiVersion: string): FieldSet {
  const config = parse(annotationOf(live));
  if (!isObject(config) || config.apiVersion !== apiVersion) return new FieldSet();
  try {
    validate(config, schema, { allowDuplicates: false });
    const { modified, added, removed } = compare(config, live, schema);
    return fieldsOf(config, schema).difference(modified).difference(added).difference(removed);
  } catch (error) {
    if (error instanceof SchemaMismatch) return new FieldSet();
    throw error;
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

function annotationOf(object: JsonObject): string {
  return asString(asObject(asObject(object.metadata).annotations)[LAST_APPLIED]);
}

/** Keeps the annotation of client-side apply in step, where there is one, so that going back to it works. */
export function syncLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  if (annotationOf(object) === '') return object;
  const metadata = asObject(object.metadata);
  const annotations: JsonObject = { ...asObject(metadata.annotations), [LAST_APPLIED]: configText(config) };
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => {
    return sum + Buffer.byteLength(key) + Buffer.byteLength(asString(value));
  }, 0);
  if (bytes > MAX_ANNOTATION_BYTES) delete annotations[LAST_APPLIED];
  return { ...object, metadata: { ...metadata, annotations } };
}

function configText(config: JsonObject): string {
  const metadata = { ...asObject(config.metadata) };
  if (isObject(metadata.annotations)) {
    const { [LAST_APPLIED]: _own, ...annotations } = metadata.annotations;
    metadata.annotations = annotations;
  }
  return `${goJson({ ...config, metadata })}\n`;
}
