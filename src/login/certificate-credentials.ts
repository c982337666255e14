import { TransportError } from '../api/transport-error.ts';
import { FileContent, type FileContentOptions } from '../http/file-content.ts';
import type { Credentials, Login } from '../http/http.ts';
import { Secret } from '../http/secret.ts';

/** PEM given as data, or a path to it. */
export type PemSource = { data: Secret<string | Buffer> } | { path: string };

interface Reader extends Pick<FileContent, 'expire'> {
  read(): Promise<Secret<string | Buffer>>;
}

/** A client certificate from the kubeconfig itself or from files, which are read again when they change. */
export class CertificateCredentials implements Credentials {
  readonly #certificate: Reader;
  readonly #key: Reader;
  #login: Login | undefined;

  constructor(certificate: PemSource, key: PemSource, options: Omit<FileContentOptions, 'purpose'>) {
    this.#certificate = readerOf(certificate, { ...options, purpose: 'client certificate file' });
    this.#key = readerOf(key, { ...options, purpose: 'client key file' });
  }

  async login(): Promise<Login> {
    let certificate: Secret<string | Buffer>;
    let key: Secret<string | Buffer>;
    try {
      [certificate, key] = await Promise.all([this.#certificate.read(), this.#key.read()]);
    } catch (cause) {
      const { path, code } = cause as NodeJS.ErrnoException;
      throw new TransportError('credentials', `the client certificate cannot be read: ${path} (${code})`, { cause });
    }
    const known = this.#login?.certificate;
    if (this.#login && known?.certificate === certificate && known.key === key) return this.#login;
    this.#login = { headers: new Secret({}), certificate: { certificate, key } };
    return this.#login;
  }

  async renew(refused: Login): Promise<boolean> {
    this.#certificate.expire();
    this.#key.expire();
    return (await this.login()) !== refused;
  }
}

function readerOf(source: PemSource, options: FileContentOptions): Reader {
  if ('path' in source) return new FileContent(source.path, options);
  return { read: async () => source.data, expire: () => {} };
}
