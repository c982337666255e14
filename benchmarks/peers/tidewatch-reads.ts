import type { KubernetesObject, Lister, SharedIndexInformer } from 'tidewatch';

interface PodLike extends KubernetesObject {
  spec?: { nodeName?: string; containers?: readonly object[] };
}

/** One of those that the replay server fills, at every size. */
export const NAMESPACE = 'team-0000';

/** How often single reads are repeated; each time for another object, where the cache holds as many. */
const TIMES = 20_000;

/** What readers of a full cache pay. Every figure is a mean over many objects, after a first pass for the compiler. */
export function measureReads<T extends PodLike>(informer: SharedIndexInformer<T>, lister: Lister<T>) {
  const keys = informer.indexer.listKeys();
  const keyAt = (index: number) => keys[(index * 7919) % keys.length] ?? '';
  let seen = 0;
  const getMetadata = (index: number) => {
    seen += lister.get(keyAt(index))?.metadata?.name?.length ?? 0;
  };
  const firstSpec = (index: number) => {
    seen += lister.get(keyAt(index))?.spec?.containers?.length ?? 0;
  };
  const same = lister.get(keyAt(0));
  const specAgain = () => {
    seen += same?.spec?.containers?.length ?? 0;
  };
  const listNames = () => {
    for (const object of lister.list()) seen += object.metadata?.name?.length ?? 0;
  };
  const byIndex = () => {
    for (const object of informer.indexer.byIndex('namespace', NAMESPACE)) seen += object.metadata?.name?.length ?? 0;
  };
  const reads = {
    readGetMicros: micros(getMetadata, TIMES),
    readFirstSpecMicros: micros(firstSpec, TIMES),
    readSpecAgainMicros: micros(specAgain, TIMES),
    readListNamesMs: micros(listNames, Math.max(1, Math.ceil(100_000 / keys.length))) / 1000,
    readByIndexMicros: micros(byIndex, 200),
    readByIndexHits: informer.indexer.byIndex('namespace', NAMESPACE).length,
  };
  if (seen === 0) throw new Error('the reads found nothing');
  return reads;
}

function micros(read: (index: number) => void, times: number): number {
  for (let index = 0; index < times; index++) read(index);
  const start = process.hrtime.bigint();
  for (let index = 0; index < times; index++) read(index);
  return Number(process.hrtime.bigint() - start) / 1000 / times;
}
