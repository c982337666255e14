import { stringify } from 'yaml';

export interface KubeconfigParts {
  readonly url: string;
  /** PEM; unset for plain HTTP. */
  readonly ca?: string;
  readonly token?: string;
}

/** A kubeconfig that kubectl and every client library read. It holds the token: write it with mode 0600. */
export function kubeconfigText({ url, ca, token }: KubeconfigParts): string {
  const name = 'tidewatch';
  const authority = ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, ...authority } }],
    users: [{ name: 'admin', user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: 'admin', namespace: 'default' } }],
    'current-context': name,
  });
}
