import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { addressProblems, sloppyAddress } from '../values/ip-address.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { dnsLabel, dnsSubdomain, pathSegment, portNameProblems, wildcardSubdomain } from '../values/name-rules.ts';
import { items, optionalObject, setDefault, specOf } from './defaulting.ts';
import { addressWarnings } from './endpoint-rules.ts';
import { validatePort } from './number-rules.ts';
import { validateDomainPath, validateText, validateTextIfAny } from './text-rules.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const PATH_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const PATH_ENDS = ['/..', '/.'];
const SCOPES = ['Cluster', 'Namespace'];
const MAX_CONTROLLER_LENGTH = 250;

export const ingressStrategy: Strategy = {
  generation: true,
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    if (asArray(spec.rules).length === 0 && !isObject(spec.defaultBackend)) {
      errors.push(invalid('spec', spec.rules, 'either `defaultBackend` or `rules` must be specified'));
    }
    if (isObject(spec.defaultBackend)) errors.push(...validateBackend(spec.defaultBackend, 'spec.defaultBackend'));
    errors.push(...items(spec.rules).flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)));
    errors.push(...items(spec.tls).flatMap((tls, index) => validateTls(tls, `spec.tls[${index}]`)));
    const { ingressClassName } = spec;
    if (typeof ingressClassName !== 'string') return errors;
    return [...errors, ...validateText(ingressClassName, dnsSubdomain, 'spec.ingressClassName')];
  },
  validateCreate(object) {
    const [named, { ingressClassName }] = [annotatedClass(object), specOf(object)];
    if (named === undefined || ingressClassName === undefined || named === ingressClassName) return [];
    const detail = 'must match `ingressClassName` when both are specified';
    return [invalid(`annotations.${CLASS_ANNOTATION}`, named, detail)];
  },
  validateStatusUpdate({ status }, _old, context) {
    const addresses = balancers(status).map(({ ip }) => asString(ip));
    const errors = balancers(status).flatMap(validateBalancer);
    if (errors.length > 0) return errors;
    const warnings = addresses.flatMap((ip, index) => addressWarnings(ip, `status.loadBalancer.ingress[${index}]`));
    for (const text of warnings) context.warn(text);
    return [];
  },
  warnings(object, old) {
    if (old || annotatedClass(object) === undefined || specOf(object).ingressClassName !== undefined) return [];
    return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

function validateBalancer({ ip, hostname }: JsonObject, index: number): FieldError[] {
  const field = `status.loadBalancer.ingress[${index}]`;
  const [address, host] = [asString(ip), asString(hostname)];
  return [
    ...(address === '' ? [] : addressProblems(address).map((text) => invalid(`${field}.ip`, address, text))),
    ...validateTextIfAny(host, dnsSubdomain, `${field}.hostname`),
    ...notAnAddress(host, `${field}.hostname`),
  ];
}

function annotatedClass(object: JsonObject): JsonValue | undefined {
  return asObject(asObject(object.metadata).annotations)[CLASS_ANNOTATION];
}

function balancers(status: JsonValue | undefined): JsonObject[] {
  return items(asObject(asObject(status).loadBalancer).ingress);
}

function notAnAddress(host: string, field: string): FieldError[] {
  return sloppyAddress(host) ? [invalid(field, host, 'must be a DNS name, not an IP address')] : [];
}

function validateHost(host: string, field: string): FieldError[] {
  return validateText(host, host.includes('*') ? wildcardSubdomain : dnsSubdomain, field);
}

function validateTls(tls: JsonObject, field: string): FieldError[] {
  return [
    ...asArray(tls.hosts).flatMap((host, index) => validateHost(asString(host), `${field}.hosts[${index}]`)),
    ...validateTextIfAny(asString(tls.secretName), dnsSubdomain, `${field}.secretName`),
  ];
}

function validateRule(rule: JsonObject, field: string): FieldError[] {
  const host = asString(rule.host);
  const errors = host === '' ? [] : [...notAnAddress(host, `${field}.host`), ...validateHost(host, `${field}.host`)];
  if (!isObject(rule.http)) return errors;
  const paths = items(rule.http.paths);
  if (paths.length === 0) errors.push(required(`${field}.http.paths`));
  return [...errors, ...paths.flatMap((path, index) => validatePath(path, `${field}.http.paths[${index}]`))];
}

function validatePath(rule: JsonObject, field: string): FieldError[] {
  const { pathType } = rule;
  if (typeof pathType !== 'string') return [required(`${field}.pathType`, 'pathType must be specified')];
  const path = asString(rule.path);
  const problems: string[] = [];
  const errors: FieldError[] = [];
  if (!PATH_TYPES.includes(pathType)) errors.push(notSupported(`${field}.pathType`, pathType, PATH_TYPES));
  else if (!path.startsWith('/') && (path !== '' || pathType !== 'ImplementationSpecific')) {
    problems.push('must be an absolute path');
  }
  if (pathType === 'Exact' || pathType === 'Prefix') {
    problems.push(...PATH_SEQUENCES.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`));
    problems.push(...PATH_ENDS.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`));
  }
  errors.push(...problems.map((text) => invalid(`${field}.path`, path, text)));
  return [...errors, ...validateBackend(asObject(rule.backend), `${field}.backend`)];
}

function validateBackend({ service, resource }: JsonObject, field: string): FieldError[] {
  if (isObject(resource)) {
    if (isObject(service)) return [invalid(field, '', 'cannot set both resource and service backends')];
    return validateReference(resource, `${field}.resource`);
  }
  if (!isObject(service)) return [invalid(field, '', 'resource or service backend is required')];
  const at = `${field}.service`;
  const name = asString(service.name);
  const errors = name === '' ? [required(`${at}.name`)] : validateText(name, dnsLabel, `${at}.name`);
  const port = asObject(service.port);
  const [portName, number] = [asString(port.name), Number(port.number ?? 0)];
  if (portName !== '' && number !== 0) errors.push(invalid(field, '', 'cannot set both port name & port number'));
  else if (portName !== '') errors.push(...validateText(portName, portNameProblems, `${at}.port.name`));
  else if (number !== 0) errors.push(...validatePort(number, `${at}.port.number`));
  else errors.push(required(field, 'port name or number is required'));
  return errors;
}

/** Names an object of any kind. */
function validateReference(reference: JsonObject, field: string): FieldError[] {
  const { apiGroup } = reference;
  const errors = typeof apiGroup === 'string' ? validateText(apiGroup, dnsSubdomain, `${field}.apiGroup`) : [];
  for (const part of ['kind', 'name']) {
    const text = asString(reference[part]);
    if (text === '') errors.push(required(`${field}.${part}`));
    else errors.push(...validateText(text, pathSegment, `${field}.${part}`));
  }
  return errors;
}

export const ingressClassStrategy: Strategy = {
  generation: true,
  defaults(object) {
    const parameters = optionalObject(specOf(object), 'parameters');
    if (parameters) setDefault(parameters, 'scope', 'Cluster');
  },
  validate(object) {
    const spec = specOf(object);
    const controller = asString(spec.controller);
    const field = 'spec.controller';
    const errors = controller.length > MAX_CONTROLLER_LENGTH ? [tooLong(field, MAX_CONTROLLER_LENGTH)] : [];
    errors.push(...validateDomainPath(controller, field));
    return isObject(spec.parameters) ? [...errors, ...validateParameters(spec.parameters)] : errors;
  },
  validateUpdate(object, old) {
    const { controller } = specOf(object);
    if (controller === specOf(old).controller) return [];
    return [invalid('spec.controller', controller, 'field is immutable')];
  },
};

function validateParameters(parameters: JsonObject): FieldError[] {
  const field = 'spec.parameters';
  const errors = validateReference(parameters, field);
  const { scope, namespace } = parameters;
  if (!SCOPES.includes(asString(scope))) errors.push(notSupported(`${field}.scope`, scope, SCOPES));
  else if (scope === 'Namespace') {
    if (typeof namespace === 'string') errors.push(...validateText(namespace, dnsLabel, `${field}.namespace`));
    else errors.push(required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'"));
  } else if (namespace !== undefined) {
    errors.push(forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  }
  return errors;
}
