import { type FieldError, notSupported } from '../request/field-error.ts';
import { addressText, networkContains, parseNetwork, sloppyAddress } from '../values/ip-address.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { qualifiedNameProblems } from '../values/name-rules.ts';
import { validateText } from './text-rules.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/** Addresses that mean something else to whoever uses them. */
const SPECIAL_RANGES = [
  [['127.0.0.0/8', '::1/128'], 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [['169.254.0.0/16', 'fe80::/10'], 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [['224.0.0.0/24', 'ff02::/16'], 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
] as const;

/** What speaks against an address as that of an endpoint. */
export function endpointAddressProblems(text: string): string[] {
  const address = sloppyAddress(text);
  if (!address) return ['must be a valid IP address'];
  if (address.bits === 0n) return [`may not be unspecified (${text})`];
  return SPECIAL_RANGES.flatMap(([ranges, why]) => {
    const isInside = ranges.some((range) => {
      const network = parseNetwork(range);
      return network && networkContains(network, address);
    });
    return isInside ? [why] : [];
  });
}

/** What a client should know of an address that is accepted: there is one way to write it. */
export function addressWarnings(text: string, field: string): string[] {
  const address = sloppyAddress(text);
  if (!address) return [];
  const canonical = addressText(address);
  if (canonical === text) return [];
  const written = JSON.stringify(text);
  if (address.family === 4) return [`${field}: non-standard IP address ${written} is invalid: use "${canonical}"`];
  return [`${field}: IPv6 address ${written} should be in RFC 5952 canonical format ("${canonical}")`];
}

/** How one talks to a port. */
export function validateProtocols(port: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!PROTOCOLS.includes(asString(port.protocol))) {
    errors.push(notSupported(`${field}.protocol`, port.protocol, PROTOCOLS));
  }
  if (typeof port.appProtocol === 'string') {
    errors.push(...validateText(port.appProtocol, qualifiedNameProblems, `${field}.appProtocol`));
  }
  return errors;
}
