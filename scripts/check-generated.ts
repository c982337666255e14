/** Fails when the generated files of src/generated are not what `npm run generate` would make. Writes nothing. */
import { collectSources } from '../tools/generate/collect.ts';
import { differences, GENERATED_FOLDER, readGenerated } from '../tools/generate/files.ts';
import { makeOutput } from '../tools/generate/output.ts';

const committed = readGenerated(GENERATED_FOLDER);
const output = makeOutput(await collectSources(console.log));
const changed = differences(committed, output);
if (changed.length === 0) {
  console.log(`${output.size} generated files are up to date`);
} else {
  console.error(`${changed.length} generated files differ; run \`npm run generate\` and commit the result:`);
  for (const path of changed)
    console.error(`  src/generated/${path}: ${summary(committed.get(path), output.get(path))}`);
  process.exitCode = 1;
}

function summary(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return 'is missing';
  if (after === undefined) return 'is no longer made';
  const old = new Set(before.split('\n'));
  const now = new Set(after.split('\n'));
  const added = [...now].filter((line) => !old.has(line));
  const removed = [...old].filter((line) => !now.has(line));
  const shown = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].slice(0, 6);
  return [`${added.length} lines added, ${removed.length} removed`, ...shown.map((line) => line.slice(0, 160))].join(
    '\n    ',
  );
}
