/**
 * From a CustomResourceDefinition to what the server needs to serve it: `customVersions(crd)` gives one `CustomVersion` for
 * each version that is served, best first, none while the definition is not Established. When the definition changes, ask
 * again.
 *
 * A version is stored in whatever version the definition marks. Unless a webhook converts, versions differ in apiVersion, and
 * in what their schemas prune and default.
 */
import type { SubresourceDescription } from '../../api/type-schema.ts';
import type { OutsideConversion } from '../storage/outside-conversion.ts';
import type { Conversion, Decoded } from '../storage/served-resource.ts';
import type { Strategy } from '../storage/strategy.ts';
import { type CustomColumn, customPrinter } from '../table/custom-printer.ts';
import type { TablePrinter } from '../table/table-printer.ts';
import { asObject, asString, cloneJson, type JsonObject, jsonEqual } from '../values/json.ts';
import { convertedVersion } from './conversion/converted-versions.ts';
import { type ConverterServer, webhookConverter } from './conversion/webhook-converter.ts';
import { CustomScale } from './custom-scale.ts';
import { customStrategy } from './custom-strategy.ts';
import { applyDefaults } from './defaults.ts';
import { type Definition, type DefinitionVersion, parseDefinition, parseNames, storageVersion } from './definition.ts';
import { definitionConditionHolds } from './definition-status.ts';
import { coerceMetadata } from './embedded-resources.ts';
import { pruneResource } from './prune.ts';
import { parseSchema, type Schema } from './structural-schema.ts';
import { compareVersions } from './version-priority.ts';

export interface CustomVersion {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceDescription[];
  /** Whether objects are stored in this version. */
  readonly storage: boolean;
  /** The schema as JSON, for OpenAPI and for server-side apply. */
  readonly schema: JsonObject;
  readonly printer: TablePrinter;
  readonly strategy: Strategy;
  /** Set when the definition declares the subresource. */
  readonly scale: CustomScale | undefined;
  /** Sent as a Warning with every answer of a deprecated version. */
  readonly warning: string | undefined;
  /** `spec.colour`, for field selectors; `strategy.selectableFields` reads them. */
  readonly selectableFields: readonly string[];
  /** What a client sent: pruned, defaulted, its metadata read as ObjectMeta. Throws `DecodeProblem`. */
  decode(object: JsonObject): Decoded;
  /**
   * Set when what is stored may not be what this version shows: another version with another schema has stored it, or the
   * schema has changed since.
   */
  readonly conversion: Conversion | undefined;
  /** Set instead of `conversion` when the definition has a webhook for that. */
  readonly outside: OutsideConversion | undefined;
}

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

export function customVersions(crd: JsonObject, server: ConverterServer): CustomVersion[] {
  if (!definitionConditionHolds(crd, 'Established')) return [];
  const definition = parseDefinition(crd);
  // What was asked for and what was granted may differ, in short names for one.
  const accepted = parseNames(asObject(asObject(crd.status).acceptedNames));
  const named = { ...definition, names: { ...definition.names, ...accepted } };
  return named.versions
    .filter(({ served }) => served)
    .sort((a, b) => compareVersions(a.name, b.name))
    .map((version) => customVersion(named, version, server));
}

function customVersion(definition: Definition, version: DefinitionVersion, server: ConverterServer): CustomVersion {
  const { group, names, namespaced } = definition;
  const json = version.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = parseSchema(json);
  const apiVersion = `${group}/${version.name}`;
  const scale = version.scale === undefined ? undefined : new CustomScale(version.scale);
  const outside =
    definition.conversion && convertedVersion(definition, version, webhookConverter(server, definition.conversion));
  const conversion = outside ? undefined : conversionOf(definition, version, schema);
  return {
    group,
    version: version.name,
    ...names,
    namespaced,
    verbs: VERBS,
    subresources: subresourcesOf(definition, version),
    storage: version.storage,
    schema: json,
    printer: customPrinter(version.columns.map(parseColumn)),
    strategy: customStrategy({
      version,
      schema,
      scale,
      apiVersion,
      kind: names.kind,
      fromStorage: conversion?.fromStorage,
    }),
    scale,
    selectableFields: version.selectableFields.map((path) => path.replace(/^\./, '')),
    warning: version.deprecated ? (version.deprecationWarning ?? deprecation(definition, version)) : undefined,
    decode(object) {
      const decoded = cloneJson(object);
      applyDefaults(decoded, schema);
      const unknown = pruneResource(decoded, schema);
      unknown.push(...coerceMetadata(decoded, schema, 'throw'));
      return { object: decoded, unknownFields: unknown.sort() };
    },
    conversion,
    outside,
  };
}

function subresourcesOf({ group, names }: Definition, version: DefinitionVersion): SubresourceDescription[] {
  const status = { name: 'status', group, version: version.name, kind: names.kind, verbs: SUBRESOURCE_VERBS };
  const scale = { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: SUBRESOURCE_VERBS };
  return [...(version.status ? [status] : []), ...(version.scale === undefined ? [] : [scale])];
}

function parseColumn(column: JsonObject): CustomColumn {
  return {
    name: asString(column.name),
    type: asString(column.type),
    jsonPath: asString(column.jsonPath),
    format: asString(column.format),
    description: asString(column.description),
    priority: typeof column.priority === 'number' ? column.priority : 0,
  };
}

function conversionOf(definition: Definition, version: DefinitionVersion, schema: Schema): Conversion | undefined {
  const stored = storageVersion(definition) ?? version;
  const sameSchema = definition.versions.every((other) => jsonEqual(other.schema, version.schema));
  if (sameSchema && definition.generation <= 1) return undefined;
  const storageSchema = parseSchema(stored.schema ?? {});
  const shape = (object: JsonObject, by: Schema, name: string): JsonObject => {
    pruneResource(object, by);
    coerceMetadata(object, by, 'drop');
    return { ...object, apiVersion: `${definition.group}/${name}`, kind: definition.names.kind };
  };
  return {
    toStorage: (object) => shape(object, storageSchema, stored.name),
    fromStorage(object) {
      // Defaults are those of the stored version: another version's own are for what clients send through it.
      applyDefaults(object, storageSchema);
      return shape(shape(object, storageSchema, stored.name), schema, version.name);
    },
  };
}

function deprecation({ group, names, versions }: Definition, version: DefinitionVersion): string {
  const said = `${group}/${version.name} ${names.kind} is deprecated`;
  const [better] = versions
    .filter(({ name, served, deprecated }) => served && !deprecated && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  return better === undefined ? said : `${said}; use ${group}/${better} ${names.kind}`;
}
