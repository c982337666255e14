import { isIP } from 'node:net';

/**
 * Why a request over plain HTTP is not answered; undefined when it may be. A page of another site can reach a server on
 * loopback through the browser of whoever looks at it: under a name of its own that it points there (the Host header
 * shows that name), or across origins (the Origin header shows the other site).
 */
export function foreignRequest(
  { host, origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  allowedHosts: readonly string[],
): string | undefined {
  const name = hostName(host ?? '');
  if (!isLoopback(name) && !allowedHosts.some((allowed) => allowed.toLowerCase() === name)) {
    return `the Host header names ${JSON.stringify(host ?? '')}, which is not this server: use a loopback address, or name the host in allowedHosts`;
  }
  if (origin === undefined || origin.toLowerCase() === `http://${(host ?? '').toLowerCase()}`) return undefined;
  return `the Origin header names ${JSON.stringify(origin)}, which is not this server`;
}

/** `localhost` of `LocalHost:8080`, `::1` of `[::1]:8080`. */
function hostName(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (bracketed ?? plain ?? '').toLowerCase();
}

function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) === 4 ? name.startsWith('127.') : name === '::1';
}
