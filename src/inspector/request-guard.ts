import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const DEFAULT_PORT = 80;
/** An address that means all of the machine's. */
const ANY_HOST = new Set(['0.0.0.0', '::', '']);

/** Why a request is refused. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

/**
 * Lets in requests that name this server by one of the few ways that its own page does. A name that was made to point here (DNS
 * rebinding), another spelling of the address, and the page of another origin are refused, whatever else they bring.
 */
export class RequestGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  /** @param host that the server listens on; @param port likewise, the real one. */
  constructor(host: string, port: number) {
    const names = hostNames(host).map((name) => (isIPv6(name) ? `[${name}]` : name));
    this.#hosts = new Set(
      names.flatMap((name) => (port === DEFAULT_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`])),
    );
    this.#origins = new Set(names.map((name) => `http://${name}${port === DEFAULT_PORT ? '' : `:${port}`}`));
  }

  /** Undefined when the request may be answered. */
  refusal({ method, headers, rawHeaders }: IncomingMessage): Refusal | undefined {
    if (headers.host === undefined || countOf(rawHeaders, 'host') !== 1 || !this.#hosts.has(headers.host)) {
      return { code: 403, text: 'This server does not answer under that name. Open the address that it printed.' };
    }
    const { origin } = headers;
    // A browser leaves it out when a page asks its own server for something, and when somebody opens an address.
    if (origin === undefined ? method !== 'GET' : countOf(rawHeaders, 'origin') !== 1 || !this.#origins.has(origin)) {
      return { code: 403, text: 'Another page asked for this. Only the page of this server may.' };
    }
    const site = headers['sec-fetch-site'];
    const isOpened = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    if (site !== undefined && site !== 'same-origin' && !isOpened) {
      return { code: 403, text: 'Another page asked for this. Only the page of this server may.' };
    }
    return undefined;
  }
}

/** The names under which a page may ask for a server that listens there. */
function hostNames(host: string): string[] {
  if (host === '127.0.0.1' || host === 'localhost') return ['127.0.0.1', 'localhost'];
  if (host === '::1') return ['::1', 'localhost'];
  if (!ANY_HOST.has(host)) return [host.toLowerCase()];
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return ['localhost', ...new Set(own.map(({ address }) => address.replace(/%.*$/, '')))];
}

/** Node joins or drops what comes twice; a request that says two things is refused instead. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count++;
  return count;
}

/** Whether only programs of this machine can reach a server that listens there. */
export function isLoopback(host: string): boolean {
  return host === '127.0.0.1' || host === 'localhost' || host === '::1';
}
