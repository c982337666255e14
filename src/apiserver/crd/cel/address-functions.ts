import { isIPv4, isIPv6 } from 'node:net';
import { CelError } from './cel-error.ts';
import type { FunctionTable } from './function-table.ts';
import { type CelValue, LibraryValue } from './values.ts';

class Address extends LibraryValue {
  readonly typeName = 'net.IP';
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof Address && other.family === this.family && other.bits === this.bits;
  }

  override get size(): number {
    return this.family === 4 ? 4 : 16;
  }
}

class Network extends LibraryValue {
  readonly typeName = 'net.CIDR';
  readonly address: Address;
  readonly length: number;

  constructor(address: Address, length: number) {
    super();
    this.address = address;
    this.length = length;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof Network && other.length === this.length && other.address.equals(this.address);
  }

  override get size(): number {
    return Math.ceil(this.length / 8);
  }

  contains(address: Address): boolean {
    return address.family === this.address.family && mask(address, this.length) === mask(this.address, this.length);
  }
}

/** Kubernetes' IP and CIDR libraries. */
export const addressFunctions: FunctionTable = {
  isIP: (text) => (typeof text === 'string' ? parseAddress(text) !== undefined : undefined),
  ip: (text) => (typeof text === 'string' ? (parseAddress(text) ?? refuse(text, 'IP Address')) : undefined),
  isCIDR: (text) => (typeof text === 'string' ? parseNetwork(text) !== undefined : undefined),
  cidr: (text) => (typeof text === 'string' ? (parseNetwork(text) ?? refuse(text, 'CIDR')) : undefined),
  '.family': (value) => (value instanceof Address ? BigInt(value.family) : undefined),
  '.isUnspecified': (value) => (value instanceof Address ? value.bits === 0n : undefined),
  '.isLoopback': (value) =>
    value instanceof Address ? (value.family === 4 ? value.bits >> 24n === 127n : value.bits === 1n) : undefined,
  '.prefixLength': (value) => (value instanceof Network ? BigInt(value.length) : undefined),
  '.ip': (value) => (value instanceof Network ? value.address : undefined),
  '.masked': (value) =>
    value instanceof Network
      ? new Network(new Address(value.address.family, mask(value.address, value.length)), value.length)
      : undefined,
  '.containsIP': (network, address) => {
    const other = typeof address === 'string' ? parseAddress(address) : address;
    return network instanceof Network && other instanceof Address ? network.contains(other) : undefined;
  },
  '.containsCIDR': (network, inner) => {
    const other = typeof inner === 'string' ? parseNetwork(inner) : inner;
    if (!(network instanceof Network && other instanceof Network)) return undefined;
    return other.length >= network.length && network.contains(other.address);
  },
};

function refuse(text: string, what: string): CelValue {
  throw new CelError(`${what} ${JSON.stringify(text)} parse error during conversion from string`);
}

function width(family: 4 | 6): bigint {
  return family === 4 ? 32n : 128n;
}

function mask({ family, bits }: Address, length: number): bigint {
  const rest = width(family) - BigInt(length);
  return (bits >> rest) << rest;
}

/** Without zones and without IPv4 addresses written as IPv6, as Kubernetes wants them. */
function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) {
    return new Address(
      4,
      text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n),
    );
  }
  if (!isIPv6(text) || text.includes('%') || /^::ffff:/i.test(text)) return undefined;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':').flatMap(group));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const all = [...before, ...zeros, ...after];
  return new Address(
    6,
    all.reduce((bits, part) => (bits << 16n) | BigInt(`0x${part}`), 0n),
  );
}

/** The last group may be an IPv4 address. */
function group(part: string): string[] {
  if (!part.includes('.')) return [part];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

function parseNetwork(text: string): Network | undefined {
  const [start = '', length = '', ...more] = text.split('/');
  const address = parseAddress(start);
  if (address === undefined || more.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  return BigInt(length) <= width(address.family) ? new Network(address, Number(length)) : undefined;
}
