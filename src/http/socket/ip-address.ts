import { isIP } from 'node:net';

export function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && (host.startsWith('127.') || host === '::1' || isMappedLoopback(host));
}

/** A URL writes `::ffff:127.0.0.1` as `::ffff:7f00:1`. */
function isMappedLoopback(host: string): boolean {
  return isIP(host) === 6 && addressBits(host).startsWith(addressBits('127.0.0.0').slice(0, 96 + 8));
}

/** 128 binary digits; IPv4 as IPv6-mapped, so that the two forms of one address are equal, as in Go. */
export function addressBits(address: string): string {
  const four = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  const hex = four === undefined ? address : toMapped(address, four);
  const [head = '', tail] = hex.split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const middle = new Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...middle, ...right]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('');
}

/** The 16 bytes of an IPv6 address. */
export function ipv6Bytes(address: string): number[] {
  const bits = addressBits(address);
  return Array.from({ length: 16 }, (_, i) => Number.parseInt(bits.slice(8 * i, 8 * i + 8), 2));
}

function toMapped(address: string, four: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = four.split('.').map(Number);
  const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  return address === four ? `::ffff:${groups}` : address.replace(four, groups);
}
