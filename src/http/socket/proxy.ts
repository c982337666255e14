import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { Secret } from '../secret.ts';
import { addressBits, isLoopback } from './ip-address.ts';

export type ProxyScheme = 'http' | 'https' | 'socks5';

/** A proxy to go through. Its password stays in `login`. */
export interface ProxyServer {
  readonly scheme: ProxyScheme;
  readonly host: string;
  readonly port: number;
  readonly login: Secret<{ username: string; password: string }> | undefined;
}

const DEFAULT_PORTS: Readonly<Record<ProxyScheme, number>> = { http: 80, https: 443, socks5: 1080 };

/**
 * The proxy that the environment asks for, by the rules of Go's net/http: HTTPS_PROXY or HTTP_PROXY by the server's
 * scheme (upper case first, then lower), never for localhost and loopback addresses, nor for what NO_PROXY lists. A
 * value that makes no sense is ignored.
 */
export function proxyFromEnvironment(
  server: URL,
  env: Readonly<Record<string, string | undefined>>,
): ProxyServer | undefined {
  const secure = server.protocol === 'https:';
  // HTTP_PROXY could come from a request's "Proxy" header in a CGI program.
  if (!secure && env.REQUEST_METHOD) return undefined;
  const value = secure ? env.HTTPS_PROXY || env.https_proxy : env.HTTP_PROXY || env.http_proxy;
  if (!value || isExempt(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  return parseProxy(/^[a-z0-9+]+:\/\//i.test(value) ? value : `http://${value}`);
}

/** Undefined unless it is a URL that begins with http://, https:// or socks5://. */
export function parseProxy(text: string): ProxyServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1).replace(/^socks5h$/, 'socks5');
  if (!(scheme === 'http' || scheme === 'https' || scheme === 'socks5') || url.hostname === '') return undefined;
  const login = { username: decoded(url.username), password: decoded(url.password) };
  return {
    scheme,
    host: bareHost(url),
    port: url.port === '' ? DEFAULT_PORTS[scheme] : Number(url.port),
    login: login.username === '' && login.password === '' ? undefined : new Secret(login),
  };
}

/** A percent sign that begins no escape stands for itself: few people know that they have to escape it in a password. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** A URL's host without the brackets of IPv6. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function isExempt(server: URL, noProxy: string): boolean {
  const host = bareHost(server).toLowerCase();
  if (host === 'localhost' || isLoopback(host)) return true;
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return noProxy.split(',').some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (isCidr(entry)) return isIP(host) !== 0 && inCidr(host, entry);
  const { name, port: wanted } = splitPort(entry);
  if (name === '' || (wanted !== '' && wanted !== port)) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && addressBits(name) === addressBits(host);
  if (isIP(host) !== 0) return false;
  const domain = name.startsWith('*.') ? name.slice(1) : name;
  if (domain.startsWith('.')) return host.endsWith(domain);
  const ascii = domainToASCII(domain) || domain;
  return host === ascii || host.endsWith(`.${ascii}`);
}

function splitPort(entry: string): { name: string; port: string } {
  const match = /^(?:\[(?<six>[^\]]*)\]|(?<name>[^:]*)):(?<port>\d*)$/.exec(entry);
  if (match?.groups) return { name: match.groups.six ?? match.groups.name ?? '', port: match.groups.port ?? '' };
  return { name: entry, port: '' };
}

function isCidr(entry: string): boolean {
  const [address = '', length = '', ...rest] = entry.split('/');
  const version = isIP(address);
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
}

function inCidr(host: string, cidr: string): boolean {
  const [address = '', length = ''] = cidr.split('/');
  const bits = addressBits(address);
  const skipped = bits.length === 128 && isIP(address) === 4 ? 96 : 0;
  return addressBits(host).slice(0, skipped + Number(length)) === bits.slice(0, skipped + Number(length));
}
