import type { TransportErrorKind } from '../api/tidewatch-error.ts';
import { TransportError } from '../api/transport-error.ts';

const KIND_BY_CODE: Readonly<Record<string, TransportErrorKind>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  HTTP_CLOSED: 'reset',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_NODATA: 'dns',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-ca',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-ca',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-ca',
  CERT_SIGNATURE_FAILURE: 'tls-ca',
  CERT_UNTRUSTED: 'tls-ca',
  INVALID_CA: 'tls-ca',
  INVALID_PURPOSE: 'tls-ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-name',
  HOSTNAME_MISMATCH: 'tls-name',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-expired',
  HTTP_MALFORMED: 'protocol',
};

const ADVICE: Readonly<Record<TransportErrorKind, string>> = {
  refused: 'nothing listens there; check the address, and that the API server runs',
  reset: 'the connection was closed before the response was whole',
  dns: 'its host name has no address; check the name and the DNS',
  unreachable: 'there is no route to it; check the network and the VPN',
  timeout: 'no answer in time; check the network, firewalls and proxies',
  'tls-ca':
    'its certificate is not signed by a CA that we trust; check the option certificateAuthority, or certificate-authority in the kubeconfig',
  'tls-name':
    'its certificate is for another name; use a name that is in the certificate, or set one with the option tlsServerName, or tls-server-name in the kubeconfig',
  'tls-expired': 'its certificate or CA is expired or not yet valid; renew it, or check the clock of this machine',
  tls: 'TLS failed',
  proxy: 'the proxy failed',
  protocol: 'the answer is not valid HTTP',
  credentials: 'the login could not be prepared',
  closed: 'the connection to the cluster has been closed with close()',
  other: 'the connection failed',
};

export interface ConnectionErrorContext {
  /** The server's origin. */
  server: string;
  /** The error came before anything was sent. */
  connecting?: boolean;
}

/** Any error of a socket, of TLS or of the HTTP parser as a `TransportError` that a person can act on. */
export function connectionError(error: unknown, context: ConnectionErrorContext): TransportError {
  if (error instanceof TransportError) return error;
  const cause = meaningfulCause(error);
  const code = codeOf(cause);
  const kind = kindOf(code, context);
  const detail = detailOf(cause, code, kind, context.server);
  return new TransportError(kind, `${context.server}: ${ADVICE[kind]}${detail === '' ? '' : ` (${detail})`}`, {
    cause,
    server: context.server,
  });
}

/** Of several addresses tried, the first error speaks for all. */
function meaningfulCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0];
  return error;
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}

function kindOf(code: string, context: ConnectionErrorContext): TransportErrorKind {
  const known = KIND_BY_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith('Z_')) return 'protocol';
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code.startsWith('ERR_OSSL')) return 'tls';
  // What OpenSSL names beyond the list above is about a certificate, too.
  return context.connecting && /^(CERT|CRL)_|_CERT/.test(code) ? 'tls' : 'other';
}

function detailOf(error: unknown, code: string, kind: TransportErrorKind, server: string): string {
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'the server does not speak TLS on this port; is it an http:// address?';
  }
  if (/ALERT_(BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|CERTIFICATE$)/.test(code)) {
    return `the server refused our client certificate: ${code}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (kind === 'tls-name' || kind === 'other' || kind === 'protocol' || kind === 'tls') return message.slice(0, 300);
  const said = code === 'HTTP_CLOSED' ? message : code;
  if (kind === 'reset' && message.includes('before secure TLS connection was established'))
    return `${said}; if it speaks plain HTTP, its address begins with http://`;
  return kind === 'reset' && server.startsWith('http://')
    ? `${said}; if it speaks TLS, its address begins with https://`
    : said;
}
