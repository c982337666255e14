import { goType } from '../../apply/go-value.ts';
import { aggregateText } from '../../request/field-error.ts';
import { asObject, asString, cloneJson, isObject, type JsonObject, type JsonValue } from '../../values/json.ts';
import { metadataOf, validateAnnotations, validateLabels } from '../../values/object-meta.ts';
import { ConversionProblem } from './conversion-review.ts';

/**
 * What a webhook made of an object, with the metadata of that object but for labels and annotations, which a webhook may change.
 * `conversion` is what the real server begins its complaints with. Throws `ConversionProblem`.
 */
export function acceptConverted(
  original: JsonObject,
  converted: JsonValue,
  apiVersion: string,
  conversion: string,
): JsonObject {
  const invalid = (why: string) => new ConversionProblem(`${conversion} returned invalid ${why}`);
  if (!isObject(converted) || asString(converted.kind) === '') {
    throw new ConversionProblem(`Object 'Kind' is missing in '${JSON.stringify(converted)}'`);
  }
  const problem = identityProblem(original, converted, apiVersion);
  if (problem !== undefined) throw invalid(problem);
  const metadata = keptMetadata(metadataOf(original), converted.metadata, (why) => invalid(`metadata: ${why}`));
  return { ...converted, metadata };
}

function identityProblem(original: JsonObject, converted: JsonObject, apiVersion: string): string | undefined {
  const differs = (what: string, expected: string, received: string) =>
    `object at index 0: invalid ${what} (expected ${expected}, received ${received})`;
  const received = asString(converted.apiVersion);
  if (apiVersion !== received) return differs('groupVersion', apiVersion, received);
  const [kind, found] = [asString(original.kind), asString(converted.kind)];
  if (kind !== found) return differs('kind', kind, found);
  const [before, after] = [metadataOf(original), metadataOf(converted)];
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [wanted, found] = [asString(before[field]), asString(after[field])];
    if (wanted !== found) return `object: must have the same ${name}: ${wanted} != ${found}`;
  }
  return undefined;
}

function keptMetadata(
  original: JsonObject,
  converted: JsonValue | undefined,
  invalid: (why: string) => ConversionProblem,
): JsonObject {
  if (converted === undefined) throw invalid('missing metadata in converted object');
  if (!isObject(converted)) throw invalid(`invalid metadata of type ${goType(converted)} in converted object`);
  const { labels: _labels, annotations: _annotations, ...kept } = cloneJson(original);
  for (const field of ['labels', 'annotations'] as const) {
    const value = converted[field];
    if (value === undefined || value === null) continue;
    if (!isObject(value)) throw invalid(`invalid metadata.${field} of type ${goType(value)} in converted object`);
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string') continue;
      throw invalid(`metadata.${field}[${key}] must be a string, but is ${goType(item)} in converted object`);
    }
    if (isChanged(asObject(original[field]), value)) {
      // The real server names annotations so here.
      const errors =
        field === 'labels'
          ? validateLabels(value, 'metadata.labels')
          : validateAnnotations(value, 'metadata.annotation');
      if (errors.length > 0) throw invalid(aggregateText(errors));
    }
    kept[field] = value;
  }
  return kept;
}

function isChanged(before: JsonObject, after: JsonObject): boolean {
  const keys = Object.keys(after);
  return keys.length !== Object.keys(before).length || keys.some((key) => before[key] !== after[key]);
}
