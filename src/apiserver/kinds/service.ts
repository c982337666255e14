import { type FieldError, forbidden, invalid } from '../request/field-error.ts';
import { invalidObject } from '../request/status-error.ts';
import type { Strategy, WriteContext } from '../storage/strategy.ts';
import { asArray, asObject, asString, ensureObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { items, setDefault, specOf } from './defaulting.ts';
import { ServiceAllocation } from './service-allocation.ts';
import { chooseFamilies } from './service-families.ts';
import { validateService } from './service-rules.ts';
import * as shape from './service-shape.ts';

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
  if (shape.isExternallyAccessible(spec)) setDefault(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec.type !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster');
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const point of items(asObject(asObject(object.status).loadBalancer).ingress)) {
    if (asString(point.ip) !== '') point.ipMode ??= 'VIP';
  }
}

/** Drops the fields that only the old type has when the type changes, unless the client set new values. */
function dropFieldsOfOldType(object: JsonObject, before: JsonObject): void {
  const spec = specOf(object);
  const drop = (isOver: boolean, ...fields: readonly string[]) => {
    if (!isOver || !fields.every((field) => jsonEqual(spec[field], before[field]))) return;
    for (const field of fields) delete spec[field];
  };
  const left = (had: (spec: JsonObject) => boolean) => had(before) && !had(spec);
  const isBalanced = ({ type }: JsonObject) => type === 'LoadBalancer';
  const hasAddress = ({ type }: JsonObject) => type !== 'ExternalName';
  drop(left(hasAddress), 'clusterIP', 'clusterIPs');
  drop(left(hasAddress), 'ipFamilies');
  drop(left(hasAddress), 'ipFamilyPolicy');
  if (left(shape.usesNodePorts)) {
    const held = items(before.ports).map((port) => port.nodePort);
    const ports = items(spec.ports);
    const areOld = ports.every((port) => port.nodePort === undefined || held.includes(port.nodePort));
    for (const port of areOld ? ports : []) delete port.nodePort;
  }
  drop(left(shape.needsHealthCheck), 'healthCheckNodePort');
  drop(left(hasAddress), 'internalTrafficPolicy');
  drop(left(isBalanced), 'allocateLoadBalancerNodePorts');
  drop(left(isBalanced), 'loadBalancerClass');
  drop(left(shape.isExternallyAccessible), 'externalTrafficPolicy');
  if (!isBalanced(spec)) object.status = { loadBalancer: {} };
}

/** Puts back what was allocated and the client did not send again: who applies the same manifest twice changes nothing. */
function keepAllocated(spec: JsonObject, before: JsonObject): void {
  if (spec.type !== 'ExternalName' && before.type !== 'ExternalName') {
    if (asString(spec.clusterIP) === '' && before.clusterIP !== undefined) spec.clusterIP = before.clusterIP;
    if (asArray(spec.clusterIPs).length === 0 && before.clusterIPs !== undefined) spec.clusterIPs = before.clusterIPs;
  }
  if (shape.allocatesNodePorts(spec) && shape.allocatesNodePorts(before)) {
    const sent = new Set(items(spec.ports).map((port) => port.nodePort));
    const held = new Map(items(before.ports).map((port) => [asString(port.name), port.nodePort]));
    for (const port of items(spec.ports)) {
      const known = held.get(asString(port.name));
      if (port.nodePort === undefined && known !== undefined && !sent.has(known)) port.nodePort = known;
    }
  }
  if (shape.needsHealthCheck(spec) && shape.needsHealthCheck(before) && before.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ??= before.healthCheckNodePort;
  }
}

function warningsOf(spec: JsonObject): string[] {
  const warnings: string[] = [];
  const hasExternal = asArray(spec.externalIPs).length > 0;
  if (shape.isHeadless(spec) && spec.type === 'ClusterIP') {
    if (asString(spec.loadBalancerIP) !== '') warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (hasExternal) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  } else if (hasExternal && spec.type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (hasExternal && spec.type === 'ExternalName') {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (spec.type !== 'ExternalName' && asString(spec.externalName) !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}

/** Services hold an address and perhaps node ports; each server has its own to give. */
export function serviceStrategy(): Strategy {
  const allocation = new ServiceAllocation();

  function allocate(object: JsonObject, old: JsonObject | undefined, context: WriteContext): void {
    const errors = chooseFamilies(specOf(object), old && specOf(old));
    if (errors.length > 0) {
      throw invalidObject({ group: '', kind: 'Service' }, asString(metadataOf(object).name), errors);
    }
    allocation.allocate(object, old, context);
  }

  return {
    createOnUpdate: true,
    returnDeletedObject: true,
    defaults,

    prepareForCreate(object, context) {
      const spec = specOf(object);
      if (asString(spec.clusterIP) !== '' && shape.addressesOf(spec).length === 0) {
        spec.clusterIPs = [asString(spec.clusterIP)];
      }
      allocate(object, undefined, context);
      object.status = { loadBalancer: {} };
    },

    prepareForUpdate(object, old, context) {
      const [spec, before] = [specOf(object), specOf(old)];
      keepAllocated(spec, before);
      const isSame = jsonEqual(spec.clusterIPs, before.clusterIPs);
      if (spec.clusterIP !== before.clusterIP && isSame && asString(spec.clusterIP) !== '') {
        spec.clusterIPs = [asString(spec.clusterIP)];
      }
      allocate(object, old, context);
      dropFieldsOfOldType(object, before);
    },

    validateCreate: (object) => validateService(object),
    validateUpdate: (object, old) => [...validateFixed(specOf(object), specOf(old)), ...validateService(object, old)],
    warnings: (object) => warningsOf(specOf(object)),

    validateStatusUpdate(object) {
      const ingress = asArray(asObject(asObject(object.status).loadBalancer).ingress);
      if (specOf(object).type === 'LoadBalancer' || ingress.length === 0) return [];
      return [forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")];
    },

    afterAttempt: (object, isStored) => allocation.settle(object, isStored),
    afterDelete: (object) => allocation.release(object),
    afterRestore(gone, back) {
      if (gone) allocation.release(gone);
      if (back) allocation.hold(back);
    },
  };
}

/** What a service keeps for as long as it has it. */
function validateFixed(spec: JsonObject, before: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const isOutside = spec.type === 'ExternalName' || before.type === 'ExternalName';
  if (!isOutside && !(shape.isHeadless(spec) && shape.isHeadless(before))) {
    const [now, then] = [shape.addressesOf(spec), shape.addressesOf(before)];
    then.forEach((address, index) => {
      if (now[index] !== address) errors.push(invalid(`spec.clusterIPs[${index}]`, now, 'may not change once set'));
    });
  }
  if (spec.type === 'LoadBalancer' && before.type === 'LoadBalancer') {
    if (!jsonEqual(spec.loadBalancerClass, before.loadBalancerClass)) {
      errors.push(invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'));
    }
  }
  if (shape.needsHealthCheck(spec) && shape.needsHealthCheck(before)) {
    if (spec.healthCheckNodePort !== before.healthCheckNodePort) {
      errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'));
    }
  }
  return errors;
}
