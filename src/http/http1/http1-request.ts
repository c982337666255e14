export interface Http1Request {
  readonly method: string;
  /** The path and the query, or the whole URL for an HTTP proxy. */
  readonly target: string;
  /** Of the server, with its port unless that is the scheme's own. A `host` among the headers goes before it. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | undefined;
  /** The protocol that the connection is to go over to. */
  readonly upgrade?: string | undefined;
}

/** A request as it goes over the wire. */
export interface EncodedRequest {
  readonly method: string;
  /** By RFC 9110 §9.2.1: it changes nothing, so that it may be sent twice. What Go's client sends again, too. */
  readonly safe: boolean;
  readonly head: string;
  readonly body: Uint8Array | undefined;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e\x80-\xff]+$/;
/** They say where a message ends and what becomes of the connection, which is for the connection to say. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade']);
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Without a body, these say that it is empty. */
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Throws a `TypeError` for what would not arrive as it was meant, such as a line break in a header. The message names the header and never
 * its value, which may be secret.
 */
export function encodeRequest(request: Http1Request): EncodedRequest {
  const { method, target, headers } = request;
  if (!TOKEN.test(method)) throw new TypeError('invalid request method');
  if (!TARGET.test(target)) throw new TypeError('invalid request path');
  const names = Object.keys(headers);
  let head = `${method} ${target} HTTP/1.1\r\n`;
  if (!names.some((name) => name.toLowerCase() === 'host')) head += headerLine('host', request.host);
  head += request.upgrade === undefined ? 'connection: keep-alive\r\n' : 'connection: Upgrade\r\n';
  if (request.upgrade !== undefined) head += headerLine('upgrade', request.upgrade);
  for (const name of names) {
    if (!TOKEN.test(name)) throw new TypeError('invalid header name');
    if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`invalid ${name} header: the caller cannot set it`);
    for (const value of [headers[name] ?? []].flat()) head += headerLine(name, value);
  }
  const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
  const length = body?.length ?? 0;
  if (length > 0 || BODY_METHODS.has(method)) head += `content-length: ${length}\r\n`;
  return {
    method,
    safe: SAFE_METHODS.has(method),
    head: `${head}\r\n`,
    body: length > 0 ? body : undefined,
  };
}

/** Whether it can be sent as the value of a header. */
export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value);
}

function headerLine(name: string, value: string): string {
  if (!isHeaderValue(value)) throw new TypeError(`invalid ${name} header`);
  return `${name}: ${value}\r\n`;
}
