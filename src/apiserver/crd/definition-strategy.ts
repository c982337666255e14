import type { Strategy, WriteContext } from '../storage/strategy.ts';
import { asArray, asObject, asString, getKey, getPath, isObject, type JsonObject } from '../values/json.ts';
import { defaultDefinition, prepareDefinition, prepareDefinitionUpdate } from './definition.ts';
import { definitionErrors } from './definition-rules.ts';
import { heededFormat } from './formats.ts';
import { eachSchema } from './schema-rules.ts';

/**
 * The strategy of `customresourcedefinitions`. The status that the real server's controllers write afterwards comes from
 * `updateDefinitionStatus`; whoever wires this calls it after each write, and serves what `customVersions` gives.
 */
export const definitionStrategy: Strategy = {
  generation: true,
  unconditionalUpdate: false,
  defaults: defaultDefinition,
  prepareForCreate(crd, context) {
    prepareDefinition(crd);
    warnOfFormats(crd, undefined, context);
  },
  prepareForUpdate(crd, old, context) {
    prepareDefinitionUpdate(crd, old);
    warnOfFormats(crd, old, context);
  },
  validate(crd) {
    // An update carries the version that it starts from, and is judged by validateUpdate.
    return asString(getPath(crd, 'metadata', 'resourceVersion')) === '' ? definitionErrors(crd) : [];
  },
  validateUpdate: (crd, old) => definitionErrors(crd, old),
};

function warnOfFormats(crd: JsonObject, old: JsonObject | undefined, context: WriteContext): void {
  const before = new Set(old === undefined ? [] : unknownFormats(old));
  for (const format of unknownFormats(crd)) {
    if (!before.has(format)) context.warn(`unrecognized format ${JSON.stringify(format)}`);
  }
}

/** Once for each schema that has one; what several versions share counts once. */
function unknownFormats(crd: JsonObject): string[] {
  const formats: string[] = [];
  const seen = new Set<string>();
  for (const version of asArray(getPath(crd, 'spec', 'versions')).map(asObject)) {
    const schema = getPath(version, 'schema', 'openAPIV3Schema');
    const text = JSON.stringify(schema);
    if (!isObject(schema) || seen.has(text)) continue;
    seen.add(text);
    eachSchema(schema, '', (inner) => {
      const format = asString(getKey(inner, 'format'));
      if (format !== '' && heededFormat(asString(getKey(inner, 'type')), format) === '') formats.push(format);
    });
  }
  return formats;
}
