/** Writes one snapshot after the other to the file that it is given, each of one round, until it is killed. */
import { plainCached } from '../api/plain-cached.ts';
import { SnapshotWriter } from './snapshot-file.ts';

const [file = ''] = process.argv.slice(2);

for (let round = 0; ; round++) {
  const objects = Array.from({ length: 200 }, (_, i) =>
    plainCached({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: `n-${i}` },
      ...{ data: { text: String(round) } },
    }),
  );
  const writer = await SnapshotWriter.create(file, 'a server');
  await writer.add({ part: 'numbers', resourceVersion: String(round), savedAt: 0 }, objects, async () => {});
  await writer.finish();
  if (round === 0) process.stdout.write('written\n');
}
