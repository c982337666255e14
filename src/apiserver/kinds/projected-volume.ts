import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { qualifiedNameProblems } from '../values/name-rules.ts';
import { parseAmount } from '../values/resource-amounts.ts';
import { items } from './defaulting.ts';
import { validateKeyFile, validateLocalPath, validateMode } from './file-rules.ts';
import { validateText } from './text-rules.ts';

const LEAST_TOKEN_SECONDS = 600;
const MOST_TOKEN_SECONDS = 2 ** 32;
/** What of a pod can stand in a file. */
const FILE_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
/** What of a pod is known by a path, whether or not it may stand somewhere. */
const POD_FIELDS = new Set([
  ...FILE_FIELDS,
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const RESOURCES = ['limits', 'requests'].flatMap((list) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${list}.${name}`),
);
const LARGE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
/** By the end of the resource's name: what it may be divided by, and what it is called then. */
const DIVISORS: readonly [end: RegExp, divisors: readonly string[], name: string][] = [
  [/\.cpu$/, ['1m', '1'], 'cpu'],
  [/\.memory$/, LARGE_DIVISORS, 'memory'],
  [/\.ephemeral-storage$/, LARGE_DIVISORS, 'local ephemeral storage'],
  [/\.hugepages-/, LARGE_DIVISORS, 'hugepages'],
];

export function validateProjected(volume: JsonObject, field: string): FieldError[] {
  const errors = validateMode(volume.defaultMode, `${field}.defaultMode`);
  const paths = new Set<string>();
  const claim = (path: string, shown: string) => {
    if (path !== '' && paths.has(path)) errors.push(invalid(field, shown, 'conflicting duplicate paths'));
    paths.add(path);
  };
  items(volume.sources).forEach((source, index) => {
    const at = `${field}.sources[${index}]`;
    for (const kind of ['secret', 'configMap']) {
      const files = source[kind];
      if (!isObject(files)) continue;
      const name = asString(files.name);
      if (name === '') errors.push(required(`${at}.${kind}.name`));
      items(files.items).forEach((item, position) => {
        errors.push(...validateKeyFile(item, `${at}.${kind}.items[${position}]`));
        claim(asString(item.path), name);
      });
    }
    for (const file of items(asObject(source.downwardAPI).items)) {
      errors.push(...validateDownwardFile(file, `${at}.downwardAPI`));
      claim(asString(file.path), asString(file.path));
    }
    if (isObject(source.serviceAccountToken)) errors.push(...validateToken(source.serviceAccountToken, field, at));
    if (Object.values(source).filter(isObject).length > 1) {
      errors.push(forbidden(at, 'may not specify more than 1 volume type per source'));
    }
  });
  return errors;
}

/** The real server says of the path alone that it is the volume's. */
function validateToken(token: JsonObject, volumeField: string, sourceField: string): FieldError[] {
  const seconds = Number(token.expirationSeconds ?? 0);
  const at = `${sourceField}.serviceAccountToken.expirationSeconds`;
  const errors: FieldError[] = [];
  if (seconds < LEAST_TOKEN_SECONDS) {
    errors.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > MOST_TOKEN_SECONDS) {
    errors.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  const path = asString(token.path);
  if (path === '') return [...errors, required(`${volumeField}.path`)];
  return [...errors, ...validateLocalPath(path, `${volumeField}.path`)];
}

export function validateDownward(volume: JsonObject, field: string): FieldError[] {
  return [
    ...validateMode(volume.defaultMode, `${field}.defaultMode`),
    ...items(volume.items).flatMap((file) => validateDownwardFile(file, field)),
  ];
}

/** The real server leaves out which of the files it is. */
function validateDownwardFile(file: JsonObject, field: string): FieldError[] {
  const path = asString(file.path);
  const errors = path === '' ? [required(`${field}.path`)] : validateLocalPath(path, `${field}.path`);
  const { fieldRef, resourceFieldRef } = file;
  if (isObject(fieldRef)) {
    errors.push(...validateFieldRef(fieldRef, `${field}.fieldRef`, FILE_FIELDS));
    if (isObject(resourceFieldRef)) {
      errors.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (isObject(resourceFieldRef)) {
    errors.push(...validateResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, true));
  } else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...validateMode(file.mode, `${field}.mode`)];
}

/** A field of the pod: `allowed` are those that may stand here. */
export function validateFieldRef(ref: JsonObject, field: string, allowed: readonly string[]): FieldError[] {
  const given = asString(ref.fieldPath);
  // Old clients call it so.
  const path = given === 'spec.host' ? 'spec.nodeName' : given;
  const at = `${field}.fieldPath`;
  if (path === '') return [required(at)];
  const refuse = (why: string) => [invalid(at, path, `error converting fieldPath: ${why}`)];
  if (ref.apiVersion !== 'v1') return refuse(`unsupported pod version: ${asString(ref.apiVersion)}`);
  const [, map, key = ''] = /^([^[]*)\['(.*)'\]$/s.exec(path) ?? [];
  if (map !== undefined) {
    if (map === 'metadata.annotations') return validateText(key.toLowerCase(), qualifiedNameProblems, field);
    if (map === 'metadata.labels') return validateText(key, qualifiedNameProblems, field);
    return refuse(`field label does not support subscript: ${path}`);
  }
  if (!POD_FIELDS.has(path)) return refuse(`field label not supported: ${path}`);
  return allowed.includes(path) ? [] : [notSupported(at, path, allowed)];
}

/** A resource of a container; in a volume it has to say of which. */
export function validateResourceFieldRef(ref: JsonObject, field: string, inVolume = false): FieldError[] {
  const resource = asString(ref.resource);
  const errors: FieldError[] = [];
  if (inVolume && asString(ref.containerName) === '') errors.push(required(`${field}.containerName`));
  else if (resource === '') errors.push(required(`${field}.resource`));
  else if (!RESOURCES.includes(resource) && !/^(?:limits|requests)\.hugepages-/.test(resource)) {
    errors.push(notSupported(`${field}.resource`, resource, RESOURCES));
  }
  return [...errors, ...validateDivisor(resource, ref.divisor, `${field}.divisor`)];
}

function validateDivisor(resource: string, divisor: JsonValue | undefined, field: string): FieldError[] {
  const amount = parseAmount(divisor);
  if (!amount || amount.nanos === 0n) return [];
  const [, divisors, name] =
    DIVISORS.find(([end]) => /^(?:limits|requests)\./.test(resource) && end.test(resource)) ?? [];
  if (!divisors || divisors.includes(asString(divisor))) return [];
  const listed = name === 'cpu' ? divisors.join(' and ') : divisors.join(', ');
  return [invalid(field, resource, `only divisor's values ${listed} are supported with the ${name} resource`)];
}
