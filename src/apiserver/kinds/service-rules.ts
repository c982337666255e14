import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { addressProblems, networkProblems } from '../values/ip-address.ts';
import { asArray, asObject, asString, type JsonObject } from '../values/json.ts';
import { dnsLabel, dnsSubdomain, qualifiedNameProblems } from '../values/name-rules.ts';
import { validateLabels } from '../values/object-meta.ts';
import { items, specOf } from './defaulting.ts';
import { endpointAddressProblems } from './endpoint-rules.ts';
import { validatePort, validatePortOrName } from './number-rules.ts';
import { validateAddresses } from './service-families.ts';
import { addressesOf, isExternallyAccessible, isHeadless, needsHealthCheck } from './service-shape.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const DAY_SECONDS = 86_400;
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

export function validateService(object: JsonObject, old?: JsonObject): FieldError[] {
  const spec = specOf(object);
  const before = old && specOf(old);
  return [
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateLabels(asObject(spec.selector), 'spec.selector'),
    ...validateAffinity(spec),
    ...validateAddresses(spec, before),
    ...validateExternalAddresses(spec, before),
    ...(TYPES.includes(asString(spec.type)) ? [] : [notSupported('spec.type', spec.type, TYPES)]),
    ...validateNodePorts(spec),
    ...validateBalancer(spec),
    ...validateTraffic(spec),
  ];
}

function validateType(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const type = asString(spec.type);
  if (items(spec.ports).length === 0 && !isHeadless(spec) && type !== 'ExternalName') {
    errors.push(required('spec.ports'));
  }
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.push(invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  }
  if (type !== 'ExternalName') return errors;
  const unset = [
    ['clusterIPs', addressesOf(spec).length > 0],
    ['ipFamilies', asArray(spec.ipFamilies).length > 0],
    ['ipFamilyPolicy', spec.ipFamilyPolicy !== undefined],
  ] as const;
  for (const [field, isSet] of unset) {
    if (isSet) errors.push(forbidden(`spec.${field}`, 'may not be set for ExternalName services'));
  }
  const field = 'spec.externalName';
  const name = asString(spec.externalName).replace(/\.$/, '');
  if (name === '') return [...errors, required(field)];
  return [...errors, ...dnsSubdomain(name, false).map((text) => invalid(field, name, text))];
}

function validatePorts(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const ports = items(spec.ports);
  const names = new Set<string>();
  ports.forEach((port, index) => {
    const field = `spec.ports[${index}]`;
    const name = asString(port.name);
    if (name === '' && ports.length > 1) errors.push(required(`${field}.name`));
    else if (name !== '') {
      errors.push(...dnsLabel(name, false).map((text) => invalid(`${field}.name`, name, text)));
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
      names.add(name);
    }
    errors.push(...validatePort(port.port ?? 0, `${field}.port`));
    if (!PROTOCOLS.includes(asString(port.protocol))) {
      errors.push(notSupported(`${field}.protocol`, port.protocol, PROTOCOLS));
    }
    errors.push(...validatePortOrName(port.targetPort ?? 0, `${field}.targetPort`));
    if (port.appProtocol === undefined) return;
    const protocol = asString(port.appProtocol);
    errors.push(...qualifiedNameProblems(protocol).map((text) => invalid(`${field}.appProtocol`, protocol, text)));
  });
  return errors;
}

function validateAffinity(spec: JsonObject): FieldError[] {
  const affinity = asString(spec.sessionAffinity);
  if (!AFFINITIES.includes(affinity)) return [notSupported('spec.sessionAffinity', affinity, AFFINITIES)];
  if (affinity !== 'ClientIP') return [];
  const { timeoutSeconds } = asObject(asObject(spec.sessionAffinityConfig).clientIP);
  const seconds = Number(timeoutSeconds ?? 0);
  if (seconds > 0 && seconds <= DAY_SECONDS) return [];
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  return [invalid(field, seconds, `must be greater than 0 and less than ${DAY_SECONDS}`)];
}

function validateExternalAddresses(spec: JsonObject, before: JsonObject | undefined): FieldError[] {
  const known = asArray(before?.externalIPs);
  return asArray(spec.externalIPs).flatMap((item, index) => {
    const text = asString(item);
    const field = `spec.externalIPs[${index}]`;
    const problems = known.includes(item) ? [] : addressProblems(text);
    return (problems.length > 0 ? problems : endpointAddressProblems(text)).map((why) => invalid(field, text, why));
  });
}

function validateNodePorts(spec: JsonObject): FieldError[] {
  const ports = items(spec.ports);
  const errors: FieldError[] = [];
  const given = ports.map((port) => (typeof port.nodePort === 'number' ? port.nodePort : 0));
  if (spec.type === 'ClusterIP') {
    given.forEach((port, index) => {
      if (port === 0) return;
      errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  }
  const keys = new Set<string>();
  ports.forEach(({ protocol }, index) => {
    const port = given[index] ?? 0;
    const key = `nodePort ${asString(protocol)} ${port}`;
    if (port !== 0 && keys.has(key)) errors.push(duplicate(`spec.ports[${index}].nodePort`, port));
    keys.add(key);
  });
  ports.forEach(({ protocol, port = 0 }, index) => {
    const key = `port ${asString(protocol)} ${port}`;
    // The names are those of the Go struct that the real server prints.
    const shown = { Name: '', Protocol: asString(protocol), AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    if (keys.has(key)) errors.push(duplicate(`spec.ports[${index}]`, shown));
    keys.add(key);
  });
  return errors;
}

function validateBalancer(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const isBalanced = spec.type === 'LoadBalancer';
  const ranges = asArray(spec.loadBalancerSourceRanges).map((range) => asString(range).trim());
  const field = 'spec.LoadBalancerSourceRanges';
  if (ranges.length > 0 && !isBalanced) errors.push(forbidden(field, ONLY_BALANCED));
  ranges.forEach((range, index) => {
    errors.push(...networkProblems(range).map((text) => invalid(`${field}[${index}]`, range, text)));
  });
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalanced) {
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', ONLY_BALANCED));
  }
  if (spec.loadBalancerClass === undefined) return errors;
  if (!isBalanced) return [...errors, forbidden('spec.loadBalancerClass', ONLY_BALANCED)];
  const name = asString(spec.loadBalancerClass);
  return [...errors, ...qualifiedNameProblems(name).map((text) => invalid('spec.loadBalancerClass', name, text))];
}

function validateTraffic(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const { externalTrafficPolicy, internalTrafficPolicy, healthCheckNodePort, trafficDistribution } = spec;
  const external = asString(externalTrafficPolicy);
  const field = 'spec.externalTrafficPolicy';
  if (!isExternallyAccessible(spec)) {
    if (external !== '') errors.push(invalid(field, external, 'may only be set for externally-accessible services'));
  } else if (external === '') errors.push(required(field));
  else if (!TRAFFIC_POLICIES.includes(external)) errors.push(notSupported(field, external, TRAFFIC_POLICIES));
  const healthPort = Number(healthCheckNodePort ?? 0);
  if (needsHealthCheck(spec)) errors.push(...validatePort(healthPort, 'spec.healthCheckNodePort'));
  else if (healthPort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid('spec.healthCheckNodePort', healthPort, detail));
  }
  if (internalTrafficPolicy !== undefined && !TRAFFIC_POLICIES.includes(asString(internalTrafficPolicy))) {
    errors.push(notSupported('spec.internalTrafficPolicy', internalTrafficPolicy, TRAFFIC_POLICIES));
  }
  if (trafficDistribution !== undefined && !DISTRIBUTIONS.includes(asString(trafficDistribution))) {
    errors.push(notSupported('spec.trafficDistribution', trafficDistribution, DISTRIBUTIONS));
  }
  return errors;
}
