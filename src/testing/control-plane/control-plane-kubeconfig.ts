/** Who a kubeconfig logs in as; PEM texts are written inline. */
export type KubeconfigUser = { token: string } | { certificate: string; key: string };

export interface KubeconfigOptions {
  server: string;
  /** PEM of the certificates to trust; left out for plain http. */
  ca?: string | undefined;
  user: KubeconfigUser;
  /** Of the context. Default: none, which means `default`. */
  namespace?: string | undefined;
}

/** A kubeconfig with one cluster, user and context, all named `tidewatch`. */
export function writeKubeconfig(options: KubeconfigOptions): string {
  const { user } = options;
  const login =
    'token' in user
      ? [`    token: ${JSON.stringify(user.token)}`]
      : [
          `    client-certificate-data: ${base64(user.certificate)}`, //
          `    client-key-data: ${base64(user.key)}`,
        ];
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: tidewatch',
    '  cluster:',
    `    server: ${JSON.stringify(options.server)}`,
    ...(options.ca === undefined ? [] : [`    certificate-authority-data: ${base64(options.ca)}`]),
    'users:',
    '- name: tidewatch',
    '  user:',
    ...login,
    'contexts:',
    '- name: tidewatch',
    '  context:',
    '    cluster: tidewatch',
    '    user: tidewatch',
    ...(options.namespace === undefined ? [] : [`    namespace: ${JSON.stringify(options.namespace)}`]),
    'current-context: tidewatch',
    '',
  ].join('\n');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
