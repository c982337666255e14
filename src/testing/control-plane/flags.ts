export interface EtcdFlagOptions {
  dataFolder: string;
  clientUrl: string;
  peerUrl: string;
}

export function etcdFlags({ dataFolder, clientUrl, peerUrl }: EtcdFlagOptions): string[] {
  return [
    '--name=tidewatch',
    `--data-dir=${dataFolder}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=tidewatch=${peerUrl}`,
    '--unsafe-no-fsync',
  ];
}

export interface ApiserverFlagOptions {
  etcdUrl: string;
  certificateFolder: string;
  port: number;
  tokenFile: string;
  clientCaFile: string | undefined;
  serviceAccountPublicKeyFile: string;
  serviceAccountPrivateKeyFile: string;
  /** Whether somebody else says which admission plugins are off. */
  choosesPlugins: boolean;
}

export const DISABLED_PLUGINS = '--disable-admission-plugins=';

export function apiserverFlags(options: ApiserverFlagOptions): string[] {
  return [
    `--etcd-servers=${options.etcdUrl}`,
    `--cert-dir=${options.certificateFolder}`,
    `--secure-port=${options.port}`,
    '--bind-address=127.0.0.1',
    // Without it the server looks for a network card to announce, and fails on a machine that is offline.
    '--advertise-address=127.0.0.1',
    // It would try, and fail, to write the loopback address into the endpoints of the service `kubernetes`.
    '--endpoint-reconciler-type=none',
    `--token-auth-file=${options.tokenFile}`,
    ...(options.clientCaFile === undefined ? [] : [`--client-ca-file=${options.clientCaFile}`]),
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${options.serviceAccountPublicKeyFile}`,
    `--service-account-signing-key-file=${options.serviceAccountPrivateKeyFile}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // Nobody makes the service account `default` in a namespace, without which it would refuse every pod.
    ...(options.choosesPlugins ? [] : [`${DISABLED_PLUGINS}ServiceAccount`]),
    '--allow-privileged=true',
  ];
}
