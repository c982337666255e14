/**
 * Runs a command on other major versions of Node, one after the other, and stops at the first that fails:
 *
 *     tsx scripts/run-on-node.ts 22 24 -- node_modules/vitest/vitest.mjs run --project unit
 *
 * The binaries come from npm, from the package that carries them for this platform, into a cache folder. npm's package
 * `node` itself would fetch them with an install script, which npm no longer runs unasked.
 */
import { delimiter, dirname } from 'node:path';
import { npmBinary, run } from './npm-binary.ts';

const windows = process.platform === 'win32';

/** Path of the binary; installs it when it is not there yet. */
function nodeOf(major: string): Promise<string> {
  const platform = `${windows ? 'win' : process.platform}-${process.arch}`;
  return npmBinary({
    folder: `node/${major}`,
    packageName: platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`,
    version: major,
    binary: windows ? 'bin/node.exe' : 'bin/node',
  });
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
