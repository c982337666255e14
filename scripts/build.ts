/**
 * Builds dist/: the JavaScript by esbuild, in few files with code splitting, because a hundred small modules take longer to
 * load than all the work that they do; the declarations by tsc, and of those only what a door leads to.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { withClassNames } from '../tools/package/class-names.ts';
import { mergeSmallChunks } from '../tools/package/merged-chunks.ts';
import { bundleOptions } from './bundle-options.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Every declaration file that can be reached from the doors. */
function reachable(doors: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file) || !existsSync(file)) return;
    found.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?['"](\.[^'"]+)['"]/g)) {
      visit(resolve(dirname(file), path).replace(/\.[jt]s$/, '.d.ts'));
    }
  };
  for (const door of doors) visit(door);
  return found;
}

const filesIn = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);

const apiDoors = filesIn('src/generated/api', '.ts');
const doors = [
  'src/index.ts',
  'src/client-node/index.ts',
  'src/controller/index.ts',
  'src/inspector/index.ts',
  'src/testing/index.ts',
  'src/workqueue/index.ts',
  'src/metrics/index.ts',
  ...apiDoors,
];

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [...doors, 'src/cli/main.ts'],
  outbase: 'src',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  ...bundleOptions,
});
await mergeSmallChunks(dist);
for (const script of filesIn('dist', '.js')) {
  const path = join(root, script);
  writeFileSync(path, withClassNames(readFileSync(path, 'utf8')));
}
mkdirSync(join(dist, 'licenses'));
copyFileSync(join(root, 'node_modules/yaml/LICENSE'), join(dist, 'licenses/yaml.txt'));
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
// Nobody steps through generated tables, the YAML parser or the page of the inspector; in the maps they would take as much room as our own stages.
for (const map of filesIn('dist/chunks', '.js.map')) {
  const path = join(root, map);
  const content = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[]; sourcesContent: string[] };
  // The embedded server is for tests, and its lines and names are kept: a map of it would be a fifth of the package.
  if (content.sources.filter((source) => source.includes('/src/apiserver/')).length > content.sources.length / 2) {
    dropMap(map);
    continue;
  }
  content.sourcesContent = content.sourcesContent.map((text, index) =>
    /\/(src\/generated|node_modules\/yaml)\/|^<define:/.test(content.sources[index] ?? '')
      ? '// The map leaves this file out.\n'
      : text,
  );
  writeFileSync(path, JSON.stringify(content));
}
// The doors of the API hold tokens alone; a map of the types that were erased would be most of their size.
for (const map of filesIn('dist/generated/api', '.js.map')) dropMap(map);
const kept = reachable(doors.map((door) => join(dist, door.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'))));
for (const file of filesIn('dist', '.d.ts')) {
  const path = join(root, file);
  if (!kept.has(path)) rmSync(path);
}

function dropMap(map: string): void {
  const script = join(root, map.replace(/\.map$/, ''));
  writeFileSync(script, readFileSync(script, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
  rmSync(join(root, map));
}
