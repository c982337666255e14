import { isatty } from 'node:tty';
import { FileContent } from '../http/file-content.ts';
import { basicCredentials, tokenCredentials } from '../http/fixed-credentials.ts';
import type { Credentials } from '../http/http.ts';
import type { HttpTransportOptions } from '../http/http-transport.ts';
import type { Secret } from '../http/secret.ts';
import { proxyFromEnvironment } from '../http/socket/proxy.ts';
import type { Logger } from '../observe/logger.ts';
import { CertificateCredentials, type PemSource } from './certificate-credentials.ts';
import { ExecCredentials, type ExecCredentialsOptions } from './exec-credentials.ts';
import { impersonationCredentials } from './impersonation.ts';
import { KubeconfigError, type KubeconfigUser } from './kubeconfig.ts';
import type { KubeconfigSelection } from './kubeconfig-selection.ts';
import { OidcCredentials } from './oidc-credentials.ts';
import { TokenFileCredentials } from './token-file-credentials.ts';

export interface UserCredentialsOptions extends Omit<ExecCredentialsOptions, 'stdinIsTerminal'> {
  logger: Logger;
}

/**
 * All that a kubeconfig's user says about who we are, in client-go's order: a certificate beside a token or a password,
 * a plugin only when there is none of these, and the impersonation on top.
 */
export function userCredentials(user: KubeconfigUser, options: UserCredentialsOptions): Credentials[] {
  const parts: Credentials[] = [];
  const { clock, logger } = options;
  const certificate = pemSource(user.clientCertificateData, user.clientCertificate);
  const key = pemSource(user.clientKeyData, user.clientKey);
  if (certificate && key) parts.push(new CertificateCredentials(certificate, key, { clock, logger }));
  if (user.tokenFile) parts.push(new TokenFileCredentials(user.tokenFile, { clock, logger }));
  else if (user.token) parts.push(tokenCredentials(user.token));
  else if (user.username !== '' || user.password) parts.push(basicCredentials(user.username, user.password));
  if (parts.length === 0 && user.exec) {
    parts.push(new ExecCredentials(user.exec, { ...options, stdinIsTerminal: () => isatty(0) }));
  }
  if (user.authProvider && !user.token && !user.tokenFile && user.username === '') {
    parts.push(authProviderCredentials(user.authProvider, options));
  }
  return [...parts, ...impersonationOf(user)];
}

/** The one part of a user that is sent also without TLS, as with kubectl. */
export function impersonationOf({
  as: user,
  asUid: uid,
  asGroups: groups,
  asUserExtra: extra,
}: KubeconfigUser): Credentials[] {
  return user === '' ? [] : [impersonationCredentials({ user, uid, groups, extra })];
}

function pemSource(data: Secret<Buffer> | undefined, path: string): PemSource | undefined {
  if (data !== undefined) return { data };
  return path === '' ? undefined : { path };
}

function authProviderCredentials(
  provider: NonNullable<KubeconfigUser['authProvider']>,
  options: UserCredentialsOptions,
): Credentials {
  if (provider.name !== 'oidc') {
    throw new KubeconfigError(
      `the auth-provider "${provider.name}" of ${options.where} is not supported, only oidc is; Kubernetes has replaced the others by exec plugins`,
    );
  }
  const config = provider.config.reveal();
  const data = config.get('idp-certificate-authority-data');
  const file = config.get('idp-certificate-authority');
  return new OidcCredentials(provider.config, {
    where: options.where,
    clock: options.clock,
    transport: (server): Omit<HttpTransportOptions, 'server'> => ({
      clock: options.clock,
      logger: options.logger,
      proxy: proxyFromEnvironment(server, options.env),
      ...(data || file
        ? {
            tls: {
              ca: data ? Buffer.from(data, 'base64') : new FileContent(file ?? '', { ...options, purpose: 'CA file' }),
            },
          }
        : {}),
    }),
  });
}

/** What a 401 has refused, in words: the context, the user, and where its login comes from. Without anything secret. */
export function loginName({ context, user }: Pick<KubeconfigSelection, 'context' | 'user'>, server: URL): string {
  const inContext = context === '' ? '' : ` of the context "${context}"`;
  if (user === undefined) return `no login: there is no user${inContext}`;
  return sentLogin(server, `the user "${user.name}"${inContext} in ${user.config.file}, with ${sourceOf(user.config)}`);
}

/** A login that is not an option of the call is sent over TLS alone, as with kubectl. */
export function sentLogin(server: URL, name: string): string {
  return server.protocol === 'https:'
    ? name
    : `no login: the address begins with http://, so this was not sent: ${name}`;
}

function sourceOf(user: KubeconfigUser): string {
  const sources: string[] = [];
  if (user.clientCertificateData) sources.push('its client-certificate-data');
  else if (user.clientCertificate) sources.push(`the client certificate ${user.clientCertificate}`);
  if (user.tokenFile) sources.push(`the token in the file ${user.tokenFile}`);
  else if (user.token) sources.push('its token');
  else if (user.username !== '' || user.password) sources.push('its password');
  else if (user.exec && sources.length === 0) sources.push(`the token of the exec plugin "${user.exec.command}"`);
  else if (user.authProvider) sources.push(`the token of the auth-provider "${user.authProvider.name}"`);
  return sources.length === 0 ? 'nothing to log in with' : sources.join(' and ');
}
