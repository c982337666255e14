import type { BuildOptions } from 'esbuild';

/** How the JavaScript that is shipped is made; what the benchmarks measure is made in the same way. */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: true,
  // The maps hold the sources as they are written.
  minifyWhitespace: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;
