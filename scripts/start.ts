/** `npm start`: bundles the command, without types, into a cache folder, and runs its demo. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

console.log(
  'Bundling tidewatch, then starting its demo: a small cluster in this process, and informers that follow it.',
);

const { build } = await import('esbuild');
const { bundleOptions } = await import('./bundle-options.ts');
const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'node_modules', '.cache', 'tidewatch', 'start');
await build({ absWorkingDir: root, entryPoints: ['src/cli/main.ts'], outdir, ...bundleOptions });

const child = spawn(process.execPath, [join(outdir, 'main.js'), 'demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// The demo ends by itself on Ctrl-C, which the terminal sends to both, and leaves the screen as it was.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('close', (code) => {
  process.exitCode = code ?? 1;
});
