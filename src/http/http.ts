import type { Secret } from './secret.ts';

/** A client certificate with its key, both PEM. The object's identity is the certificate's: a rotated one is a new object. */
export interface ClientCertificate {
  readonly certificate: Secret<string | Buffer>;
  readonly key: Secret<string | Buffer>;
}

/** What a request carries to say who we are. Immutable; renewed credentials are a new object. */
export interface Login {
  /** Headers in lower case; several values for one name are sent as several headers. */
  readonly headers: Secret<Readonly<Record<string, string | readonly string[]>>>;
  readonly certificate?: ClientCertificate | undefined;
}

/** Where logins come from. Implementations keep what they hold out of sight (`Secret`, #private fields). */
export interface Credentials {
  /**
   * The login to use now. Asked before each request, so it is cheap when nothing has to be renewed; concurrent
   * callers share one renewal. Rejects with a `TransportError` of kind `credentials`.
   */
  login(): Promise<Login>;
  /**
   * The server answered 401 to this login. Resolves true when a later `login()` will give another one, so that a
   * repetition is worth it; false when there is nothing to renew.
   */
  renew(refused: Login): Promise<boolean>;
  /** Nobody needs a login any more: gives up one that is being obtained, so that it does not keep the process alive. */
  close?(): void;
}
