import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What runs a script on the runtime that runs this: the program, and the arguments up to the script's own. */
export function commandFor(script: string): { command: string; args: string[] } {
  const args = 'Deno' in globalThis ? ['run', '--allow-all', '--no-prompt', script] : [script];
  return { command: process.execPath, args };
}

/** What the script writes to standard output. Rejects when it does not end with code 0. */
export async function outputOf(script: string, ...own: readonly string[]): Promise<string> {
  const { command, args } = commandFor(script);
  return (await promisify(execFile)(command, [...args, ...own])).stdout;
}
