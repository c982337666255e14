import { resolve } from 'node:path';
import { ApiServer, type ApiServerOptions } from '../../apiserver/apiserver.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { FlagValues, Invocation } from '../command.ts';
import { stderrLogger } from '../connection-flags.ts';
import { portOf } from '../port-flag.ts';
import { untilAborted } from '../until-aborted.ts';
import { KubeconfigFile } from './kubeconfig-file.ts';
import { DEFAULT_KUBECONFIG } from './serve-command.ts';

/** Runs until the signal aborts, which is how it is meant to end: the exit code is 0 then. */
export async function serve({ flags, io }: Invocation): Promise<number> {
  const path = resolve(io.cwd, flags.text('kubeconfig') ?? DEFAULT_KUBECONFIG);
  const port = portOf(flags);
  const server = await start({ ...serverOptions(flags), port, clock: io.clock, logger: stderrLogger(io.stderr) });
  try {
    const file = await KubeconfigFile.write(path, server.kubeconfig(), { force: flags.on('force') });
    try {
      io.stdout.write(usage(server.url, path));
      await untilAborted(io.signal);
    } finally {
      await file.remove();
    }
  } finally {
    await server.stop();
  }
  return 0;
}

async function start(options: ApiServerOptions & { port: number }): Promise<ApiServer> {
  try {
    return await ApiServer.start(options);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      throw new CliError(`port ${options.port} is already in use`, {
        next: 'Choose another with --port, or leave the choice to the system with --port 0.',
        cause,
      });
    }
    if (code === 'EACCES') {
      throw new CliError(`port ${options.port} may not be used by this user`, {
        next: 'Choose one above 1023 with --port.',
        cause,
      });
    }
    throw cause;
  }
}

function serverOptions(flags: FlagValues): ApiServerOptions {
  const token = flags.text('token');
  if (token === '' || /[^\x21-\x7e]/.test(token ?? '')) {
    throw new UsageError('--token must be made of printable ASCII characters without blanks');
  }
  return {
    ...(token !== undefined && { token }),
    ...(flags.on('insecure-http') && { http: true }),
    ...(flags.on('no-controllers') && { controllers: false }),
  };
}

/** What it says when it runs. */
export function usage(url: string, path: string): string {
  return `A Kubernetes API server runs at ${url}; what it stores is gone when it stops.
Nothing runs pods: there are no nodes, so pods stay Pending and have no logs.

In another terminal:
  export KUBECONFIG=${shellWord(path)}
  kubectl create deployment web --image=nginx
  kubectl get deployments --watch
  tidewatch watch deployments

Press Ctrl-C to stop it.
`;
}

/** Quoted for a POSIX shell, where it needs to be. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
