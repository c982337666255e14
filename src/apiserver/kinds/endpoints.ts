import { type FieldError, invalid, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { addressProblems } from '../values/ip-address.ts';
import { asArray, asString, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { dnsLabel, dnsSubdomain } from '../values/name-rules.ts';
import { items, setDefault } from './defaulting.ts';
import { addressWarnings, endpointAddressProblems, validateProtocols } from './endpoint-rules.ts';
import { validatePort } from './number-rules.ts';
import { validateText, validateTextIfAny } from './text-rules.ts';

const ADDRESS_LISTS = ['addresses', 'notReadyAddresses'];

export const endpointsStrategy: Strategy = {
  createOnUpdate: true,
  defaults(object) {
    for (const subset of items(object.subsets)) {
      for (const port of items(subset.ports)) setDefault(port, 'protocol', 'TCP');
    }
  },
  // The server itself is on loopback, and says so.
  validateCreate: (object, { user }) => (user ? validateSubsets(object.subsets) : []),
  validateUpdate: (object, old, { user }) =>
    user && !jsonEqual(object.subsets, old.subsets) ? validateSubsets(object.subsets) : [],
  warnings: (object) =>
    items(object.subsets).flatMap((subset, index) =>
      ADDRESS_LISTS.flatMap((list) =>
        items(subset[list]).flatMap(({ ip }, position) =>
          addressWarnings(asString(ip), `subsets[${index}].${list}[${position}].ip`),
        ),
      ),
    ),
};

function validateSubsets(subsets: JsonValue | undefined): FieldError[] {
  return items(subsets).flatMap((subset, index) => {
    const field = `subsets[${index}]`;
    const errors: FieldError[] = [];
    const ports = items(subset.ports);
    if (ADDRESS_LISTS.every((list) => asArray(subset[list]).length === 0)) {
      errors.push(required(field, 'must specify `addresses` or `notReadyAddresses`'));
    }
    for (const list of ADDRESS_LISTS) {
      items(subset[list]).forEach((address, position) => {
        errors.push(...validateAddress(address, `${field}.${list}[${position}]`));
      });
    }
    ports.forEach((port, position) => {
      errors.push(...validateEndpointPort(port, ports.length > 1, `${field}.ports[${position}]`));
    });
    return errors;
  });
}

function validateAddress(address: JsonObject, field: string): FieldError[] {
  const ip = asString(address.ip);
  return [
    ...addressProblems(ip).map((text) => invalid(`${field}.ip`, ip, text)),
    ...validateTextIfAny(asString(address.hostname), dnsLabel, `${field}.hostname`),
    ...(typeof address.nodeName === 'string' ? validateText(address.nodeName, dnsSubdomain, `${field}.nodeName`) : []),
    ...endpointAddressProblems(ip).map((text) => invalid(`${field}.ip`, ip, text)),
  ];
}

function validateEndpointPort(port: JsonObject, isNamed: boolean, field: string): FieldError[] {
  const name = asString(port.name);
  const errors: FieldError[] = [];
  if (isNamed && name === '') errors.push(required(`${field}.name`));
  else errors.push(...validateTextIfAny(name, dnsLabel, `${field}.name`));
  errors.push(...validatePort(port.port ?? 0, `${field}.port`));
  return [...errors, ...validateProtocols(port, field)];
}
