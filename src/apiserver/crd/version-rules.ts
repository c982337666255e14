import { type FieldError, forbidden, invalid, required } from '../request/field-error.ts';
import {
  asArray,
  asObject,
  asString,
  getKey,
  getPath,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../values/json.ts';
import { dns1035Label } from '../values/name-rules.ts';
import { ruleErrors } from './cel/rule-rules.ts';
import { childPath, indexPath } from './child-path.ts';
import { defaultErrors } from './default-rules.ts';
import { sharedByVersions } from './definition.ts';
import { isBeyondStructural, schemaErrors } from './schema-rules.ts';
import { selectableFieldErrors } from './selectable-field-rules.ts';
import { structuralErrors } from './structural-rules.ts';
import { parseSchema } from './structural-schema.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MOST_WARNING_BYTES = 256;
/** As the real server names them, in its order. */
const ROOT_FIELDS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';
const ROOT_KEYS = new Set([
  ...ROOT_FIELDS.split(' ').map((name) => name.charAt(0).toLowerCase() + name.slice(1)),
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

/** What is wrong with one version, apart from what it shares with all others. `isOld` says that it keeps its schema. */
export function versionErrors(spec: JsonObject, version: JsonObject, index: number, isOld: boolean): FieldError[] {
  const path = `spec.versions[${index}]`;
  const errors: FieldError[] = [];
  const name = asString(version.name);
  const problems = dns1035Label(name, false);
  if (problems.length > 0) errors.push(invalid(`${path}.name`, name, problems.join(',')));
  errors.push(...warningErrors(version, path));
  errors.push(...versionPartErrors(spec, version, path, isOld));
  return errors;
}

function warningErrors(version: JsonObject, path: string): FieldError[] {
  const warning = version.deprecationWarning;
  if (typeof warning !== 'string') return [];
  const complain = (detail: string) => invalid(`${path}.deprecationWarning`, warning, detail);
  if (version.deprecated !== true) return [complain('can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(warning) > MOST_WARNING_BYTES) errors.push(complain('must be <= 256 characters long'));
  if (warning === '') errors.push(complain('must not be an empty string'));
  const odd = [...warning].findIndex((char) => /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(char));
  if (odd >= 0) {
    const at = Buffer.byteLength([...warning].slice(0, odd).join(''));
    const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${at}`;
    errors.push(complain(detail));
  }
  return errors;
}

/**
 * Schema, subresources, columns and selectable fields. Those that all versions share are judged once, with `path`
 * undefined, and named as the real server names them then (`spec.validation`); the others for each version.
 */
export function versionPartErrors(
  spec: JsonObject,
  version: JsonObject,
  path: string | undefined,
  isOld: boolean,
): FieldError[] {
  const judge = (field: string) => sharedByVersions(spec, field) === (path === undefined);
  const at = (field: string) => childPath(path ?? 'spec', field);
  const errors: FieldError[] = [];
  const schema = getPath(version, 'schema', 'openAPIV3Schema');
  if (judge('schema') && isObject(schema)) {
    const versions = path === undefined ? asArray(spec.versions).map(asObject) : [version];
    const hasStatus = versions.some((one) => isObject(getPath(one, 'subresources', 'status')));
    const field = path === undefined ? 'spec.validation.openAPIV3Schema' : `${path}.schema.openAPIV3Schema`;
    errors.push(...openApiErrors(schema, hasStatus, field, isOld));
  }
  if (judge('subresources')) {
    errors.push(...scaleErrors(getPath(version, 'subresources', 'scale'), `${at('subresources')}.scale`));
  }
  if (judge('additionalPrinterColumns')) {
    for (const [index, column] of asArray(version.additionalPrinterColumns).map(asObject).entries()) {
      errors.push(...columnErrors(column, indexPath(at('additionalPrinterColumns'), index)));
    }
  }
  if (judge('selectableFields') && isObject(schema)) {
    const fields = asArray(version.selectableFields).map((item) => asString(asObject(item).jsonPath));
    errors.push(...selectableFieldErrors(fields, parseSchema(schema), at('selectableFields')));
  }
  return errors;
}

function openApiErrors(json: JsonObject, hasStatus: boolean, path: string, isOld: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus) errors.push(...rootErrors(json, path));
  if (json.nullable === true) {
    errors.push(forbidden(childPath(path, 'nullable'), 'nullable cannot be true at the root'));
  }
  const schema = parseSchema(json);
  const structural = isBeyondStructural(json) ? [] : structuralErrors(schema, path);
  const syntax = schemaErrors(json, path);
  // A schema that cannot be understood says nothing about its defaults, nor about what its rules refer to.
  const isSound = structural.length === 0 && syntax.length === 0;
  errors.push(...structural);
  if (isSound) errors.push(...defaultErrors(schema, path));
  errors.push(...syntax);
  if (isSound) errors.push(...ruleErrors(schema, path, { isUnchanged: isOld }));
  return errors;
}

/** With a status subresource the status is validated by itself, so the root may say nothing about both. */
function rootErrors(schema: JsonObject, path: string): FieldError[] {
  for (const [key, value] of Object.entries(schema)) {
    const isUnset = value === undefined || value === '' || value === false || value === null;
    if (isUnset || (Array.isArray(value) && value.length === 0)) continue;
    if (key === 'type' && value !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(childPath(path, 'type'), value, detail)];
    }
    if (!ROOT_KEYS.has(key)) {
      const detail = `only [${ROOT_FIELDS}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalid(path, schema, detail)];
    }
  }
  return [];
}

function scaleErrors(scale: JsonValue | undefined, path: string): FieldError[] {
  if (!isObject(scale)) return [];
  const errors: FieldError[] = [];
  const checks = [
    { name: 'specReplicasPath', isRequired: true, under: ['.spec.'], detail: 'should be a json path under .spec' },
    {
      name: 'statusReplicasPath',
      isRequired: true,
      under: ['.status.'],
      detail: 'should be a json path under .status',
    },
    {
      name: 'labelSelectorPath',
      isRequired: false,
      under: ['.spec.', '.status.'],
      detail: 'should be a json path under either .spec or .status',
    },
  ];
  for (const { name, isRequired, under, detail } of checks) {
    const value = asString(getKey(scale, name));
    const at = childPath(path, name);
    if (value === '') {
      if (isRequired) errors.push(required(at));
    } else if (!value.startsWith('.')) errors.push(invalid(at, value, 'must be a simple json path starting with .'));
    else if (!under.some((prefix) => value.startsWith(prefix))) errors.push(invalid(at, value, detail));
  }
  return errors;
}

function columnErrors(column: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (asString(column.name) === '') errors.push(required(childPath(path, 'name')));
  const type = asString(column.type);
  const mustBe = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (type === '') errors.push(required(childPath(path, 'type'), mustBe));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(childPath(path, 'type'), type, mustBe));
  const format = asString(column.format);
  if (format !== '' && !COLUMN_FORMATS.includes(format)) {
    errors.push(invalid(childPath(path, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  }
  const jsonPath = asString(column.jsonPath);
  const at = childPath(path, 'JSONPath');
  if (jsonPath === '') errors.push(required(at));
  else if (!jsonPath.startsWith('.')) errors.push(invalid(at, jsonPath, 'must be a simple json path starting with .'));
  return errors;
}
