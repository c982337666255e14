import type { Cached, CachedList } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import { TimeSlice } from '../observe/time-slice.ts';
import { readPageIndex } from './page-index.ts';
import type { PageReader } from './snapshot.ts';
import { type Section, SnapshotProblem, type SnapshotReader } from './snapshot-file.ts';

/** All objects of a section. Rejects with `SnapshotProblem` unless every one of them can be used. */
export async function readObjects<T extends KubernetesObject>(
  reader: SnapshotReader,
  section: Section,
  pageReader: PageReader<T>,
  clock: Clock,
): Promise<readonly Cached<T>[]> {
  const objects: Cached<T>[] = [];
  // What stays in the memory that it is read into is read first: the more objects there are while V8 is asked for memory, the longer it
  // looks for some that it can give back.
  const restorable: (() => readonly Cached<T>[])[] = [];
  const names = new Map<string, string>();
  const lasts = (mediaType: string) => pageReader.restorer?.(mediaType) !== undefined;
  for await (const { mediaType, body, index } of reader.pages(section, lasts)) {
    const restore = pageReader.restorer?.(mediaType);
    const saved = index && readPageIndex(index, names);
    if (restore && saved) restorable.push(() => restore(body, saved));
    else for (const item of usable(await pageReader.readList(only(body), mediaType))) objects.push(item);
  }
  const slice = new TimeSlice(clock);
  for (const restored of restorable) {
    for (const item of restored()) objects.push(item);
    if (slice.isDue()) await slice.pause();
  }
  if (objects.length !== section.objects) throw new SnapshotProblem('it is damaged');
  return objects;
}

function usable<T extends KubernetesObject>({ items, broken }: CachedList<T>): readonly Cached<T>[] {
  const [first] = broken;
  if (first) throw new SnapshotProblem(`it holds an object that cannot be used: ${messageOf(first.problem)}`);
  return items;
}

async function* only(body: Uint8Array): AsyncIterable<Uint8Array> {
  yield body;
}
