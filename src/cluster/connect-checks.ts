import {
  aBoolean,
  aNumber,
  anObject,
  anything,
  aText,
  type OptionChecks,
  oneOf,
  type ValueCheck,
} from '../api/option-check.ts';
import type { ClusterOptions, ConnectOptions, SocketOptions } from './connect-options.ts';

const execWord = oneOf('allow', 'forbid');
const execPolicy: ValueCheck = (value) => {
  if (Array.isArray((value as { allow?: unknown } | null)?.allow)) return undefined;
  const wanted = execWord(value);
  return wanted && `{ allow: ['command'] }, ${wanted}`;
};

export const CLUSTER_CHECKS: OptionChecks<ClusterOptions> = {
  namespace: aText,
  fieldManager: anything, // checked with its value
  clock: anObject,
  logger: anObject,
  metrics: anObject,
};

export const SOCKET_CHECKS: OptionChecks<SocketOptions> = {
  connectTimeoutMs: aNumber,
  headersTimeoutMs: aNumber,
  stallTimeoutMs: aNumber,
  userAgent: aText,
  exec: execPolicy,
  execTimeoutMs: aNumber,
};

/** A misspelt context or kubeconfig would mean the current one, which may be another cluster. */
export const CONNECT_CHECKS: OptionChecks<ConnectOptions> = {
  ...CLUSTER_CHECKS,
  ...SOCKET_CHECKS,
  kubeconfig: anything, // its forms are told apart where it is read
  context: aText,
  cluster: aText,
  user: aText,
  server: aText,
  token: aText,
  tokenFile: aText,
  certificateAuthority: anything, // as kubeconfig
  insecureSkipTlsVerify: aBoolean,
  tlsServerName: aText,
  impersonate: anObject,
  proxyUrl: aText,
  disableCompression: aBoolean,
  env: anObject,
  serviceAccountFolder: aText,
};
