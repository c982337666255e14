import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sectionOf, withSection } from './marked-section.ts';
import { describe, type Shown } from './promise.ts';
import { targetTable } from './tables.ts';

/** The benchmarks that run apart, by their sections of docs/benchmarks.md. */
const APART = ['idle', 'curl', 'restart'] as const;

/** What a benchmark that runs apart has found. */
export interface LastResult {
  readonly section: (typeof APART)[number];
  /** In Markdown. */
  readonly figures: string;
  readonly promises: readonly Shown[];
  /** Whether it takes the place of the result in docs/benchmarks.md. */
  readonly write: boolean;
}

/** Prints it. The process ends with 1 when a promise is missed. */
export function publish({ section, figures, promises, write }: LastResult): void {
  console.log(`\n${figures}\n\n${promises.map(describe).join('\n')}`);
  if (promises.some(({ holds }) => !holds)) process.exitCode = 1;
  if (!write) return;
  const page = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
  const result = `The last result:\n\n${figures}\n\n${targetTable(promises)}`;
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section, result));
}

/** The page with the results that `old` has of the benchmarks that run apart. */
export function withLastResults(page: string, old: string): string {
  return APART.reduce((text, section) => withSection(text, section, sectionOf(old, section)), page);
}
