/** A JavaScript runtime, and the npm package that carries its binary for this platform. */
export interface Runtime {
  readonly name: 'node' | 'bun' | 'deno';
  readonly version: string;
  /** Unset: the runtime that runs this. */
  readonly package?: { readonly name: string; readonly binary: string };
  /** What comes before the name of the script. */
  readonly args: readonly string[];
}

const windows = process.platform === 'win32';
const arm = process.arch === 'arm64';

/** npm's packages `bun` and `deno` would choose one of these with an install script, which npm no longer runs unasked. */
const bunPackage = `@oven/bun-${windows ? 'windows' : process.platform}-${arm ? 'aarch64' : 'x64'}`;
const denoPackage = `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`;

/** The versions that docs/runtimes.md names. */
export const runtimes: readonly Runtime[] = [
  { name: 'node', version: process.versions.node, args: [] },
  {
    name: 'bun',
    version: '1.4.4',
    package: { name: bunPackage, binary: windows ? 'bin/bun.exe' : 'bin/bun' },
    args: ['run'],
  },
  {
    name: 'deno',
    version: '2.9.6',
    package: { name: denoPackage, binary: windows ? 'deno.exe' : 'deno' },
    args: ['run', '--allow-all', '--no-prompt'],
  },
];
