import type { ResourceDescription } from '../../api/type-schema.ts';
import { builtinResources } from '../../generated/resources.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { mergeSchemaOf } from '../apply/merge-schema.ts';
import type { ResourceRegistry } from '../storage/resource-registry.ts';
import { ServedResource } from '../storage/served-resource.ts';
import type { Store } from '../storage/storage.ts';
import type { Strategy } from '../storage/strategy.ts';
import { printerFor } from '../table/table.ts';
import { readTyped, zeroObject } from '../values/typed-object.ts';
import { builtinStrategies, strategyFor } from './builtin-strategies.ts';
import { conversionOf, storageTable } from './conversions.ts';

/** Serves every built-in resource that a server with default flags has. */
export function addBuiltinResources(registry: ResourceRegistry, store: Store): void {
  const strategies = builtinStrategies();
  for (const description of builtinResources()) {
    if (!description.optIn) registry.add(servedBuiltin(description, store, strategyFor(description, strategies)));
  }
}

function servedBuiltin(description: ResourceDescription, store: Store, strategy: Strategy): ServedResource {
  const schema = typeSchema(description.schema);
  if (!schema) throw new Error(`there is no type schema ${description.schema}: generate the tables again`);
  const table = store.table(storageTable(description));
  table.addSelectable(strategy.selectableFields ?? []);
  const conversion = conversionOf(description);
  const { metadata: _metadata, kind: _kind, apiVersion: _apiVersion, ...emptyObject } = zeroObject(schema);
  const { group, version, plural, singular, kind, namespaced, shortNames, categories, verbs, subresources } =
    description;
  return new ServedResource({
    group,
    version,
    plural,
    singular,
    kind,
    listKind: `${kind}List`,
    namespaced,
    shortNames,
    categories,
    verbs,
    subresources,
    table,
    strategy,
    custom: false,
    schema: description.schema,
    decode: (object) => readTyped(schema, object),
    ...(conversion ? { conversion } : {}),
    printer: printerFor(description),
    mergeSchema: () => mergeSchemaOf(description.schema, typeSchema),
    emptyObject,
    emptyStatus: (conversion ? conversion.toStorage({ ...emptyObject }) : emptyObject).status,
  });
}
