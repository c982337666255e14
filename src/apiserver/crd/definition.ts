import {
  asArray,
  asObject,
  asString,
  ensureObject,
  getPath,
  isObject,
  type JsonObject,
  jsonEqual,
} from '../values/json.ts';

/** The parts of a CustomResourceDefinition that the server acts on, read from the object as it is stored. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly namespaced: boolean;
  readonly names: DefinitionNames;
  readonly versions: readonly DefinitionVersion[];
  readonly generation: number;
  /** Who converts between versions; unset: nobody, they differ in apiVersion alone. */
  readonly conversion: ConversionWebhook | undefined;
}

/** `spec.conversion.webhook`. */
export interface ConversionWebhook {
  readonly clientConfig: JsonObject;
  readonly reviewVersions: readonly string[];
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  /** `openAPIV3Schema`; undefined only in definitions that validation refuses. */
  readonly schema: JsonObject | undefined;
  readonly status: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly JsonObject[];
  /** Simple paths that begin with a dot. */
  readonly selectableFields: readonly string[];
}

export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector: string | undefined;
}

export function parseDefinition(crd: JsonObject): Definition {
  const spec = asObject(crd.spec);
  const generation = getPath(crd, 'metadata', 'generation');
  return {
    name: asString(getPath(crd, 'metadata', 'name')),
    group: asString(spec.group),
    namespaced: spec.scope !== 'Cluster',
    names: parseNames(asObject(spec.names)),
    versions: asArray(spec.versions).map(asObject).map(parseVersion),
    generation: typeof generation === 'number' ? generation : 1,
    conversion: parseConversion(asObject(spec.conversion)),
  };
}

function parseConversion({ strategy, webhook }: JsonObject): ConversionWebhook | undefined {
  if (strategy !== 'Webhook') return undefined;
  const { clientConfig, conversionReviewVersions } = asObject(webhook);
  return { clientConfig: asObject(clientConfig), reviewVersions: asArray(conversionReviewVersions).map(asString) };
}

export function parseNames(names: JsonObject): DefinitionNames {
  return {
    plural: asString(names.plural),
    singular: asString(names.singular),
    kind: asString(names.kind),
    listKind: asString(names.listKind),
    shortNames: asArray(names.shortNames).map(asString),
    categories: asArray(names.categories).map(asString),
  };
}

function parseVersion(version: JsonObject): DefinitionVersion {
  const schema = getPath(version, 'schema', 'openAPIV3Schema');
  const scale = getPath(version, 'subresources', 'scale');
  return {
    name: asString(version.name),
    served: version.served === true,
    storage: version.storage === true,
    deprecated: version.deprecated === true,
    deprecationWarning: typeof version.deprecationWarning === 'string' ? version.deprecationWarning : undefined,
    schema: isObject(schema) ? schema : undefined,
    status: isObject(getPath(version, 'subresources', 'status')),
    scale: isObject(scale) ? parseScale(scale) : undefined,
    columns: asArray(version.additionalPrinterColumns).map(asObject),
    selectableFields: asArray(version.selectableFields).map((field) => asString(asObject(field).jsonPath)),
  };
}

function parseScale(scale: JsonObject): ScalePaths {
  const selector = asString(scale.labelSelectorPath);
  return {
    specReplicas: asString(scale.specReplicasPath),
    statusReplicas: asString(scale.statusReplicasPath),
    labelSelector: selector === '' ? undefined : selector,
  };
}

export function storageVersion(definition: Definition): DefinitionVersion | undefined {
  return definition.versions.find(({ storage }) => storage);
}

/** What the server fills in when it reads a definition, in place: `Strategy.defaults` of the kind. */
export function defaultDefinition(crd: JsonObject): void {
  const spec = ensureObject(crd, 'spec');
  const names = ensureObject(spec, 'names');
  const kind = asString(names.kind);
  if (asString(names.singular) === '') names.singular = kind.toLowerCase();
  if (asString(names.listKind) === '' && kind !== '') names.listKind = `${kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const service = getPath(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (isObject(service)) service.port ??= 443;
  const status = ensureObject(crd, 'status');
  if (asArray(status.storedVersions).length === 0) addStoredVersion(crd);
}

/** A new definition starts without a status but for the version that it stores. */
export function prepareDefinition(crd: JsonObject): void {
  crd.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
  addStoredVersion(crd);
}

/** An update of the spec keeps the status, and may add to the versions that have been stored. */
export function prepareDefinitionUpdate(crd: JsonObject, old: JsonObject): void {
  if (old.status !== undefined) crd.status = structuredClone(old.status);
  addStoredVersion(crd);
}

function addStoredVersion(crd: JsonObject): void {
  const storage = storageVersion(parseDefinition(crd));
  if (storage === undefined) return;
  const status = ensureObject(crd, 'status');
  const stored = asArray(status.storedVersions);
  if (!stored.includes(storage.name)) status.storedVersions = [...stored, storage.name];
}

/** Whether every version says the same; the real server then keeps it once, and complains about it there. */
export function sharedByVersions(spec: JsonObject, field: string): boolean {
  const versions = asArray(spec.versions).map(asObject);
  return versions.every((version) => jsonEqual(version[field] ?? null, versions[0]?.[field] ?? null));
}
