import {
  aBoolean,
  aClock,
  aLogger,
  aMeter,
  aNumber,
  anObject,
  anything,
  aSecret,
  aText,
  type OptionChecks,
  oneOf,
  optionsOf,
  texts,
  type ValueCheck,
} from '../api/option-check.ts';
import type { Impersonation } from '../login/impersonation.ts';
import type { ClusterOptions, ConnectOptions, SocketOptions } from './connect-options.ts';

const execWord = oneOf('allow', 'forbid');
const execPolicy: ValueCheck = (value, where) => {
  if (Array.isArray((value as { allow?: unknown } | null)?.allow)) return undefined;
  const wanted = execWord(value, where);
  return wanted && `{ allow: ['command'] }, ${wanted}`;
};

export const CLUSTER_CHECKS: OptionChecks<ClusterOptions> = {
  namespace: aText,
  fieldManager: anything, // checked with its value
  clock: aClock,
  logger: aLogger,
  metrics: aMeter,
};

export const SOCKET_CHECKS: OptionChecks<SocketOptions> = {
  connectTimeoutMs: aNumber,
  headersTimeoutMs: aNumber,
  stallTimeoutMs: aNumber,
  userAgent: aText,
  exec: execPolicy,
  execTimeoutMs: aNumber,
};

/** Without what is misspelt one would act as oneself. */
const IMPERSONATION_CHECKS: OptionChecks<Impersonation> = {
  user: aText,
  uid: aText,
  groups: texts,
  extra: anObject,
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
  token: aSecret,
  tokenFile: aText,
  certificateAuthority: anything, // as kubeconfig
  insecureSkipTlsVerify: aBoolean,
  tlsServerName: aText,
  impersonate: optionsOf(IMPERSONATION_CHECKS),
  proxyUrl: aText,
  disableCompression: aBoolean,
  env: anObject,
  serviceAccountFolder: aText,
};
