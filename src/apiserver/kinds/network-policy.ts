import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { networkContains, networkProblems, parseNetwork } from '../values/ip-address.ts';
import { asArray, asString, isObject, type JsonObject } from '../values/json.ts';
import { items, setDefault, specOf } from './defaulting.ts';
import { validatePort, validatePortOrName } from './number-rules.ts';
import { validateLabelSelector } from './selector-rules.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];
/** The directions, with the field that names the other side. */
const DIRECTIONS = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

export const networkPolicyStrategy: Strategy = {
  generation: true,
  defaults(object) {
    const spec = specOf(object);
    for (const [direction] of DIRECTIONS) {
      for (const rule of items(spec[direction])) {
        for (const port of items(rule.ports)) setDefault(port, 'protocol', 'TCP');
      }
    }
    if (asArray(spec.policyTypes).length > 0) return;
    spec.policyTypes = asArray(spec.egress).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  validate(object) {
    const spec = specOf(object);
    return [
      ...validateLabelSelector(spec.podSelector, 'spec.podSelector'),
      ...DIRECTIONS.flatMap(([direction, side]) =>
        items(spec[direction]).flatMap((rule, index) => validateRule(rule, side, `spec.${direction}[${index}]`)),
      ),
      ...validateTypes(asArray(spec.policyTypes).map(asString)),
    ];
  },
};

function validateTypes(types: string[]): FieldError[] {
  const field = 'spec.policyTypes';
  if (types.length > POLICY_TYPES.length) return [invalid(field, types, 'may not specify more than two policyTypes')];
  return types.flatMap((type, index) =>
    POLICY_TYPES.includes(type) ? [] : [notSupported(`${field}[${index}]`, type, POLICY_TYPES)],
  );
}

function validateRule(rule: JsonObject, side: string, field: string): FieldError[] {
  return [
    ...items(rule.ports).flatMap((port, index) => validatePolicyPort(port, `${field}.ports[${index}]`)),
    ...items(rule[side]).flatMap((peer, index) => validatePeer(peer, `${field}.${side}[${index}]`)),
  ];
}

function validatePolicyPort({ protocol, port, endPort }: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!PROTOCOLS.includes(asString(protocol))) errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  const end = `${field}.endPort`;
  if (port === undefined) {
    if (endPort !== undefined) errors.push(invalid(end, endPort, 'may not be specified when `port` is not specified'));
    return errors;
  }
  if (typeof port === 'string' && endPort !== undefined) {
    errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'));
  }
  errors.push(...validatePortOrName(port, `${field}.port`));
  if (typeof port === 'number' && endPort !== undefined) {
    // The real server shows the first port of the range here, not the last.
    if (Number(endPort) < port) errors.push(invalid(end, port, 'must be greater than or equal to `port`'));
    errors.push(...validatePort(endPort, end));
  }
  return errors;
}

function validatePeer(peer: JsonObject, field: string): FieldError[] {
  const errors = ['podSelector', 'namespaceSelector'].flatMap((name) =>
    validateLabelSelector(peer[name], `${field}.${name}`),
  );
  if (isObject(peer.ipBlock)) errors.push(...validateBlock(peer.ipBlock, `${field}.ipBlock`));
  const named = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) => isObject(peer[name]));
  if (named.length === 0) errors.push(required(field, 'must specify a peer'));
  if (named.length > 1 && isObject(peer.ipBlock)) {
    errors.push(forbidden(field, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function validateBlock(block: JsonObject, field: string): FieldError[] {
  const cidr = asString(block.cidr);
  if (cidr === '') return [required(`${field}.cidr`)];
  const errors = networkProblems(cidr).map((text) => invalid(`${field}.cidr`, cidr, text));
  const whole = parseNetwork(cidr);
  if (!whole) return errors;
  asArray(block.except).forEach((item, index) => {
    const text = asString(item);
    const at = `${field}.except[${index}]`;
    errors.push(...networkProblems(text).map((problem) => invalid(at, text, problem)));
    const part = parseNetwork(text);
    if (part && (part.length <= whole.length || !networkContains(whole, part.address))) {
      errors.push(invalid(at, text, 'must be a strict subset of `cidr`'));
    }
  });
  return errors;
}
