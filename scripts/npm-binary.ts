import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isExecutable } from '../src/testing/control-plane/assets.ts';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tidewatch');
const windows = process.platform === 'win32';

export interface NpmBinary {
  /** Under the cache folder, for this package and version alone: `node/22`. */
  folder: string;
  /** Of the package that carries the binary for this platform, without an install script. */
  packageName: string;
  /** A version or a range. */
  version: string;
  /** The path of the binary in the package. */
  binary: string;
}

/** Path of a binary that comes as an npm package. Installs it into a cache folder when it is not there yet. */
export async function npmBinary({ folder, packageName, version, binary }: NpmBinary): Promise<string> {
  const home = join(cache, folder);
  const path = join(home, 'node_modules', packageName, binary);
  if (isExecutable(path)) return path;
  mkdirSync(home, { recursive: true });
  // Without a package.json npm would look for one in the folders above.
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
  console.log(`Installing ${packageName}@${version} into ${home}.`);
  await run('npm', ['install', '--prefix', home, '--no-save', '--no-audit', '--no-fund', `${packageName}@${version}`]);
  if (!isExecutable(path)) throw new Error(`npm installed ${packageName}@${version}, but ${path} is not there.`);
  return path;
}

/** Rejects unless the command ends with code 0. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  return new Promise((resolve, reject) => {
    // npm is a batch file on Windows, which only a shell can start.
    const child = spawn(command, args, { env, stdio: 'inherit', shell: windows && command === 'npm' });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}.`));
    });
  });
}
