import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy, WriteContext } from '../storage/strategy.ts';
import { asArray, asObject, asString, ensureObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { dnsLabel } from '../values/name-rules.ts';
import { addressNumber, addressText, NumberAllocator } from './address-allocator.ts';
import { items, setDefault, specOf } from './defaulting.ts';
import { validatePort } from './pod-validation.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
/** 10.96.0.0/12 without its first addresses, which the real server keeps for itself. */
const CLUSTER_ADDRESSES = { from: addressNumber('10.96.0.10'), count: 2 ** 20 - 20 };
const NODE_PORTS = { from: 30_000, count: 2_768 };

function usesNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

function defaults(object: JsonObject): void {
  const spec = specOf(object);
  setDefault(spec, 'sessionAffinity', 'None');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    const client = ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP');
    client.timeoutSeconds ??= 10_800;
  }
  setDefault(spec, 'type', 'ClusterIP');
  for (const port of items(spec.ports)) {
    setDefault(port, 'protocol', 'TCP');
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  const external = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (external) setDefault(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec.type !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster');
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

function validate(object: JsonObject): FieldError[] {
  const spec = specOf(object);
  const errors: FieldError[] = [];
  const ports = items(spec.ports);
  const headless = spec.clusterIP === 'None';
  if (ports.length === 0 && !headless && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
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
    if (typeof port.targetPort === 'number') errors.push(...validatePort(port.targetPort, `${field}.targetPort`));
  });
  if (!AFFINITIES.includes(asString(spec.sessionAffinity))) {
    errors.push(notSupported('spec.sessionAffinity', spec.sessionAffinity, AFFINITIES));
  }
  if (!TYPES.includes(asString(spec.type))) errors.push(notSupported('spec.type', spec.type, TYPES));
  if (spec.type === 'ExternalName' && asString(spec.externalName) === '') errors.push(required('spec.externalName'));
  return errors;
}

/** Drops the fields that only the old type has when the type changes, unless the client set new values. */
function dropFieldsOfOldType(spec: JsonObject, before: JsonObject): void {
  const external = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const fields = [
    ...(external ? [] : ['externalTrafficPolicy', 'healthCheckNodePort']),
    ...(spec.type === 'LoadBalancer' ? [] : ['allocateLoadBalancerNodePorts', 'loadBalancerClass']),
  ];
  for (const field of fields) if (jsonEqual(spec[field], before[field])) delete spec[field];
}

/** Services hold an address and perhaps node ports; each server has its own to give. */
export function serviceStrategy(): Strategy {
  const addresses = new NumberAllocator(CLUSTER_ADDRESSES.from, CLUSTER_ADDRESSES.count);
  const nodePorts = new NumberAllocator(NODE_PORTS.from, NODE_PORTS.count);

  function allocate(object: JsonObject, context: WriteContext): void {
    const spec = specOf(object);
    if (spec.type === 'ExternalName') return;
    if (asString(spec.clusterIP) === '') spec.clusterIP = asString(asArray(spec.clusterIPs)[0]);
    if (spec.clusterIP === '') {
      const number = context.dryRun ? undefined : addresses.allocate(context.random);
      spec.clusterIP = number === undefined ? '' : addressText(number);
    } else if (!context.dryRun) addresses.reserve(addressNumber(asString(spec.clusterIP)));
    if (spec.clusterIP === '') delete spec.clusterIP;
    else spec.clusterIPs ??= [spec.clusterIP as string];
    setFamilies(spec);
    allocatePorts(spec, context);
  }

  /** Who makes a headless Service without a selector writes its endpoints, which may be of any family. */
  function setFamilies(spec: JsonObject): void {
    const isForAny = spec.clusterIP === 'None' && Object.keys(asObject(spec.selector)).length === 0;
    setDefault(spec, 'ipFamilyPolicy', isForAny ? 'RequireDualStack' : 'SingleStack');
    const families = asArray(spec.ipFamilies);
    if (families.length === 0) families.push('IPv4');
    if (isForAny && spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1) {
      families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
    }
    spec.ipFamilies = families;
  }

  function allocatePorts(spec: JsonObject, context: WriteContext): void {
    if (!usesNodePorts(spec)) return;
    for (const port of items(spec.ports)) {
      if (typeof port.nodePort === 'number' && port.nodePort > 0) nodePorts.reserve(port.nodePort);
      else if (!context.dryRun) {
        const number = nodePorts.allocate(context.random);
        if (number !== undefined) port.nodePort = number;
      }
    }
  }

  function release(object: JsonObject): void {
    const spec = specOf(object);
    addresses.release(addressNumber(asString(spec.clusterIP)));
    for (const port of items(spec.ports)) if (typeof port.nodePort === 'number') nodePorts.release(port.nodePort);
  }

  return {
    createOnUpdate: true,
    returnDeletedObject: true,
    defaults,
    validate,

    prepareForCreate(object, context) {
      allocate(object, context);
      object.status = { loadBalancer: {} };
    },

    prepareForUpdate(object, old, context) {
      const [spec, before] = [specOf(object), specOf(old)];
      dropFieldsOfOldType(spec, before);
      if (spec.type === 'ExternalName') {
        if (before.type !== 'ExternalName') release(old);
        return;
      }
      // What was allocated stays, when the client did not send it back.
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
        if (spec[field] === undefined && before[field] !== undefined) spec[field] = before[field];
      }
      if (asString(spec.clusterIP) === '' || before.type === 'ExternalName') {
        allocate(object, context);
        return;
      }
      const held = items(before.ports);
      for (const port of items(spec.ports)) {
        if (port.nodePort !== undefined || !usesNodePorts(spec)) continue;
        const same = held.find((other) => other.port === port.port && other.protocol === port.protocol);
        if (same?.nodePort !== undefined) port.nodePort = same.nodePort;
      }
      allocatePorts(spec, context);
      if (usesNodePorts(before) && !usesNodePorts(spec)) {
        for (const port of held) if (typeof port.nodePort === 'number') nodePorts.release(port.nodePort);
        for (const port of items(spec.ports)) delete port.nodePort;
      }
    },

    validateUpdate(object, old) {
      const [now, before] = [asString(specOf(object).clusterIP), asString(specOf(old).clusterIP)];
      if (now === before || before === '' || specOf(object).type === 'ExternalName') return [];
      return [invalid('spec.clusterIPs[0]', [now], 'may not change once set')];
    },

    validateStatusUpdate(object) {
      const ingress = asArray(asObject(asObject(object.status).loadBalancer).ingress);
      if (specOf(object).type === 'LoadBalancer' || ingress.length === 0) return [];
      return [forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")];
    },

    afterDelete: release,

    afterRestore(gone, back) {
      if (gone) release(gone);
      if (!back) return;
      const spec = specOf(back);
      addresses.reserve(addressNumber(asString(spec.clusterIP)));
      for (const port of items(spec.ports)) if (typeof port.nodePort === 'number') nodePorts.reserve(port.nodePort);
    },
  };
}
