import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { configKeyProblems, dnsSubdomain, portNameProblems } from '../values/name-rules.ts';
import { items } from './defaulting.ts';
import { validateNonNegative, validatePort, validatePortOrName } from './number-rules.ts';
import { validateFieldRef, validateResourceFieldRef } from './projected-volume.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const SCHEMES = ['HTTP', 'HTTPS'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];
const VALUE_SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const ENV_NAME = /^[ -<>-~]+$/;
const ENV_NAME_PROBLEM =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const MANY = 'may not have more than one field specified at a time';

export function validateContainerPorts(container: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  items(container.ports).forEach((port, index) => {
    const at = `${field}.ports[${index}]`;
    const name = asString(port.name);
    const problems = name === '' ? [] : portNameProblems(name);
    errors.push(...problems.map((text) => invalid(`${at}.name`, name, text)));
    if (name !== '' && problems.length === 0) {
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    const number = port.containerPort;
    if (number === undefined || number === 0) errors.push(required(`${at}.containerPort`));
    else errors.push(...validatePort(number, `${at}.containerPort`));
    if (port.hostPort !== undefined && port.hostPort !== 0) {
      errors.push(...validatePort(port.hostPort, `${at}.hostPort`));
    }
    if (!PROTOCOLS.includes(asString(port.protocol))) {
      errors.push(notSupported(`${at}.protocol`, port.protocol, PROTOCOLS));
    }
  });
  return errors;
}

export function validateEnvironment(container: JsonObject, field: string): FieldError[] {
  return [
    ...items(container.env).flatMap((variable, index) => validateVariable(variable, `${field}.env[${index}]`)),
    ...items(container.envFrom).flatMap((source, index) => validateEnvSource(source, field, index)),
  ];
}

function validateVariable(variable: JsonObject, field: string): FieldError[] {
  const name = asString(variable.name);
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${field}.name`));
  else if (!ENV_NAME.test(name)) errors.push(invalid(`${field}.name`, name, ENV_NAME_PROBLEM));
  if (!isObject(variable.valueFrom)) return errors;
  const at = `${field}.valueFrom`;
  const from = variable.valueFrom;
  const named = VALUE_SOURCES.filter((source) => isObject(from[source]));
  for (const source of named) errors.push(...validateValueSource(source, asObject(from[source]), `${at}.${source}`));
  if (named.length === 0) {
    const last = VALUE_SOURCES.at(-1);
    const others = VALUE_SOURCES.slice(0, -1).map((source) => `\`${source}\``);
    errors.push(invalid(at, '', `must specify one of: ${others.join(', ')} or \`${last}\``));
  } else if (asString(variable.value) !== '') {
    errors.push(invalid(at, '', 'may not be specified when `value` is not empty'));
  } else if (named.length > 1) errors.push(invalid(at, '', MANY));
  return errors;
}

function validateValueSource(source: string, value: JsonObject, field: string): FieldError[] {
  if (source === 'fieldRef') return validateFieldRef(value, field, FIELD_PATHS);
  if (source === 'resourceFieldRef') return validateResourceFieldRef(value, field);
  if (source === 'fileKeyRef') return [];
  const [name, key] = [asString(value.name), asString(value.key)];
  return [
    ...dnsSubdomain(name, false).map((text) => invalid(`${field}.name`, name, text)),
    ...(key === ''
      ? [required(`${field}.key`)]
      : configKeyProblems(key).map((text) => invalid(`${field}.key`, key, text))),
  ];
}

function validateEnvSource(source: JsonObject, field: string, index: number): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${field}.envFrom[${index}]`;
  const prefix = asString(source.prefix);
  if (prefix !== '' && !ENV_NAME.test(prefix)) errors.push(invalid(`${at}.prefix`, prefix, ENV_NAME_PROBLEM));
  const named = ['configMapRef', 'secretRef'].filter((ref) => isObject(source[ref]));
  for (const ref of named) {
    if (asString(asObject(source[ref]).name) === '') errors.push(required(`${at}.${ref}.name`));
  }
  if (named.length === 0) {
    errors.push(invalid(`${field}.envFrom`, '', 'must specify one of: `configMapRef` or `secretRef`'));
  }
  if (named.length > 1) errors.push(invalid(`${field}.envFrom`, '', MANY));
  return errors;
}

export function validateProbes(container: JsonObject, field: string): FieldError[] {
  return ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) => {
    const probe = container[name];
    return isObject(probe) ? validateProbe(probe, name, `${field}.${name}`) : [];
  });
}

function validateProbe(probe: JsonObject, name: string, field: string): FieldError[] {
  const errors = validateHandler(probe, field);
  for (const count of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    errors.push(...validateNonNegative(probe[count], `${field}.${count}`));
  }
  const grace = probe.terminationGracePeriodSeconds;
  const at = `${field}.terminationGracePeriodSeconds`;
  if (typeof grace === 'number' && grace <= 0) errors.push(invalid(at, grace, 'must be greater than 0'));
  if (name === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalid(at, grace, 'must not be set for readinessProbes'));
  } else if (probe.successThreshold !== 1) {
    errors.push(invalid(`${field}.successThreshold`, probe.successThreshold, 'must be 1'));
  }
  return errors;
}

export function validateLifecycle(container: JsonObject, field: string): FieldError[] {
  const lifecycle = asObject(container.lifecycle);
  return ['postStart', 'preStop'].flatMap((name) => {
    const hook = lifecycle[name];
    return isObject(hook) ? validateHandler(hook, `${field}.lifecycle.${name}`) : [];
  });
}

/** What a probe or a hook does: one thing. */
function validateHandler(handler: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const named = HANDLERS.filter((name) => isObject(handler[name]));
  if (named.length === 0) errors.push(required(field, 'must specify a handler type'));
  named.forEach((name, index) => {
    const at = `${field}.${name}`;
    if (index > 0) errors.push(forbidden(at, 'may not specify more than 1 handler type'));
    else errors.push(...validateAction(name, asObject(handler[name]), at));
  });
  return errors;
}

function validateAction(name: string, action: JsonObject, field: string): FieldError[] {
  if (name === 'exec') return asArray(action.command).length === 0 ? [required(`${field}.command`)] : [];
  if (name === 'tcpSocket') return validatePortOrName(portOf(action.port), `${field}.port`);
  if (name === 'grpc') return validatePort(portOf(action.port), `${field}.port`);
  if (name !== 'httpGet') return [];
  const errors: FieldError[] = [];
  if (asString(action.path) === '') errors.push(required(`${field}.path`));
  errors.push(...validatePortOrName(portOf(action.port), `${field}.port`));
  if (!SCHEMES.includes(asString(action.scheme))) {
    errors.push(notSupported(`${field}.scheme`, action.scheme, SCHEMES));
  }
  for (const header of items(action.httpHeaders)) {
    if (/^[-A-Za-z0-9]+$/.test(asString(header.name))) continue;
    const detail =
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
    errors.push(invalid(`${field}.httpHeaders`, header.name, detail));
  }
  return errors;
}

function portOf(value: JsonValue | undefined): JsonValue {
  return value ?? 0;
}
