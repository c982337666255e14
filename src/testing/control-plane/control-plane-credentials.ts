import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ControlPlaneError } from './control-plane-error.ts';

const run = promisify(execFile);

/** A user that logs in with a fixed token. */
export interface TokenUser {
  token: string;
  user: string;
  /** Default: the same as `user`. */
  uid?: string;
  groups?: readonly string[];
}

/** The file of `--token-auth-file`: CSV with token, user, uid and a quoted list of groups. */
export function writeTokenFile(path: string, users: readonly TokenUser[]): void {
  const lines = users.map(({ token, user, uid, groups }) =>
    [token, user, uid ?? user, (groups ?? []).join(',')].map((field) => `"${field.replaceAll('"', '""')}"`).join(','),
  );
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** A key pair for `--service-account-signing-key-file` and `--service-account-key-file`. */
export function writeServiceAccountKeys(folder: string): { privateKeyFile: string; publicKeyFile: string } {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const privateKeyFile = join(folder, 'service-account.key');
  const publicKeyFile = join(folder, 'service-account.pub');
  writeFileSync(privateKeyFile, pair.privateKey, { mode: 0o600 });
  writeFileSync(publicKeyFile, pair.publicKey);
  return { privateKeyFile, publicKeyFile };
}

/** A certificate of a user, and its key. */
export interface ClientCertificate {
  /** PEM. */
  certificate: string;
  /** PEM. */
  key: string;
}

/** An authority whose certificates the API server accepts: the common name is the user, organisations are the groups. */
export class ClientAuthority {
  readonly caFile: string;
  readonly #folder: string;
  #issued = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.caFile = join(folder, 'client-ca.crt');
  }

  static async create(folder: string): Promise<ClientAuthority> {
    const authority = new ClientAuthority(folder);
    await openssl(folder, [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650'],
      ...['-subj', '/CN=tidewatch-client-ca', '-keyout', 'client-ca.key', '-out', 'client-ca.crt'],
    ]);
    return authority;
  }

  async issue(user: string, groups: readonly string[]): Promise<ClientCertificate> {
    const base = `client-${++this.#issued}`;
    const subject = [...groups.map((group) => `/O=${escapeName(group)}`), `/CN=${escapeName(user)}`].join('');
    await openssl(this.#folder, [
      ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-utf8'],
      ...['-subj', subject, '-keyout', `${base}.key`, '-out', `${base}.csr`],
    ]);
    writeFileSync(join(this.#folder, `${base}.ext`), 'keyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n');
    await openssl(this.#folder, [
      ...['x509', '-req', '-in', `${base}.csr`, '-CA', 'client-ca.crt', '-CAkey', 'client-ca.key', '-CAcreateserial'],
      ...['-days', '365', '-extfile', `${base}.ext`, '-out', `${base}.crt`],
    ]);
    return {
      certificate: readFileSync(join(this.#folder, `${base}.crt`), 'utf8'),
      key: readFileSync(join(this.#folder, `${base}.key`), 'utf8'),
    };
  }
}

/** In openssl's `-subj` a slash starts the next part of the name, a plus a second value of this one. */
function escapeName(text: string): string {
  return text.replaceAll(/[\\/+]/g, '\\$&');
}

async function openssl(folder: string, args: readonly string[]): Promise<void> {
  try {
    await run('openssl', args, { cwd: folder });
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const message = missing
      ? 'Client certificates need the program `openssl`, which is not on the PATH: install it or leave out clientCertificates.'
      : `openssl could not make a client certificate: ${error instanceof Error ? error.message : String(error)}`;
    throw new ControlPlaneError('certificate', message, { cause: error });
  }
}
