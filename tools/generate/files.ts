import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEADER, type Output } from './sources.ts';

export const GENERATED_FOLDER = fileURLToPath(new URL('../../src/generated/', import.meta.url));

/** The files of the folder that carry the header of generated ones; what else lies there was written by hand. */
export function readGenerated(folder: string): Output {
  const files: Output = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    if (text.startsWith(HEADER)) files.set(relative(folder, path).split(sep).join('/'), text);
  }
  return files;
}

/** Writes what differs and removes what is no longer made; returns the paths of both. */
export function writeGenerated(folder: string, output: Output): string[] {
  const before = readGenerated(folder);
  const changed = differences(before, output);
  for (const path of changed) {
    const file = join(folder, path);
    const text = output.get(path);
    if (text === undefined) {
      rmSync(file);
    } else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  return changed;
}

export function differences(before: Output, after: Output): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
