import { type FieldError, invalid } from '../request/field-error.ts';
import { internalError, invalidObject, statusError } from '../request/status-error.ts';
import type { WriteContext } from '../storage/strategy.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { addressNumber, addressText, NumberAllocator } from './address-allocator.ts';
import { items, specOf } from './defaulting.ts';
import { addressesOf, allocatesNodePorts, isHeadless, needsHealthCheck, usesNodePorts } from './service-shape.ts';

const CLUSTER_RANGE = '10.96.0.0/12';
/** The range without its first and its last address; the next eight are not chosen, as on the real server. */
const CLUSTER_ADDRESSES = { from: addressNumber('10.96.0.1'), count: 2 ** 20 - 2, chosen: addressNumber('10.96.0.10') };
const NODE_PORTS = { from: 30_000, count: 2_768 };

/** What a write has taken and would give back, until it is known whether it is stored. */
interface Attempt {
  readonly addresses: number[];
  readonly ports: number[];
  /** Of the old state: free when the new one is stored. */
  readonly dropped: JsonObject[];
}

/** The cluster addresses and node ports of one server. */
export class ServiceAllocation {
  readonly #addresses = new NumberAllocator(CLUSTER_ADDRESSES.from, CLUSTER_ADDRESSES.count, CLUSTER_ADDRESSES.chosen);
  readonly #ports = new NumberAllocator(NODE_PORTS.from, NODE_PORTS.count);
  readonly #attempts = new WeakMap<JsonObject, Attempt>();

  /** Throws `StatusError` when the service wants what it cannot have. */
  allocate(object: JsonObject, old: JsonObject | undefined, context: WriteContext): void {
    const attempt: Attempt = { addresses: [], ports: [], dropped: old ? [old] : [] };
    this.#attempts.set(object, attempt);
    const spec = specOf(object);
    const before = old && specOf(old);
    if (spec.type === 'ExternalName') return;
    if (!before || before.type === 'ExternalName') this.#takeAddresses(object, attempt, context);
    if (usesNodePorts(spec)) {
      if (before) this.#updatePorts(object, before, attempt, context);
      else this.#takePorts(object, attempt, context);
    }
    if (needsHealthCheck(spec) && !(before && needsHealthCheck(before))) this.#takeHealthPort(spec, attempt, context);
  }

  /** Ends what `allocate` began: what was taken stays taken, or all is as it was. */
  settle(object: JsonObject, isStored: boolean): void {
    const attempt = this.#attempts.get(object);
    if (!attempt) return;
    this.#attempts.delete(object);
    if (!isStored) {
      for (const address of attempt.addresses) this.#addresses.release(address);
      for (const port of attempt.ports) this.#ports.release(port);
      return;
    }
    for (const old of attempt.dropped) this.release(old);
    this.hold(object);
  }

  /** Takes all that a stored service has. */
  hold(object: JsonObject): void {
    const spec = specOf(object);
    this.#addresses.reserve(addressNumber(asString(spec.clusterIP)));
    for (const port of portsOf(spec)) this.#ports.reserve(port);
  }

  release(object: JsonObject): void {
    const spec = specOf(object);
    this.#addresses.release(addressNumber(asString(spec.clusterIP)));
    for (const port of portsOf(spec)) this.#ports.release(port);
  }

  #takeAddresses(object: JsonObject, attempt: Attempt, context: WriteContext): void {
    const spec = specOf(object);
    if (isHeadless(spec)) return;
    const [wanted = ''] = addressesOf(spec);
    if (wanted === '') {
      const number = this.#addresses.allocate(context.random);
      if (number === undefined) {
        const name = JSON.stringify(metadataOf(object).name);
        throw internalError(`failed to allocate a serviceIP for Service ${name}: range is full`);
      }
      attempt.addresses.push(number);
      spec.clusterIP = addressText(number);
      spec.clusterIPs = [spec.clusterIP];
      return;
    }
    const number = addressNumber(wanted);
    const range = `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${CLUSTER_RANGE}`;
    const why = this.#addresses.contains(number) ? 'provided IP is already allocated' : range;
    if (!this.#addresses.reserve(number)) {
      throw refused(object, invalid('spec.clusterIPs', addressesOf(spec), `failed to allocate IP ${wanted}: ${why}`));
    }
    attempt.addresses.push(number);
  }

  /** Ports of one number get the same node port: one for TCP and one for UDP may share it. */
  #takePorts(object: JsonObject, attempt: Attempt, context: WriteContext): void {
    const spec = specOf(object);
    const ports = items(spec.ports);
    const chosen = new Map<unknown, number>();
    ports.forEach((port, index) => {
      const own = numberOf(port.nodePort);
      if (own === 0 && !allocatesNodePorts(spec)) return;
      const sibling = chosen.get(port.port);
      if (sibling !== undefined && (own === 0 || own === sibling)) {
        port.nodePort = sibling;
        return;
      }
      const wanted =
        sibling === undefined
          ? numberOf(ports.find((other) => other.port === port.port && numberOf(other.nodePort) !== 0)?.nodePort)
          : own;
      port.nodePort = wanted === 0 ? this.#nextPort(attempt, context) : wanted;
      if (wanted !== 0) this.#takePort(object, wanted, index, attempt, context);
      if (sibling === undefined) chosen.set(port.port, port.nodePort);
    });
  }

  #updatePorts(object: JsonObject, before: JsonObject, attempt: Attempt, context: WriteContext): void {
    const spec = specOf(object);
    const held = new Set(portsOf(before));
    const seen = new Set<string>();
    items(spec.ports).forEach((port, index) => {
      const own = numberOf(port.nodePort);
      if (own === 0 && !allocatesNodePorts(spec)) return;
      if (own === 0) port.nodePort = this.#nextPort(attempt, context);
      else if (!held.has(own) && !attempt.ports.includes(own)) this.#takePort(object, own, index, attempt, context);
      const key = `${asString(port.protocol)} ${port.nodePort}`;
      if (seen.has(key)) throw statusError(500, '', `duplicate nodePort: {${key}}`);
      seen.add(key);
    });
  }

  #takePort(object: JsonObject, wanted: number, index: number, attempt: Attempt, context: WriteContext): void {
    const why = this.#portProblem(wanted, attempt, context);
    if (why !== undefined) throw refused(object, invalid(`spec.ports[${index}].nodePort`, wanted, why));
  }

  #takeHealthPort(spec: JsonObject, attempt: Attempt, context: WriteContext): void {
    const wanted = numberOf(spec.healthCheckNodePort);
    if (wanted === 0) {
      spec.healthCheckNodePort = this.#nextPort(attempt, context);
      return;
    }
    const why = this.#portProblem(wanted, attempt, context);
    if (why !== undefined) {
      throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${why}`);
    }
  }

  /** Takes the port, or says why not. A dry run does not ask whether the port is in the range, as on the real server. */
  #portProblem(wanted: number, attempt: Attempt, { dryRun }: WriteContext): string | undefined {
    if (this.#ports.reserve(wanted)) attempt.ports.push(wanted);
    else if (this.#ports.contains(wanted)) return 'provided port is already allocated';
    else if (!dryRun) {
      const last = NODE_PORTS.from + NODE_PORTS.count - 1;
      return `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.from}-${last}`;
    }
    return undefined;
  }

  #nextPort(attempt: Attempt, { random }: WriteContext): number {
    const port = this.#ports.allocate(random);
    if (port === undefined) throw internalError('failed to allocate a nodePort: range is full');
    attempt.ports.push(port);
    return port;
  }
}

function portsOf(spec: JsonObject): number[] {
  return [...items(spec.ports).map((port) => numberOf(port.nodePort)), numberOf(spec.healthCheckNodePort)].filter(
    (port) => port > 0,
  );
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function refused(object: JsonObject, error: FieldError): Error {
  return invalidObject({ group: '', kind: 'Service' }, asString(metadataOf(object).name), [error]);
}
