import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Plugin } from 'esbuild';
import { inspectorPage } from './inspector-page.ts';

const file = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { version } = JSON.parse(readFileSync(file('package.json'), 'utf8')) as { version: string };

/**
 * The YAML parser becomes a part of dist/, as the ES modules that it has for browsers. What Node would load is CommonJS, which
 * esbuild cannot put into an ES module of a user. dist/licenses/ has its licence.
 */
const ownYaml: Plugin = {
  name: 'own-yaml',
  setup({ onResolve }) {
    onResolve({ filter: /^yaml$/ }, () => ({ path: file('node_modules/yaml/browser/index.js'), sideEffects: false }));
  },
};

/**
 * How the JavaScript that is shipped is made; what the benchmarks measure is made in the same way. Lines stay lines: Node shows the
 * one that threw, and a line that holds a whole chunk would fill the screen.
 */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  plugins: [ownYaml],
  define: {
    TIDEWATCH_VERSION: JSON.stringify(version),
    TIDEWATCH_INSPECTOR_PAGE: JSON.stringify(inspectorPage()),
  },
  sourcemap: true,
  logLevel: 'warning',
} satisfies BuildOptions;
