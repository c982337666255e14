import { PassThrough } from 'node:stream';
import type { CliIo, Environment } from './cli-io.ts';
import { runCli } from './run-cli.ts';

export interface RunOptions extends Partial<Pick<CliIo, 'cwd' | 'clock' | 'signal'>> {
  /** Default: none, so that no kubeconfig of the machine is found. */
  env?: Environment;
  /** The whole standard input. Default: empty. */
  input?: string;
  /** Called with each piece of the standard output. */
  onOutput?: (text: string) => void;
}

export interface RunResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in process, without a terminal, and collects what it writes. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { env = {}, input = '', onOutput, ...rest } = options;
  const stdin = new PassThrough();
  stdin.end(input);
  const [stdout, stderr] = [collector(onOutput), collector()];
  const code = await runCli(argv, { stdin, stdout: stdout.stream, stderr: stderr.stream, env, ...rest });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(onOutput?: (text: string) => void) {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    onOutput?.(chunk.toString('utf8'));
  });
  return {
    stream,
    text: () => {
      for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
      return text;
    },
  };
}
