import { createRequire } from 'node:module';
import { manifest, need, report, repository } from './package-report.ts';

const MAX_IMPORT_RATIO = 0.1;
const IMPORT_RUNS = 9;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Alternating, each in a process of its own, so that both meet the same weather. */
export function checkImportTime(project: string): void {
  const importMs = (specifier: string, cwd: string) => {
    const source = `const t = performance.now(); await import('${specifier}'); console.log(performance.now() - t);`;
    return Number(need(process.execPath, ['--input-type=module', '-e', source], cwd));
  };
  const other = '@kubernetes/client-node';
  const { version } = createRequire(import.meta.url)(`${repository}/node_modules/${other}/package.json`);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let index = 0; index < IMPORT_RUNS; index++) {
    ours.push(importMs(manifest.name, project));
    theirs.push(importMs(other, repository));
  }
  const ratio = median(ours) / median(theirs);
  report(
    ratio <= MAX_IMPORT_RATIO,
    `importing takes ${median(ours).toFixed(1)} ms, ${ratio.toFixed(3)} of the ${median(theirs).toFixed(0)} ms of ${other} ` +
      `${version}, at most ${MAX_IMPORT_RATIO}`,
  );
}
