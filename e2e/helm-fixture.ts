import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { controlPlaneCacheFolder } from '../src/testing/control-plane/assets.ts';

const MODULE = fileURLToPath(new URL('../tools/helm', import.meta.url));

export interface HelmResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** The helm of tools/helm, built from its Go module into the cache folder once a machine. */
export async function helmProgram(): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(join(MODULE, 'go.sum')))
    .digest('hex')
    .slice(0, 12);
  const folder = join(dirname(controlPlaneCacheFolder()), '..', 'helm');
  const program = join(folder, `helm-${hash}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  console.log(`Building helm into ${folder}: this happens once and takes some minutes.`);
  const temporary = `${program}.building-${process.pid}`;
  const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', temporary, 'helm.sh/helm/v3/cmd/helm'];
  const { code, stderr } = await run('go', args, { cwd: MODULE });
  if (code !== 0) throw new Error(`go could not build helm: ${stderr}`);
  renameSync(temporary, program);
  return program;
}

/** Runs a program without a shell; a failing one is a result, not an error. */
export function run(
  path: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<HelmResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
