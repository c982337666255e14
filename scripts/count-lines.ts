/**
 * Counts the lines of source on the way from the socket to a handler, without tests, fixtures and generated files, by folder:
 *
 *     tsx scripts/count-lines.ts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['api', 'codec', 'reflector', 'queue', 'store', 'processor', 'informer', 'http', 'login', 'cluster'];

function linesOf(folder: string): { files: number; lines: number } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/(\.test|-fixture)\.ts$/.test(path),
  );
  const lines = files.reduce((sum, path) => sum + readFileSync(join(folder, path), 'utf8').split('\n').length - 1, 0);
  return { files: files.length, lines };
}

let total = 0;
for (const folder of FOLDERS) {
  const { files, lines } = linesOf(join(import.meta.dirname, '..', 'src', folder));
  total += lines;
  console.log(`${folder.padEnd(10)} ${String(lines).padStart(7)} lines in ${files} files`);
}
console.log(`${'all'.padEnd(10)} ${String(total).padStart(7)} lines`);
