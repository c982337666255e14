import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { aSignal, aText, checkedOptions, type OptionChecks } from '../../api/option-check.ts';
import { findProgram } from './assets.ts';

/** Options of a run of kubectl. */
export interface KubectlOptions {
  /** Path of the kubeconfig. */
  kubeconfig: string;
  /** What kubectl reads from its standard input, for `-f -`. Default: nothing. */
  input?: string | undefined;
  /** Folder with the program; default as for `ControlPlane.start`. */
  assets?: string | undefined;
  /** Kills kubectl; the result then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

const CHECKS: OptionChecks<KubectlOptions> = { kubeconfig: aText, input: aText, assets: aText, signal: aSignal };

/** What kubectl wrote, and how it ended. */
export interface KubectlResult {
  stdout: string;
  stderr: string;
  /** Exit code; -1 when a signal ended it. */
  code: number;
}

/**
 * Runs kubectl without a shell. A failing command is a result with its code, not an error. Its discovery cache is kept
 * beside the kubeconfig: the one in the home folder is keyed by address, and addresses come back with other contents.
 */
export async function runKubectl(args: readonly string[], options: KubectlOptions): Promise<KubectlResult> {
  checkedOptions('runKubectl', options, CHECKS, ['kubeconfig']);
  const path = findProgram('kubectl', { assets: options.assets });
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      env: {
        ...process.env,
        KUBECONFIG: options.kubeconfig,
        KUBECACHEDIR: join(dirname(options.kubeconfig), 'kubectl-cache'),
      },
      stdio: 'pipe',
    });
    const kill = () => child.kill('SIGKILL');
    options.signal?.addEventListener('abort', kill, { once: true });
    if (options.signal?.aborted) kill();
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      options.signal?.removeEventListener('abort', kill);
      if (options.signal?.aborted) reject(options.signal.reason);
      else resolve({ stdout, stderr, code: code ?? -1 });
    });
    // kubectl may end before it has read everything; what it says then is in stderr.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}
