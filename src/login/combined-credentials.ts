import type { ClientCertificate, Credentials, Login } from '../http/http.ts';
import { Secret } from '../http/secret.ts';

/** Several credentials at once: a certificate beside a token, an impersonation on top of either. */
export class CombinedCredentials implements Credentials {
  readonly #parts: readonly Credentials[];
  /** The last combination; handed out again while no part has changed, so that its identity tells of a change. */
  #last: { parts: readonly Login[]; login: Login } | undefined;

  constructor(parts: readonly Credentials[]) {
    this.#parts = parts;
  }

  async login(): Promise<Login> {
    const parts = await Promise.all(this.#parts.map((part) => part.login()));
    const last = this.#last;
    if (last?.parts.every((login, i) => login === parts[i])) return last.login;
    const headers: Record<string, string | readonly string[]> = {};
    let certificate: ClientCertificate | undefined;
    for (const part of parts) {
      Object.assign(headers, part.headers.reveal());
      certificate = part.certificate ?? certificate;
    }
    const login: Login = { headers: new Secret(headers), certificate };
    this.#last = { parts, login };
    return login;
  }

  async renew(refused: Login): Promise<boolean> {
    const last = this.#last;
    // Renewed already, on behalf of another request.
    if (last === undefined || last.login !== refused) return true;
    const renewed = await Promise.all(
      this.#parts.map((part, i) => {
        const login = last.parts[i];
        return login === undefined ? false : part.renew(login);
      }),
    );
    return renewed.includes(true);
  }

  close(): void {
    for (const part of this.#parts) part.close?.();
  }
}

/** The fewest objects that do the job. */
export function combineCredentials(parts: readonly Credentials[]): Credentials {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : new CombinedCredentials(parts);
}
