/**
 * Runs a command on other major versions of Node, one after the other, and stops at the first that fails:
 *
 *     tsx scripts/run-on-node.ts 22 24 -- node_modules/vitest/vitest.mjs run --project unit
 *
 * The binaries come from npm, from the package that carries them for this platform, into a cache folder. npm's package
 * `node` itself would fetch them with an install script, which npm no longer runs unasked.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isExecutable } from '../src/testing/control-plane/assets.ts';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tidewatch', 'node');
const windows = process.platform === 'win32';

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
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

/** Path of the binary; installs it when it is not there yet. */
async function nodeOf(major: string): Promise<string> {
  const platform = `${windows ? 'win' : process.platform}-${process.arch}`;
  const packageName = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`;
  const folder = join(cache, major);
  const binary = join(folder, 'node_modules', packageName, 'bin', windows ? 'node.exe' : 'node');
  if (isExecutable(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  // Without a package.json npm would look for one in the folders above.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  console.log(`Installing ${packageName}@${major} into ${folder}.`);
  await run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${packageName}@${major}`]);
  if (!isExecutable(binary)) throw new Error(`npm installed ${packageName}@${major}, but ${binary} is not there.`);
  return binary;
}

async function main(): Promise<void> {
  const separator = process.argv.indexOf('--');
  const majors = process.argv.slice(2, separator === -1 ? undefined : separator);
  const command = separator === -1 ? [] : process.argv.slice(separator + 1);
  if (majors.length === 0 || command.length === 0) {
    throw new Error('Usage: tsx scripts/run-on-node.ts <major version>… -- <script> <arguments…>');
  }
  for (const major of majors) {
    const binary = await nodeOf(major);
    console.log(`\nOn Node ${major} (${binary}): ${command.join(' ')}`);
    // First on the PATH too, for what the command starts by the name `node`.
    await run(binary, command, { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}` });
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
