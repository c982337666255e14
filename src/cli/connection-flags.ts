import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Cluster } from '../cluster/cluster.ts';
import type { ConnectOptions } from '../cluster/connect-options.ts';
import type { Logger } from '../observe/logger.ts';
import { CliError, UsageError } from './cli-error.ts';
import type { FlagSpec, Invocation } from './command.ts';
import { parseDuration } from './duration.ts';
import { safeText } from './terminal/safe-text.ts';

/** kubectl's flags for which cluster is meant, and who asks. */
export const CONNECTION_FLAGS: readonly FlagSpec[] = [
  {
    name: 'kubeconfig',
    value: { label: 'FILE', kind: 'file' },
    about: 'the kubeconfig to use; default: those in $KUBECONFIG, else ~/.kube/config',
  },
  { name: 'context', value: { label: 'NAME', kind: 'context' }, about: "the kubeconfig's context to use" },
  { name: 'cluster', value: { label: 'NAME' }, about: "the kubeconfig's cluster to use" },
  { name: 'user', value: { label: 'NAME' }, about: "the kubeconfig's user to use" },
  { name: 'server', short: 's', value: { label: 'URL' }, about: 'the API server, instead of the kubeconfig’s' },
  { name: 'token', value: { label: 'TOKEN' }, about: 'a bearer token, instead of the kubeconfig’s login' },
  { name: 'as', value: { label: 'USER' }, about: 'act as this user' },
  { name: 'as-group', value: { label: 'GROUP' }, multiple: true, about: 'act as a member of this group' },
  { name: 'as-uid', value: { label: 'UID' }, about: 'act as the user with this uid' },
  { name: 'certificate-authority', value: { label: 'FILE', kind: 'file' }, about: 'the CAs to trust, in PEM' },
  { name: 'tls-server-name', value: { label: 'NAME' }, about: "the name that the server's certificate must be for" },
  { name: 'insecure-skip-tls-verify', about: "do not verify the server's certificate" },
  { name: 'request-timeout', value: { label: 'DURATION' }, about: 'how long to wait for an answer (default 1m)' },
];

/** The cluster that the flags, the kubeconfig or the pod mean. Sends nothing yet. */
export async function connect({ flags, io }: Invocation, overrides: ConnectOptions = {}): Promise<Cluster> {
  const path = (text: string) => resolve(io.cwd, text);
  const groups = flags.texts('as-group');
  const as = flags.text('as');
  const asUid = flags.text('as-uid');
  if (as === undefined && (groups.length > 0 || asUid !== undefined)) {
    throw new UsageError('--as-group and --as-uid need --as', 'Name the user to act as with --as USER.');
  }
  const kubeconfig = flags.text('kubeconfig');
  const ca = flags.text('certificate-authority');
  const timeout = flags.text('request-timeout');
  return Cluster.connect({
    env: io.env,
    clock: io.clock,
    logger: stderrLogger(io.stderr),
    ...(kubeconfig !== undefined && { kubeconfig: path(kubeconfig) }),
    ...textOptions(flags.text),
    ...(ca !== undefined && { certificateAuthority: await readCertificates(path(ca)) }),
    ...(flags.on('insecure-skip-tls-verify') && { insecureSkipTlsVerify: true }),
    ...(timeout !== undefined && { headersTimeoutMs: parseDuration('--request-timeout', timeout) }),
    ...(as !== undefined && {
      impersonate: { user: as, ...(groups.length > 0 && { groups }), ...(asUid !== undefined && { uid: asUid }) },
    }),
    ...overrides,
  });
}

/** Warnings of the server and of the login, as kubectl shows them. */
export function stderrLogger(stderr: NodeJS.WritableStream): Logger {
  const say = (message: string) => void stderr.write(`${safeText(message)}\n`);
  return { debug: () => {}, info: () => {}, warn: say, error: say };
}

function textOptions(text: (name: string) => string | undefined): ConnectOptions {
  const options: ConnectOptions = {};
  const [context, cluster, user, server, token, tlsServerName] = [
    'context',
    'cluster',
    'user',
    'server',
    'token',
    'tls-server-name',
  ].map(text);
  if (context !== undefined) options.context = context;
  if (cluster !== undefined) options.cluster = cluster;
  if (user !== undefined) options.user = user;
  if (server !== undefined) options.server = server;
  if (token !== undefined) options.token = token;
  if (tlsServerName !== undefined) options.tlsServerName = tlsServerName;
  return options;
}

async function readCertificates(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CliError(`the file of --certificate-authority, ${file}, cannot be read`, { cause });
  }
}
