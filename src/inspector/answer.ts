import type { ServerResponse } from 'node:http';

/** One whole answer. */
export interface Answer {
  readonly code: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Of every answer, a refusal too. The page loads its own three files and asks its own server, nothing else; no other page may frame
 * it, read it, or keep a handle on its window; a string cannot become markup or script, whatever an object of the cluster is called.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** A refusal or an error, as one line of text. */
export function plain(code: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { code, type: 'text/plain; charset=utf-8', body: `${text}\n`, headers };
}

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { code: 200, type: 'application/json; charset=utf-8', body: JSON.stringify(value), headers };
}

export function send(response: ServerResponse, { code, type, body, headers }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(code, {
    ...SECURITY_HEADERS,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    // Whoever was refused has nothing more to say on this connection.
    ...(code >= 400 && { connection: 'close' }),
    ...headers,
  });
  response.end(body);
}
