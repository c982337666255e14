import { TransportError } from '../api/transport-error.ts';
import { FileContent, type FileContentOptions } from '../http/file-content.ts';
import type { Credentials, Login } from '../http/http.ts';
import { Secret } from '../http/secret.ts';

/** A bearer token in a file that somebody else rotates, such as the kubelet. Re-read when it changes and after a 401. */
export class TokenFileCredentials implements Credentials {
  readonly #file: FileContent;
  #content: Secret<Buffer> | undefined;
  #login: Login | undefined;

  constructor(path: string, options: Omit<FileContentOptions, 'purpose'>) {
    this.#file = new FileContent(path, { ...options, purpose: 'token file' });
  }

  async login(): Promise<Login> {
    let content: Secret<Buffer>;
    try {
      content = await this.#file.read();
    } catch (cause) {
      throw new TransportError('credentials', `the token file ${this.#file.path} cannot be read`, { cause });
    }
    if (this.#login !== undefined && content === this.#content) return this.#login;
    const token = content.reveal().toString('utf8').trim();
    if (token === '') {
      // Seen half-way through a careless rotation: the old token is better than none.
      if (this.#login !== undefined) return this.#login;
      throw new TransportError('credentials', `the token file ${this.#file.path} is empty`);
    }
    this.#content = content;
    this.#login = { headers: new Secret({ authorization: `Bearer ${token}` }) };
    return this.#login;
  }

  async renew(refused: Login): Promise<boolean> {
    this.#file.expire();
    return (await this.login()) !== refused;
  }
}
