import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { addressProblems, sloppyAddress } from '../values/ip-address.ts';
import { asArray, asString, isObject, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { dnsLabel, dnsSubdomain, ipAddressName, labelValueProblems } from '../values/name-rules.ts';
import { metadataOf } from '../values/object-meta.ts';
import { items } from './defaulting.ts';
import { addressWarnings, endpointAddressProblems, validateProtocols } from './endpoint-rules.ts';
import { validateText, validateTextIfAny } from './text-rules.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_PORTS = 20_000;
const MAX_ADDRESSES = 100;
const MAX_HINTS = 8;

export const endpointSliceStrategy: Strategy = {
  generation: true,
  defaults(object) {
    for (const port of items(object.ports)) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  prepareForCreate: (object) => dropTopology(object),
  prepareForUpdate(object, old) {
    if (!jsonEqual(object.endpoints, old.endpoints)) dropTopology(object);
    const [metadata, before] = [metadataOf(object), metadataOf(old)];
    // Whoever selects slices by labels sees another slice.
    if (!jsonEqual(metadata.labels, before.labels)) metadata.generation = Number(before.generation ?? 0) + 1;
  },
  validate: (object) => [...validateAddressType(object.addressType), ...validatePorts(items(object.ports))],
  // The server itself is on loopback, and says so.
  validateCreate: (object, { user }) => (user ? validateEndpoints(object) : []),
  validateUpdate: (object, old, { user }) => [
    ...(user && !jsonEqual(object.endpoints, old.endpoints) ? validateEndpoints(object) : []),
    ...(object.addressType === old.addressType
      ? []
      : [invalid('addressType', object.addressType, 'field is immutable')]),
  ],
  warnings: (object, old) => [
    ...(object.addressType === 'FQDN' && !old ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...items(object.endpoints).flatMap((endpoint, index) =>
      asArray(endpoint.addresses).flatMap((address, position) =>
        addressWarnings(asString(address), `endpoints[${index}].addresses[${position}]`),
      ),
    ),
  ],
};

/** v1 shows what older versions stored there, and takes no more of it. */
function dropTopology(object: JsonObject): void {
  for (const endpoint of items(object.endpoints)) delete endpoint.deprecatedTopology;
}

function validateAddressType(type: JsonValue | undefined): FieldError[] {
  if (asString(type) === '') return [required('addressType')];
  return ADDRESS_TYPES.includes(asString(type)) ? [] : [notSupported('addressType', type, ADDRESS_TYPES)];
}

function validatePorts(ports: readonly JsonObject[]): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany('ports', ports.length, MAX_PORTS)];
  const names = ports.map((port) => asString(port.name));
  return ports.flatMap((port, index) => {
    const field = `ports[${index}]`;
    const name = names[index] ?? '';
    return [
      ...validateTextIfAny(name, dnsLabel, `${field}.name`),
      ...(names.indexOf(name) < index ? [duplicate(`${field}.name`, name)] : []),
      ...validateProtocols(port, field),
    ];
  });
}

function validateEndpoints({ endpoints, addressType }: JsonObject): FieldError[] {
  const all = items(endpoints);
  if (all.length > MAX_ENDPOINTS) return [tooMany('endpoints', all.length, MAX_ENDPOINTS)];
  return all.flatMap((endpoint, index) => {
    const field = `endpoints[${index}]`;
    const addresses = asArray(endpoint.addresses).map(asString);
    const errors: FieldError[] = [];
    if (addresses.length === 0) errors.push(required(`${field}.addresses`, 'must contain at least 1 address'));
    else if (addresses.length > MAX_ADDRESSES) {
      errors.push(tooMany(`${field}.addresses`, addresses.length, MAX_ADDRESSES));
    }
    addresses.forEach((address, position) => {
      errors.push(...validateSliceAddress(address, asString(addressType), `${field}.addresses`, position));
    });
    const { nodeName, hostname } = endpoint;
    if (typeof nodeName === 'string') errors.push(...validateText(nodeName, dnsSubdomain, `${field}.nodeName`));
    if (typeof hostname === 'string') errors.push(...validateText(hostname, dnsLabel, `${field}.hostname`));
    if (isObject(endpoint.hints)) errors.push(...validateHints(endpoint.hints, `${field}.hints`));
    return errors;
  });
}

function validateSliceAddress(address: string, type: string, list: string, index: number): FieldError[] {
  const field = `${list}[${index}]`;
  if (type === 'FQDN') return validateDomain(address, field);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const problems = type === 'IPv4' ? addressProblems(address) : ipAddressName(address, false);
  if (problems.length > 0) return problems.map((text) => invalid(field, address, text));
  const isOther = sloppyAddress(address)?.family !== (type === 'IPv4' ? 4 : 6);
  return [
    // The real server leaves the index out here.
    ...(isOther ? [invalid(list, address, `must be an ${type} address`)] : []),
    ...endpointAddressProblems(address).map((text) => invalid(field, address, text)),
  ];
}

function validateDomain(text: string, field: string): FieldError[] {
  if (text === '') return [required(field)];
  const name = text.replace(/\.$/, '');
  const problems = dnsSubdomain(name, false);
  if (problems.length > 0) return [invalid(field, name, problems.join(','))];
  if (!name.includes('.')) {
    return [invalid(field, name, 'should be a domain with at least two segments separated by dots')];
  }
  const long = name.split('.').find((label) => dnsLabel(label, false).length > 0);
  return long === undefined ? [] : [invalid(field, long, dnsLabel(long, false).join(','))];
}

function validateHints(hints: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [list, rule] of [
    ['forZones', labelValueProblems],
    ['forNodes', dnsSubdomain],
  ] as const) {
    const names = items(hints[list]).map(({ name }) => asString(name));
    if (names.length > MAX_HINTS) return [...errors, tooMany(`${field}.${list}`, names.length, MAX_HINTS)];
    names.forEach((name, index) => {
      const at = `${field}.${list}[${index}].name`;
      if (names.indexOf(name) < index) errors.push(duplicate(at, name));
      errors.push(...validateText(name, rule, at));
    });
  }
  return errors;
}
