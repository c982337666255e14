import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Node takes longer to find and open a file than to compile this much. */
const SMALL_BYTES = 16 * 1024;
const MERGED = 'chunk-common.js';
const CHUNK = /(["'])((?:\.{1,2}\/)+(?:chunks\/)?)(chunk-\w+\.js)\1/g;

/**
 * esbuild makes a chunk for each set of doors that have modules in common, and most chunks hold one small module. The small ones that the
 * root door loads become one file, as far as they import nothing else: so no two files import each other.
 */
export async function mergeSmallChunks(dist: string): Promise<void> {
  const folder = join(dist, 'chunks');
  const chunks = new Map(
    readdirSync(folder)
      .filter((file) => /^chunk-\w+\.js$/.test(file))
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const),
  );
  const small = new Map([...loadedBy(readFileSync(join(dist, 'index.js'), 'utf8'), chunks)].filter(isSmall));
  for (let before = -1; before !== small.size; ) {
    before = small.size;
    for (const [file, text] of small) if (!importsOf(text).every((other) => small.has(other))) small.delete(file);
  }
  if (small.size < 2) return;
  const lines = [...small.keys()].map((file) => `export * from './${file}';`);
  await build({
    stdin: { contents: lines.join('\n'), resolveDir: folder },
    outfile: join(folder, MERGED),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'warning',
  });
  mustExportAll(readFileSync(join(folder, MERGED), 'utf8'), [...small.values()]);
  for (const file of small.keys()) for (const ending of ['', '.map']) rmSync(join(folder, `${file}${ending}`));
  for (const script of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  )) {
    const path = join(dist, script);
    const text = readFileSync(path, 'utf8');
    const merged = text.replace(CHUNK, (whole, quote, way, file) =>
      small.has(file) ? `${quote}${way}${MERGED}${quote}` : whole,
    );
    if (merged !== text) writeFileSync(path, merged);
  }
}

function isSmall([, text]: readonly [string, string]): boolean {
  return text.length <= SMALL_BYTES;
}

function importsOf(text: string): string[] {
  return [...text.matchAll(CHUNK)].map(([, , , file = '']) => file);
}

/** The chunks that are loaded with a script. */
function loadedBy(script: string, chunks: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (text: string) => {
    for (const file of importsOf(text)) {
      const chunk = chunks.get(file);
      if (chunk === undefined || found.has(file)) continue;
      found.set(file, chunk);
      visit(chunk);
    }
  };
  visit(script);
  return found;
}

/** Two chunks that export one name would both lose it. */
function mustExportAll(merged: string, parts: readonly string[]): void {
  const exported = namesOf(merged);
  const missing = parts.flatMap((part) => [...namesOf(part)]).filter((name) => !exported.has(name));
  if (missing.length > 0)
    throw new Error(`chunks that are to be one file export the same names: ${missing.join(', ')}`);
}

function namesOf(script: string): Set<string> {
  const lists = [...script.matchAll(/^export \{([^}]*)\};$/gm)].map(([, list = '']) => list);
  const names = lists.flatMap((list) => list.split(',')).map((each) => each.trim().split(' as ').at(-1) ?? '');
  return new Set(names.filter((name) => name !== ''));
}
