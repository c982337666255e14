import { isIPv6 } from 'node:net';
import { duplicate, type FieldError, invalid, notSupported, required } from '../request/field-error.ts';
import { addressProblems } from '../values/ip-address.ts';
import { asArray, asObject, asString, type JsonObject } from '../values/json.ts';
import { addressesOf, isHeadless } from './service-shape.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`, which have to fit each other. */
export function validateAddresses(spec: JsonObject, before?: JsonObject): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const addresses = addressesOf(spec);
  const errors = [...validateFirst(spec, addresses), ...validateFamilies(spec)];
  const field = 'spec.clusterIPs';
  const known = before ? addressesOf(before) : [];
  const broken = addresses.flatMap((address, index) => {
    if (index > 0 || address !== 'None') {
      return known.includes(address)
        ? []
        : addressProblems(address).map((text) => invalid(`${field}[${index}]`, address, text));
    }
    return addresses.length === 1 ? [] : [invalid(field, addresses, "'None' must be the first and only value")];
  });
  errors.push(...broken);
  if (addresses.length > 2) errors.push(invalid(field, addresses, 'may only hold up to 2 values'));
  if (broken.length > 0) return errors;
  if (addresses.length > 1 && new Set(addresses.map(familyOf)).size !== addresses.length) {
    errors.push(invalid(field, addresses, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  const families = asArray(spec.ipFamilies).map(asString);
  addresses.forEach((address, index) => {
    const family = families[index];
    if (family === undefined || !FAMILIES.includes(family) || family === familyOf(address)) return;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(`${field}[${index}]`, address, detail));
  });
  return errors;
}

function validateFirst(spec: JsonObject, addresses: string[]): FieldError[] {
  const field = 'spec.clusterIPs';
  const first = asString(spec.clusterIP);
  if (first === '') {
    return addresses.length === 0 ? [] : [invalid(field, addresses, 'must be empty when `clusterIP` is not specified')];
  }
  if (addresses.length === 0) return [required(field)];
  return addresses[0] === first ? [] : [invalid(field, addresses, 'first value must match `clusterIP`')];
}

function validateFamilies(spec: JsonObject): FieldError[] {
  const families = asArray(spec.ipFamilies).map(asString);
  const errors = families.flatMap((family, index) => {
    const at = `spec.ipFamilies[${index}]`;
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(at, family, FAMILIES)]),
      ...(families.indexOf(family) < index ? [duplicate(at, family)] : []),
    ];
  });
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !POLICIES.includes(asString(policy))) {
    errors.push(notSupported('spec.ipFamilyPolicy', policy, POLICIES));
  }
  return errors;
}

function familyOf(address: string): string {
  return isIPv6(address) ? 'IPv6' : 'IPv4';
}

/**
 * Fills in families and policy, for a cluster that has IPv4 alone. What it returns is wrong with the wishes of the client, and
 * ends the write before anything else is judged.
 */
export function chooseFamilies(spec: JsonObject, before?: JsonObject): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  /** Who makes a headless Service without a selector writes its endpoints, which may be of any family. */
  const isForAny = spec.clusterIP === 'None' && Object.keys(asObject(spec.selector)).length === 0;
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (isForAny ? 'RequireDualStack' : 'SingleStack');
  const errors = validateAddresses(spec, before);
  if (errors.length > 0) return errors;
  const addresses = addressesOf(spec);
  const families = asArray(spec.ipFamilies).map(asString);
  if (spec.ipFamilyPolicy === 'SingleStack') {
    for (const [list, what] of [
      [addresses, 'cluster IPs'],
      [families, 'IP families'],
    ] as const) {
      if (list.length < 2) continue;
      const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
      errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, detail));
    }
  }
  for (const [index, address] of isHeadless(spec) ? [] : addresses.entries()) {
    if (index < families.length) continue;
    if (familyOf(address) === 'IPv4') families.push('IPv4');
    else errors.push(invalid(`spec.clusterIPs[${index}]`, addresses, 'IPv6 is not configured on this cluster'));
  }
  if (errors.length > 0) return errors;
  if (!isForAny) {
    if (spec.ipFamilyPolicy === 'RequireDualStack') {
      const detail = 'this cluster is not configured for dual-stack services';
      errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, detail));
    }
    families.forEach((family, index) => {
      if (family === 'IPv4') return;
      errors.push(invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
    });
  }
  if (families.length === 0) families.push('IPv4');
  if (isForAny && spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1) {
    families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  }
  spec.ipFamilies = families;
  return errors;
}
