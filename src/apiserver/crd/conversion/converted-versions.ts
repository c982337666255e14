import { statusError } from '../../request/status-error.ts';
import type { OutsideConversion } from '../../storage/outside-conversion.ts';
import type { JsonObject } from '../../values/json.ts';
import { DecodeProblem } from '../../values/typed-object.ts';
import { applyDefaults } from '../defaults.ts';
import { type Definition, type DefinitionVersion, storageVersion } from '../definition.ts';
import { coerceMetadata } from '../embedded-resources.ts';
import { pruneResource } from '../prune.ts';
import { parseSchema, type Schema } from '../structural-schema.ts';
import type { Convert } from './webhook-converter.ts';

/**
 * How one version of a definition is read from and written to the store when a webhook converts: what is read is pruned and
 * defaulted by the schema of the version that it is stored as, what the webhook answers is pruned by that of the other.
 */
export function convertedVersion(
  definition: Definition,
  version: DefinitionVersion,
  convert: Convert,
): OutsideConversion {
  const { group, names } = definition;
  const schemas = new Map(
    definition.versions.map(({ name, schema }): [string, Schema] => [`${group}/${name}`, parseSchema(schema ?? {})]),
  );
  const served = `${group}/${version.name}`;
  const storage = `${group}/${(storageVersion(definition) ?? version).name}`;
  const ask = async (object: JsonObject, apiVersion: string): Promise<JsonObject> =>
    pruned(await convert(object, apiVersion), schemas.get(apiVersion));
  return {
    fromStorage(object, apiVersion) {
      const schema = schemas.get(apiVersion);
      if (!schema) {
        throw statusError(500, '', `request to convert CR from an invalid group/version: ${apiVersion}`);
      }
      applyDefaults(object, schema);
      pruneResource(object, schema);
      coerceMetadata(object, schema, 'drop');
      const stored = { ...object, apiVersion, kind: names.kind };
      return apiVersion === served ? stored : ask(stored, served);
    },
    toStorage(object) {
      const shown = { ...object, apiVersion: served, kind: names.kind };
      return served === storage ? pruned(shown, schemas.get(storage)) : ask(shown, storage);
    },
  };
}

/** Metadata that is not ObjectMeta is the webhook's mistake. */
function pruned(object: JsonObject, schema: Schema = parseSchema({})): JsonObject {
  try {
    pruneResource(object, schema);
    coerceMetadata(object, schema, 'throw');
    return object;
  } catch (error) {
    if (error instanceof DecodeProblem) throw statusError(500, '', error.message);
    throw error;
  }
}
