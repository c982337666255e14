/** Writes the generated files of src/generated again. Needs Go, and the programs of a control plane. */
import { collectSources } from '../tools/generate/collect.ts';
import { GENERATED_FOLDER, writeGenerated } from '../tools/generate/files.ts';
import { makeOutput } from '../tools/generate/output.ts';

const output = makeOutput(await collectSources(console.log));
const changed = writeGenerated(GENERATED_FOLDER, output);
for (const path of changed) console.log(`${output.has(path) ? 'wrote' : 'removed'} src/generated/${path}`);
console.log(`${output.size} files, ${changed.length} of them changed`);
