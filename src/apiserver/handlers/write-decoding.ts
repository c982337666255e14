import { typeSchema } from '../../generated/type-schemas.ts';
import { managerName } from '../apply/managed-fields.ts';
import { type StrictFindings, typeProblem } from '../request/body.ts';
import { parseDryRun } from '../request/delete-options.ts';
import { strictProblems } from '../request/duplicate-keys.ts';
import { invalid, notSupported, required, tooLong } from '../request/field-error.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, invalidObject } from '../request/status-error.ts';
import type { Decoded, ServedResource, ServedResourceInit } from '../storage/served-resource.ts';
import { asObject, asString, isObject, type JsonObject } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import { metadataOf } from '../values/object-meta.ts';
import { DecodeProblem } from '../values/typed-object.ts';

/** The options that writes share, from the query. */
export interface WriteQuery {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  readonly force: boolean | undefined;
}

const DIRECTIVES = ['Ignore', 'Warn', 'Strict'];
const MAX_MANAGER_LENGTH = 128;

export function writeQuery(scope: ResourceScope, kind: string, apply = false): WriteQuery {
  const { query, headers } = scope.request;
  const fieldValidation = query.get('fieldValidation') ?? '';
  const manager = query.get('fieldManager') ?? '';
  const force = query.get('force');
  const errors = [];
  if (apply && manager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (!apply && force !== null)
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    });
  if (manager.length > MAX_MANAGER_LENGTH) {
    errors.push(tooLong('fieldManager', MAX_MANAGER_LENGTH));
  }
  if (fieldValidation !== '' && !DIRECTIVES.includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: parseDryRun(query.getAll('dryRun'), kind),
    fieldManager: managerName(manager, headers['user-agent']),
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as WriteQuery['fieldValidation']),
    force: force === null ? undefined : !['false', '0'].includes(force),
  };
}

/** What a body is read as: the kind of a resource, or one that only a subresource has. */
export type BodyKind = Pick<ServedResource, 'group' | 'version' | 'kind' | 'apiVersion'> & {
  readonly init: Pick<ServedResourceInit, 'custom' | 'decode'>;
};

/**
 * Makes an object of the kind from what the client sent: checks kind and version, reads it as the type, and deals with
 * unknown and duplicate fields as asked. The answer is in the version of the request.
 */
export function decodeObject(
  scope: { readonly resource: BodyKind; readonly warnings: string[] },
  sent: JsonObject,
  strict: StrictFindings,
  directive: WriteQuery['fieldValidation'],
): JsonObject {
  const { resource } = scope;
  checkType(resource, sent);
  const decoded = typed(resource, { ...sent, kind: resource.kind, apiVersion: resource.apiVersion });
  const problems = directive === 'Ignore' ? [] : problemsOf(resource, decoded, strict);
  if (directive === 'Warn') for (const text of problems) scope.warnings.push(...warningsOf(text));
  if (directive === 'Strict' && problems.length > 0) {
    throw badRequest(`${handledAs(resource)}: strict decoding error: ${problems.join(', ')}`);
  }
  // An empty list asks for the owners to be forgotten, an absent one does not; decoding would make them the same.
  const { managedFields } = metadataOf(sent);
  if (Array.isArray(managedFields) && managedFields.length === 0) metadataOf(decoded.object).managedFields = [];
  return decoded.object;
}

/** Of what YAML has twice, each key is a warning of its own. */
export function warningsOf(problem: string): string[] {
  return problem.startsWith(YAML_PROBLEM) ? problem.slice(YAML_PROBLEM.length).split('\n  ') : [problem];
}

const YAML_PROBLEM = 'yaml: unmarshal errors:\n  ';

function problemsOf(resource: BodyKind, decoded: Decoded, strict: StrictFindings): string[] {
  const { duplicates, text, yamlProblem } = strict;
  const { unknownFields } = decoded;
  const ofYaml = yamlProblem === undefined ? [] : [yamlProblem];
  // A struct is read and judged in one go; the fields of a custom resource are judged after it was read.
  if (!resource.init.custom && text !== undefined && duplicates.length > 0) return strictProblems(text, unknownFields);
  return [
    ...ofYaml,
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
}

function typed(resource: BodyKind, object: JsonObject) {
  try {
    return resource.init.decode(object);
  } catch (error) {
    if (error instanceof DecodeProblem) throw badRequest(`${handledAs(resource)}: ${error.message}`);
    throw error;
  }
}

function handledAs(resource: BodyKind, kind = resource.kind, version = resource.version): string {
  return `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}`;
}

/** Custom resources must say what they are, and are judged by other words. */
function checkCustomType(resource: BodyKind, sent: JsonObject): void {
  const [kind, apiVersion] = [asString(sent.kind), asString(sent.apiVersion)];
  if (kind === '') {
    const text = jsonText(sent);
    const preview = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in '${text}' (${preview})`,
    );
  }
  if (apiVersion !== resource.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${resource.apiVersion})`,
    );
  }
  if (kind === resource.kind) return;
  const name = asString(asObject(sent.metadata).name);
  throw invalidObject({ group: resource.group, kind }, name, [invalid('kind', kind, `must be ${resource.kind}`)]);
}

function checkType(resource: BodyKind, sent: JsonObject): void {
  const problem = typeProblem(sent);
  if (problem !== undefined) throw badRequest(problem);
  if (resource.init.custom) {
    checkCustomType(resource, sent);
    return;
  }
  const kind = asString(sent.kind) || resource.kind;
  const apiVersion = asString(sent.apiVersion) || resource.apiVersion;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  if (kind === resource.kind && apiVersion === resource.apiVersion) return;
  const isKnown = isBuiltin(resource, apiVersion, version, kind);
  if (kind !== resource.kind && isKnown) {
    const what = `${version}.${kind}`;
    const into = `${internalGroup(resource.group)}.${resource.kind}`;
    throw badRequest(`${handledAs(resource, kind, version)}: converting (${what}) to (${into}): unknown conversion`);
  }
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  if (group === resource.group && kind === resource.kind && (isKnown || isOldVersion(group, version))) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${resource.apiVersion})`,
    );
  }
  throw badRequest(
    `${handledAs(resource, kind, version)}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  );
}

/** Whether the real server could read it, as something else than what was asked for. */
function isBuiltin({ group: asked }: BodyKind, apiVersion: string, version: string, kind: string): boolean {
  const group = apiVersion.includes('/') ? apiVersion.split(/[./]/)[0] : 'core';
  // Definitions are read by a server that knows nothing else.
  if (asked === DEFINITIONS && group !== 'apiextensions') return false;
  return typeSchema(`io.k8s.api.${group}.${version}.${kind}`) !== undefined;
}

/** Both groups of events are one inside. */
function internalGroup(group: string): string {
  return group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? '');
}

const DEFINITIONS = 'apiextensions.k8s.io';

/** Versions of the groups that had others before v1; some are no longer served and still understood. */
function isOldVersion(group: string, version: string): boolean {
  return group !== '' && /^v1(?:alpha|beta)[1-9]$/.test(version);
}

/** Throws 400 unless the object has the name that its path has. */
export function matchName(name: string, expected: string): void {
  if (name === '') {
    throw badRequest(`the name of the object (${expected} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== expected) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${expected})`);
  }
}

/** Keeps the namespace of the object and that of the request the same. Throws 400 when they are not. */
export function matchNamespace(
  object: JsonObject,
  scope: { readonly resource: { readonly namespaced: boolean }; readonly namespace: string },
): void {
  const metadata = isObject(object.metadata) ? object.metadata : undefined;
  if (!metadata) return;
  const own = asString(metadata.namespace);
  const expected = scope.resource.namespaced ? scope.namespace : '';
  if (own === expected) return;
  if (own === '') {
    metadata.namespace = expected;
    return;
  }
  // A namespace object may name itself; anything else on a cluster-scoped object is dropped.
  if (expected === '') {
    delete metadata.namespace;
    return;
  }
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
