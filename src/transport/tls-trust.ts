import { createHash } from 'node:crypto';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { TransportError } from '../api/transport-error.ts';
import type { ClientCertificate } from './credentials.ts';
import type { FileContent } from './file-content.ts';

/** How the server's certificate is checked. */
export interface TlsTrust {
  /** PEM of the CAs to trust instead of those that Node ships; a file is read again when it changes. */
  readonly ca?: string | Buffer | FileContent | undefined;
  /** The name to ask for and to check, when it is not the server's host. */
  readonly serverName?: string | undefined;
  /** No check at all. */
  readonly insecure?: boolean | undefined;
}

/**
 * The TLS settings of one client certificate (or none). Contexts are kept between connections, since to parse a bundle
 * of CAs costs more than a handshake.
 */
export class TlsContexts {
  readonly #trust: TlsTrust;
  readonly #certificate: ClientCertificate | undefined;
  #last: { fingerprint: string; context: SecureContext } | undefined;

  constructor(trust: TlsTrust, certificate: ClientCertificate | undefined) {
    this.#trust = trust;
    this.#certificate = certificate;
  }

  /** Options for `tls.connect` to the server whose URL names this host. */
  async options(host: string): Promise<ConnectionOptions> {
    const { checkServerIdentity } = await import('node:tls');
    const { isIP } = await import('node:net');
    const name = this.#trust.serverName || host;
    return {
      host,
      // An address must not be sent as SNI; it is still what the certificate has to be for.
      servername: isIP(name) ? '' : name,
      secureContext: await this.#context(),
      rejectUnauthorized: this.#trust.insecure !== true,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
      ALPNProtocols: ['http/1.1'],
    };
  }

  async #context(): Promise<SecureContext> {
    const { createSecureContext } = await import('node:tls');
    const ca = await this.#ca();
    const fingerprint = createHash('sha256')
      .update(ca ?? '')
      .digest('hex');
    if (this.#last?.fingerprint === fingerprint) return this.#last.context;
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
      this.#last = { fingerprint, context };
      return context;
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
