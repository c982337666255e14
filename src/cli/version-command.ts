import { readFileSync } from 'node:fs';
import type { Command } from './command.ts';

/** As in the package.json of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { version } = manifest as { version?: unknown };
  return typeof version === 'string' ? version : 'unknown';
}

export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  about: ['Prints the version of tidewatch and of the Node that runs it.'],
  flags: [],
  examples: [{ about: 'Which version is this?', line: 'tidewatch version' }],
  async run({ io }) {
    io.stdout.write(`tidewatch ${packageVersion()} (node ${process.versions.node})\n`);
    return 0;
  },
};
