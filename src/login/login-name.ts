import type { KubeconfigUser } from './kubeconfig.ts';
import type { KubeconfigSelection } from './kubeconfig-selection.ts';

/** What a 401 has refused, in words: the context, the user, and where its login comes from. Without anything secret. */
export function loginName({ context, user }: Pick<KubeconfigSelection, 'context' | 'user'>): string {
  const inContext = context === '' ? '' : ` of the context "${context}"`;
  if (user === undefined) return `no login: there is no user${inContext}`;
  return `the user "${user.name}"${inContext} in ${user.config.file}, with ${sourceOf(user.config)}`;
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
