import type { TLSSocket } from 'node:tls';

/**
 * The last TLS session with one peer, so that the next connection can do without most of a handshake. Holds only sessions of connections
 * that were verified, since nobody looks at the certificate of a resumed one: whoever trusts other CAs needs another object.
 */
export class TlsSession {
  #session: Buffer | undefined;

  /** For the options of `tls.connect`. */
  offer(): { session?: Buffer } {
    return this.#session === undefined ? {} : { session: this.#session };
  }

  /** Remembers the sessions that the peer issues on this connection, from when `verified` is called on. */
  follow(socket: TLSSocket): { verified(): void } {
    let isVerified = false;
    let latest: Buffer | undefined;
    socket.on('session', (session) => {
      latest = session;
      if (isVerified) this.#session = session;
    });
    return {
      verified: () => {
        isVerified = true;
        if (latest) this.#session = latest;
      },
    };
  }

  /** A peer that cannot go on with it gets a whole handshake the next time. */
  forget(): void {
    this.#session = undefined;
  }
}
