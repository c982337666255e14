import type { Credentials, Login } from './http.ts';
import { Secret } from './secret.ts';

/** A login that never changes. Without headers: nobody in particular. */
export class FixedCredentials implements Credentials {
  readonly #login: Login;

  constructor(headers: Readonly<Record<string, string | readonly string[]>> = {}) {
    this.#login = { headers: new Secret(headers) };
  }

  async login(): Promise<Login> {
    return this.#login;
  }

  async renew(): Promise<boolean> {
    return false;
  }
}

export function tokenCredentials(token: Secret): Credentials {
  return new FixedCredentials({ authorization: `Bearer ${token.reveal()}` });
}

export function basicCredentials(username: string, password: Secret | undefined): Credentials {
  const pair = `${username}:${password?.reveal() ?? ''}`;
  return new FixedCredentials({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
}
