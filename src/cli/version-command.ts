import { readFileSync } from 'node:fs';
import type { Command } from './command.ts';

interface PackageManifest {
  readonly version: string;
  /** The ranges of the packages that this version was built with. */
  readonly packages: Readonly<Record<string, string>>;
}

/** The package.json of this package. */
export function packageManifest(): PackageManifest {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version = 'unknown', dependencies, devDependencies } = JSON.parse(text);
  return { version, packages: { ...devDependencies, ...dependencies } };
}

export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  about: ['Prints the version of tidewatch and of the Node that runs it.'],
  flags: [],
  examples: [{ about: 'Which version is this?', line: 'tidewatch version' }],
  async run({ io }) {
    io.stdout.write(`tidewatch ${packageManifest().version} (node ${process.versions.node})\n`);
    return 0;
  },
};
