import { FixedCredentials } from '../http/fixed-credentials.ts';
import type { Credentials } from '../http/http.ts';

/** Acting as somebody else, for whom our own login must have the right `impersonate`. */
export interface Impersonation {
  /** The name to act under. kubectl's `--as`. */
  user: string;
  /** The uid of that user. Default: none. */
  uid?: string | undefined;
  /** Groups to act in. Default: none but those that the server gives everybody. kubectl's `--as-group`. */
  groups?: readonly string[] | undefined;
  /** What authenticators add beyond that, such as scopes. Default: none. */
  extra?: ReadonlyMap<string, readonly string[]> | Readonly<Record<string, readonly string[]>> | undefined;
}

export function impersonationCredentials(impersonation: Impersonation): Credentials {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': headerValue(impersonation.user) };
  if (impersonation.uid) headers['impersonate-uid'] = headerValue(impersonation.uid);
  if (impersonation.groups?.length) headers['impersonate-group'] = impersonation.groups.map(headerValue);
  const extra = impersonation.extra ?? {};
  for (const [name, values] of extra instanceof Map ? extra : Object.entries(extra)) {
    headers[`impersonate-extra-${escapeHeaderName(name)}`] = values.map(headerValue);
  }
  return new FixedCredentials(headers);
}

/** The bytes of UTF-8, each as one character of latin1, which is how Go puts a string into a header. */
function headerValue(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** As client-go: whatever may not stand in the name of a header, and "%" itself, is percent-encoded byte by byte. */
function escapeHeaderName(name: string): string {
  let escaped = '';
  for (const byte of Buffer.from(name.toLowerCase(), 'utf8')) {
    const character = String.fromCharCode(byte);
    const legal = /[a-z0-9!#$&'*+.^_`|~-]/.test(character);
    escaped += legal ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
