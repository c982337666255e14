import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asArray, asObject, asString, getKey, getPath, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { dns1035Label, dnsSubdomain } from '../values/name-rules.ts';
import { approvalErrors } from './api-approval.ts';
import { conversionWebhookErrors, hasWrongBundle } from './conversion/webhook-rules.ts';
import { sharedByVersions } from './definition.ts';
import { definitionConditionHolds } from './definition-status.ts';
import { versionErrors, versionPartErrors } from './version-rules.ts';

/** Why a CustomResourceDefinition is refused, in the words of the real server; `old` is set on an update. */
export function definitionErrors(crd: JsonObject, old?: JsonObject): FieldError[] {
  const spec = asObject(crd.spec);
  return [
    ...(old === undefined ? nameErrors(crd, spec) : []),
    ...specErrors(spec, asObject(old?.spec), old === undefined || mayHaveWrongBundle(old)),
    ...(old === undefined ? [] : updateErrors(spec, old)),
    ...storedVersionErrors(crd, spec),
    ...approvalErrors(crd, old),
    ...(spec.preserveUnknownFields === true && getPath(old, 'spec', 'preserveUnknownFields') !== true
      ? [preserveUnknownFields()]
      : []),
  ];
}

function nameErrors(crd: JsonObject, spec: JsonObject): FieldError[] {
  const name = asString(getPath(crd, 'metadata', 'name'));
  const expected = `${asString(getPath(spec, 'names', 'plural'))}.${asString(spec.group)}`;
  if (name === expected || name === '') return [];
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

/** Not once it is served with a good one. */
function mayHaveWrongBundle(old: JsonObject): boolean {
  return !definitionConditionHolds(old, 'Established') || hasWrongBundle(old);
}

function specErrors(spec: JsonObject, old: JsonObject, allowsWrongBundle: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const versions = asArray(spec.versions).map(asObject);
  const group = asString(spec.group);
  if (group === '') errors.push(required('spec.group'));
  else if (dnsSubdomain(group, false).length > 0) {
    errors.push(invalid('spec.group', group, dnsSubdomain(group, false).join(',')));
  } else if (!group.includes('.'))
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  if (asString(spec.scope) === '') errors.push(required('spec.scope'));
  else if (spec.scope !== 'Cluster' && spec.scope !== 'Namespaced') {
    errors.push(notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']));
  }
  for (const [index, version] of versions.entries()) {
    if (!isObject(getPath(version, 'schema', 'openAPIV3Schema'))) {
      errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  }
  for (const [index, version] of versions.entries()) {
    errors.push(...versionErrors(spec, version, index, hasOldSchema(version, old)));
  }
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    errors.push(invalidVersions(spec, 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    errors.push(invalidVersions(spec, 'must have exactly one version marked as storage version'));
  }
  const first = asString(versions[0]?.name);
  if (first !== '' && dns1035Label(first, false).length > 0) {
    errors.push(invalid('spec.version', first, dns1035Label(first, false).join(',')));
  }
  errors.push(...namesErrors(asObject(spec.names)));
  if (versions[0] !== undefined)
    errors.push(...versionPartErrors(spec, versions[0], undefined, hasOldSchema(versions[0], old)));
  errors.push(...conversionErrors(spec, allowsWrongBundle));
  return errors;
}

/** Whether the update leaves the schema of a version as it was. */
function hasOldSchema(version: JsonObject, old: JsonObject): boolean {
  const before = asArray(old.versions)
    .map(asObject)
    .find(({ name }) => name === version.name);
  return before !== undefined && jsonEqual(before.schema, version.schema);
}

/** The real server prints its internal struct, in which what all versions share has moved elsewhere. */
function invalidVersions(spec: JsonObject, detail: string): FieldError {
  const part = (version: JsonObject, field: string) =>
    sharedByVersions(spec, field) ? null : (getKey(version, field) ?? null);
  const printed = asArray(spec.versions)
    .map(asObject)
    .map((version) => ({
      Name: asString(version.name),
      Served: version.served === true,
      Storage: version.storage === true,
      Deprecated: version.deprecated === true,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: part(version, 'schema'),
      Subresources: part(version, 'subresources'),
      AdditionalPrinterColumns: part(version, 'additionalPrinterColumns'),
      SelectableFields: part(version, 'selectableFields'),
    }));
  return invalid('spec.versions', Array.isArray(spec.versions) ? printed : null, detail);
}

function namesErrors(names: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['plural', 'singular', 'kind', 'listKind']) {
    if (asString(names[field]) === '') errors.push(required(`spec.names.${field}`));
  }
  for (const field of ['plural', 'singular', 'kind', 'listKind']) {
    const name = asString(names[field]);
    const mixed = field === 'kind' || field === 'listKind';
    const problems = name === '' ? [] : dns1035Label(mixed ? name.toLowerCase() : name, false);
    if (problems.length === 0) continue;
    const detail = mixed ? 'may have mixed case, but should otherwise match: ' : '';
    errors.push(invalid(`spec.names.${field}`, name, detail + problems.join(',')));
  }
  errors.push(...labelErrors(asArray(names.shortNames).map(asString), 'spec.names.shortNames'));
  if (names.kind !== '' && names.kind === names.listKind) {
    errors.push(invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  }
  errors.push(...labelErrors(asArray(names.categories).map(asString), 'spec.names.categories'));
  return errors;
}

function labelErrors(labels: readonly string[], path: string): FieldError[] {
  return labels.flatMap((label, index) => {
    const problems = dns1035Label(label, false);
    return problems.length === 0 ? [] : [invalid(`${path}[${index}]`, label, problems.join(','))];
  });
}

function conversionErrors(spec: JsonObject, allowsWrongBundle: boolean): FieldError[] {
  const strategy = getPath(spec, 'conversion', 'strategy') ?? '';
  const field = 'spec.conversion.strategy';
  if (strategy === 'Webhook') {
    return conversionWebhookErrors(asObject(getPath(spec, 'conversion', 'webhook')), allowsWrongBundle);
  }
  if (strategy === '') return [required(field)];
  if (strategy !== 'None') return [notSupported(field, strategy, ['None', 'Webhook'])];
  const webhook = getPath(spec, 'conversion', 'webhook');
  const detail = 'should not be set when strategy is not set to Webhook';
  return [
    ...(isObject(getPath(webhook, 'clientConfig')) ? [forbidden('spec.conversion.webhookClientConfig', detail)] : []),
    ...(asArray(getPath(webhook, 'conversionReviewVersions')).length > 0
      ? [forbidden('spec.conversion.conversionReviewVersions', detail)]
      : []),
  ];
}

function updateErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const before = asObject(old.spec);
  const fixed = [
    ...(definitionConditionHolds(old, 'Established') ? [['scope'], ['names', 'kind']] : []),
    ['group'],
    ['names', 'plural'],
  ];
  return fixed
    .filter((path) => !jsonEqual(getPath(spec, ...path), getPath(before, ...path)))
    .map((path) => invalid(`spec.${path.join('.')}`, getPath(spec, ...path), 'field is immutable'));
}

function storedVersionErrors(crd: JsonObject, spec: JsonObject): FieldError[] {
  const field = 'status.storedVersions';
  const stored = asArray(getPath(crd, 'status', 'storedVersions')).map(asString);
  if (stored.length === 0) return [invalid(field, null, 'must have at least one stored version')];
  const versions = asArray(spec.versions).map(asObject);
  const names = versions.map(({ name }) => asString(name));
  return [
    ...versions
      .filter((version) => version.storage === true && !stored.includes(asString(version.name)))
      .map((version) => invalid(field, [...stored], `must have the storage version ${asString(version.name)}`)),
    ...stored.flatMap((name, index) => {
      if (names.includes(name)) return [];
      const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return [invalid(`${field}[${index}]`, name, detail)];
    }),
  ];
}

function preserveUnknownFields(): FieldError {
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return invalid('spec.preserveUnknownFields', true, detail);
}
