import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './kubeconfig-loader.ts';

/** Where the kubelet mounts the service account of a pod. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterConfig {
  server: string;
  tokenFile: string;
  caFile: string;
  namespace: string;
}

/** What a pod knows of its cluster, or undefined outside of one. */
export async function inClusterConfig(
  env: Environment,
  folder: string = SERVICE_ACCOUNT_FOLDER,
): Promise<InClusterConfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const tokenFile = join(folder, 'token');
  if (!host || !port || !(await isFile(tokenFile))) return undefined;
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tokenFile,
    caFile: join(folder, 'ca.crt'),
    namespace: env.POD_NAMESPACE || (await serviceAccountNamespace(folder)) || 'default',
  };
}

async function serviceAccountNamespace(folder: string): Promise<string> {
  return readFile(join(folder, 'namespace'), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
