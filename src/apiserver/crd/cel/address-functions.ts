import {
  maskedBits,
  networkContains,
  parseAddress as parseIpAddress,
  parseNetwork as parseIpNetwork,
} from '../../values/ip-address.ts';
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
    return networkContains(this, address);
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
      ? new Network(new Address(value.address.family, maskedBits(value.address, value.length)), value.length)
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

function parseAddress(text: string): Address | undefined {
  const parsed = parseIpAddress(text);
  return parsed && new Address(parsed.family, parsed.bits);
}

function parseNetwork(text: string): Network | undefined {
  const parsed = parseIpNetwork(text);
  return parsed && new Network(new Address(parsed.address.family, parsed.address.bits), parsed.length);
}
