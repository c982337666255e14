import { isIPv4, isIPv6 } from 'node:net';

/** An address as a number. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** An address with the number of bits that its network has in common. */
export interface IpNetwork {
  readonly address: IpAddress;
  readonly length: number;
}

/** Without zones and without IPv4 addresses written as IPv6, as Kubernetes wants them. */
export function parseAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) {
    return { family: 4, bits: text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n) };
  }
  if (!isIPv6(text) || text.includes('%') || /^::ffff:/i.test(text)) return undefined;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':').flatMap(group));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const all = [...before, ...zeros, ...after];
  return { family: 6, bits: all.reduce((bits, part) => (bits << 16n) | BigInt(`0x${part}`), 0n) };
}

/** The last group may be an IPv4 address. */
function group(part: string): string[] {
  if (!part.includes('.')) return [part];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

export function parseNetwork(text: string): IpNetwork | undefined {
  const [start = '', length = '', ...more] = text.split('/');
  const address = parseAddress(start);
  if (address === undefined || more.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  return BigInt(length) <= width(address.family) ? { address, length: Number(length) } : undefined;
}

function width(family: 4 | 6): bigint {
  return family === 4 ? 32n : 128n;
}

/** The address without the bits beyond `length`. */
export function maskedBits({ family, bits }: IpAddress, length: number): bigint {
  const rest = width(family) - BigInt(length);
  return (bits >> rest) << rest;
}

export function networkContains({ address, length }: IpNetwork, other: IpAddress): boolean {
  return other.family === address.family && maskedBits(other, length) === maskedBits(address, length);
}

/** As Go reads an address: with leading zeros, and with IPv4 addresses that are written as IPv6. */
export function sloppyAddress(text: string): IpAddress | undefined {
  const mapped = /^::ffff:([^%]+)$/i.exec(text)?.[1];
  if (mapped === undefined || !isIPv6(text)) return parseAddress(withoutLeadingZeros(text));
  return { family: 4, bits: (parseAddress(`::${mapped}`)?.bits ?? 0n) & 0xffff_ffffn };
}

/** The one way to write an address: of IPv6, the shortest. */
export function addressText({ family, bits }: IpAddress): string {
  const [parts, width] = family === 4 ? [4, 8n] : [8, 16n];
  const values = Array.from(
    { length: parts },
    (_, index) => (bits >> (width * BigInt(parts - 1 - index))) & ((1n << width) - 1n),
  );
  if (family === 4) return values.join('.');
  return new URL(`http://[${values.map((value) => value.toString(16)).join(':')}]`).hostname.slice(1, -1);
}

/** What Kubernetes has against a text as an address. Go reads leading zeros as decimal, and Kubernetes refuses them. */
export function addressProblems(text: string): string[] {
  if (parseAddress(text)) return [];
  if (parseAddress(withoutLeadingZeros(text))) return ['must not have leading 0s'];
  if (isIPv6(text) && !text.includes('%')) return ['must not be an IPv4-mapped IPv6 address'];
  return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
}

/** What Kubernetes has against a text as a network. */
export function networkProblems(text: string): string[] {
  const network = parseNetwork(text);
  if (network) {
    const { address, length } = network;
    return maskedBits(address, length) === address.bits ? [] : ['must not have bits set beyond the prefix length'];
  }
  if (parseNetwork(withoutLeadingZeros(text))) return ['must not have leading 0s in IP or prefix length'];
  if (/^::ffff:[^/]+\/\d+$/i.test(text) && isIPv6(text.replace(/\/.*/, ''))) {
    return ['must not have an IPv4-mapped IPv6 address'];
  }
  return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
}

function withoutLeadingZeros(text: string): string {
  return text.replace(/(^|[./])0+(?=\d)/g, '$1');
}
