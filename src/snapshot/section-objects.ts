import type { Cached, CachedList } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import { PageIndex, SectionIndex } from './page-index.ts';
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
  const common = new SectionIndex();
  const lasts = (mediaType: string) => pageReader.restorer?.(mediaType) !== undefined;
  const slice = new TimeSlice(clock);
  for await (const { mediaType, body, index } of reader.pages(section, lasts)) {
    const restore = index && pageReader.restorer?.(mediaType);
    if (restore) objects.push(...restore(body, new PageIndex(index, common)));
    else objects.push(...usable(await pageReader.readList(only(body), mediaType)));
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
