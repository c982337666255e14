import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { TransportError } from '../../api/transport-error.ts';
import type { FileContent } from '../file-content.ts';
import type { ClientCertificate } from '../http.ts';
import { TlsSession } from './tls-session.ts';

/** How the server's certificate is checked. */
export interface TlsTrust {
  /** PEM of the CAs to trust instead of those that Node ships; a file is read again when it changes. */
  readonly ca?: string | Buffer | FileContent | undefined;
  /** The name to ask for and to check, when it is not the server's host. */
  readonly serverName?: string | undefined;
  /** No check at all. */
  readonly insecure?: boolean | undefined;
}

/** What a TLS connection to one peer begins with. */
export interface TlsSettings {
  readonly connect: typeof import('node:tls').connect;
  readonly options: ConnectionOptions;
  readonly session: TlsSession;
}

/** A context, and the session with the server that was verified in it. */
interface KeptContext {
  readonly fingerprint: string;
  readonly context: SecureContext;
  readonly session: TlsSession;
}

/**
 * The TLS settings of one client certificate (or none). Contexts are kept between connections, since to parse a bundle
 * of CAs costs more than a handshake.
 */
export class TlsContexts {
  readonly #trust: TlsTrust;
  readonly #certificate: ClientCertificate | undefined;
  #last: KeptContext | undefined;

  constructor(trust: TlsTrust, certificate: ClientCertificate | undefined) {
    this.#trust = trust;
    this.#certificate = certificate;
  }

  /** For connections to the server whose URL names this host. */
  async settings(host: string): Promise<TlsSettings> {
    const { checkServerIdentity, connect } = await import('node:tls');
    const name = this.#trust.serverName || host;
    const { context, session } = await this.#context();
    return {
      connect,
      session,
      options: {
        host,
        // An address must not be sent as SNI; it is still what the certificate has to be for.
        servername: isIP(name) ? '' : name,
        secureContext: context,
        rejectUnauthorized: this.#trust.insecure !== true,
        checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
        ALPNProtocols: ['http/1.1'],
      },
    };
  }

  async #context(): Promise<KeptContext> {
    const { createSecureContext } = await import('node:tls');
    const ca = await this.#ca();
    const fingerprint = createHash('sha256')
      .update(ca ?? '')
      .digest('hex');
    if (this.#last?.fingerprint === fingerprint) return this.#last;
    try {
      const context = createSecureContext({
        ...(ca === undefined ? {} : { ca }),
        ...(this.#certificate === undefined
          ? {}
          : { cert: this.#certificate.certificate.reveal(), key: this.#certificate.key.reveal() }),
        // As Go: a trusted intermediate is trusted, also without the root above it.
        allowPartialTrustChain: true,
        minVersion: 'TLSv1.2',
      });
      this.#last = { fingerprint, context, session: new TlsSession() };
      return this.#last;
    } catch (cause) {
      throw new TransportError(
        'tls',
        `the CA or the client certificate cannot be used: ${(cause as Error).message}; check that each is PEM and that certificate and key belong together`,
        { cause },
      );
    }
  }

  async #ca(): Promise<string | Buffer | undefined> {
    const { ca } = this.#trust;
    if (ca === undefined || typeof ca === 'string' || Buffer.isBuffer(ca)) return ca;
    try {
      return (await ca.read()).reveal();
    } catch (cause) {
      throw new TransportError('tls-ca', `the CA file ${ca.path} cannot be read`, { cause });
    }
  }
}
