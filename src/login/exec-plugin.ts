import { TidewatchError } from '../api/tidewatch-error.ts';
import { Secret } from '../http/secret.ts';
import type { Clock } from '../observe/clock.ts';
import { onAbort } from '../observe/interruption.ts';

/** Far beyond any credential; a plugin that prints more is broken. */
const MAX_OUTPUT_BYTES = 1_048_576;

const GIVEN_UP = 'the cluster was closed while it ran';

export interface ExecPluginRun {
  /** The path of the program. */
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Hands our standard input on; otherwise the plugin has none. */
  interactive: boolean;
  timeoutMs: number;
  clock: Clock;
  /** Kills it: nobody waits for it any more. */
  signal: AbortSignal;
}

/**
 * Runs a credential plugin, without a shell, and gives its standard output. Its standard error is the user's, as with
 * kubectl: that is where a plugin asks for a code to be typed into a browser. Rejects with why it failed, in words that hold neither
 * arguments nor output.
 */
export async function runExecPlugin(run: ExecPluginRun): Promise<Secret> {
  const { spawn } = await import('node:child_process');
  if (run.signal.aborted) throw new TidewatchError('credentials', GIVEN_UP);
  return new Promise((resolve, reject) => {
    const child = spawn(run.file, [...run.args], {
      env: run.env,
      shell: false,
      stdio: [run.interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let failure: string | undefined;
    const kill = (why: string) => {
      failure ??= why;
      child.kill('SIGKILL');
      // A grandchild that holds the pipe would keep us waiting.
      child.stdout.destroy();
    };
    const timer = run.clock.setTimeout(() => kill(`it did not finish within ${run.timeoutMs} ms`), run.timeoutMs, {
      keepAlive: false,
    });
    const forgetSignal = onAbort(run.signal, () => kill(GIVEN_UP));
    const ended = () => {
      timer.clear();
      forgetSignal();
    };
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) kill(`it printed more than ${MAX_OUTPUT_BYTES} bytes`);
      else chunks.push(chunk);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      ended();
      reject(new TidewatchError('credentials', failure ?? `it could not be started (${error.code})`));
    });
    child.on('close', (code, signal) => {
      ended();
      if (failure === undefined && code !== 0) {
        failure = code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
      }
      if (failure !== undefined) reject(new TidewatchError('credentials', failure));
      else resolve(new Secret(Buffer.concat(chunks).toString('utf8')));
    });
  });
}
