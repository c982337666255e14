import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Cached, PROTOBUF_MEDIA_TYPE } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { encodeMessage } from '../codec/protobuf/message-encoder-fixture.ts';
import { chunksOf, core, listBody } from '../codec/protobuf/protobuf-fixture.ts';
import { resourceCodec } from '../codec/resource-codec.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { systemClock } from '../observe/clock.ts';
import { readObjects } from '../snapshot/section-objects.ts';
import { SnapshotProblem, SnapshotReader, SnapshotWriter } from '../snapshot/snapshot-file.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-restored-'));
  file = join(folder, 'caches');
});

afterEach(() => rm(folder, { recursive: true }));

const codec = () => resourceCodec<KubernetesObject>({ resource: configMaps as never });

/** What a server lists: some with labels, some with data, some with both. */
async function listed(count: number, bytes: number): Promise<readonly Cached[]> {
  const messages = Array.from({ length: count }, (_, i) =>
    encodeMessage(core('ConfigMap'), {
      metadata: {
        name: `m-${i}`,
        namespace: `n-${i % 3}`,
        uid: `uid-${i}`,
        resourceVersion: String(100 + i),
        ...(i % 2 === 0 && { labels: { app: `app-${i}` } }),
      },
      ...(i % 5 !== 0 && { data: { text: String(i).repeat(bytes) } }),
    }),
  );
  return (await codec().readList(chunksOf(listBody('ConfigMapList', 'v1', '7', messages)), PROTOBUF_MEDIA_TYPE)).items;
}

async function save(objects: readonly Cached[]): Promise<void> {
  const writer = await SnapshotWriter.create(file, 'a server');
  await writer.add({ part: 'all', resourceVersion: '7', savedAt: 0 }, objects, async () => {});
  await writer.finish();
}

async function restore(into = codec()): Promise<readonly Cached[]> {
  const reader = await SnapshotReader.open(file);
  try {
    const section = reader?.section('all');
    return reader && section ? await readObjects(reader, section, into, systemClock) : [];
  } finally {
    await reader?.close();
  }
}

function told(objects: readonly Cached[]) {
  return objects.map((object) => {
    const { key, namespace, name, uid, resourceVersion, labels } = object;
    return { key, namespace, name, uid, resourceVersion, labels, view: JSON.stringify(object.view()) };
  });
}

it('what a snapshot gives back is what was saved, in several pages, in any order', async () => {
  const objects = [...(await listed(300, 4_000))].reverse();
  await save(objects);
  expect(told(await restore())).toEqual(told(objects));
});

it('objects stay in the memory that they were read into, and are counted there', async () => {
  await save(await listed(100, 1_000));
  const into = codec();
  const restored = await restore(into);
  expect(into.memory?.heldBytes).toBe(0);
  for (const object of restored) object.stored?.();
  const { heldBytes = 0, liveBytes = 0 } = into.memory ?? {};
  const sizes = restored.map((object) => object.encoded?.().bytes.length ?? 0);
  expect(liveBytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
  expect(heldBytes).toBeLessThan(liveBytes * 1.02);
  const before = told(restored);
  // As they go, what is left moves.
  for (const [i, object] of restored.entries()) if (i % 3 > 0) object.dropped?.();
  expect(told(restored)).toEqual(before);
});

it('what a store that shares has saved can be read by one that does not, and the other way', async () => {
  const objects = await listed(50, 100);
  const shared = () => resourceCodec<KubernetesObject>({ resource: configMaps as never, store: 'shared' });
  await save(objects);
  const inShared = await restore(shared());
  expect(told(inShared)).toEqual(told(objects));
  await save(inShared);
  expect(told(await restore())).toEqual(told(objects));
});

it('whatever has happened to its bytes, a snapshot gives back what was saved or nothing', async () => {
  const objects = await listed(12, 30);
  await save(objects);
  const right = told(objects);
  const whole = await readFile(file);
  const position = fc.nat(whole.length - 1);
  const damage = fc.oneof(
    fc.record({ kind: fc.constant('flip' as const), at: position, bits: fc.integer({ min: 1, max: 255 }) }),
    fc.record({ kind: fc.constant('cut' as const), at: position }),
    fc.record({ kind: fc.constant('erase' as const), at: position, count: fc.integer({ min: 1, max: 500 }) }),
    fc.record({
      kind: fc.constant('move' as const),
      at: position,
      to: position,
      count: fc.integer({ min: 1, max: 200 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(damage, async (what) => {
      let bytes = Buffer.from(whole);
      if (what.kind === 'flip') bytes[what.at] = (bytes[what.at] ?? 0) ^ what.bits;
      else if (what.kind === 'cut') bytes = bytes.subarray(0, what.at);
      else if (what.kind === 'erase') bytes.fill(0, what.at, Math.min(what.at + what.count, bytes.length));
      else bytes.copyWithin(what.to, what.at, what.at + what.count);
      await writeFile(file, bytes);
      const found = await restore().catch((error: unknown) => {
        expect(error).toBeInstanceOf(SnapshotProblem);
        return undefined;
      });
      if (found !== undefined) expect(told(found)).toEqual(right);
    }),
    { numRuns: 1_000 },
  );
});
