import type { Lister, SharedIndexInformer } from 'tidewatch';
import { ThreadTime } from '../thread-time.ts';
import type { Followed } from './tidewatch-kinds.ts';

/** One of those that the replay server fills, at every size. */
export const NAMESPACE = 'team-0000';

/** How often single reads are repeated; each time for another object, where the cache holds as many. */
const TIMES = 20_000;

/**
 * What readers of a full cache pay. Every figure is a mean over many objects, after a first pass for the compiler, in the time that the
 * thread has had a processor: a busy machine does not count.
 */
export function measureReads(informer: SharedIndexInformer<Followed>, lister: Lister<Followed>) {
  const { indexer } = informer;
  const keys = indexer.listKeys();
  const keyAt = (index: number) => keys[(index * 7919) % keys.length] ?? '';
  let seen = 0;
  const getMetadata = (index: number) => {
    seen += lister.get(keyAt(index))?.metadata?.name?.length ?? 0;
  };
  const firstImage = (index: number) => {
    seen += imageOf(lister.get(keyAt(index))).length;
  };
  const same = lister.get(keyAt(0));
  const imageAgain = () => {
    seen += imageOf(same).length;
  };
  const listNames = () => {
    for (const object of lister.list()) seen += object.metadata?.name?.length ?? 0;
  };
  const twoFields = () => {
    for (const { spec, status } of lister.list()) {
      seen += (status?.phase?.length ?? 0) + (spec?.nodeName ?? spec?.className ?? '').length;
    }
  };
  const byIndex = () => {
    for (const object of indexer.byIndex('namespace', NAMESPACE)) seen += object.metadata?.name?.length ?? 0;
  };
  const loops = Math.max(1, Math.ceil(100_000 / keys.length));
  const reads = {
    readGetMicros: micros(getMetadata, TIMES),
    readFirstImageMicros: micros(firstImage, TIMES),
    readImageAgainMicros: micros(imageAgain, 50 * TIMES),
    readListNamesMs: micros(listNames, loops) / 1000,
    readTwoFieldsMs: micros(twoFields, loops) / 1000,
    ...measureProject(indexer, same?.spec?.nodeName === undefined ? 'spec.className' : 'spec.nodeName', loops),
    readByIndexMicros: micros(byIndex, 200),
    readByIndexHits: indexer.byIndex('namespace', NAMESPACE).length,
  };
  if (seen === 0) throw new Error('the reads found nothing');
  return reads;
}

/** Nothing, with a reason, while `project` does not exist. */
function measureProject(indexer: object, field: string, loops: number): { readProjectMs?: number } {
  if (!('project' in indexer) || typeof indexer.project !== 'function') {
    console.error('project is not measured: the indexer has no such method');
    return {};
  }
  const project = (indexer.project as (paths: readonly string[]) => object).bind(indexer);
  let columns: object | undefined;
  const read = () => {
    columns = project(['metadata.name', field, 'status.phase']);
  };
  const readProjectMs = micros(read, loops) / 1000;
  if (columns === undefined || Object.keys(columns).length === 0) throw new Error('project found nothing');
  return { readProjectMs };
}

function imageOf(object: Followed | undefined): string {
  const { containers, components } = object?.spec ?? {};
  return (containers ?? components)?.[0]?.image ?? '';
}

function micros(read: (index: number) => void, times: number): number {
  for (let index = 0; index < times; index++) read(index);
  using time = new ThreadTime();
  const start = time.now();
  for (let index = 0; index < times; index++) read(index);
  return ((time.now() - start) * 1000) / times;
}
