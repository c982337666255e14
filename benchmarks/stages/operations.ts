import { LabelSelector } from '../../src/api/label-selector.ts';
import type { KubernetesObject, ObjectMeta } from '../../src/api/metadata.ts';
import { DeltaFIFO } from '../../src/queue/delta-fifo.ts';
import { type Indexers, metaNamespaceIndex, NAMESPACE_INDEX } from '../../src/store/index-definition.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { ObjectTable } from '../../src/store/object-table.ts';
import { KeptObject } from '../../src/store/store.ts';
import type { Operation } from '../operation-race.ts';

const OBJECTS = 20_000;
const NAMESPACES = 100;
const NODES = 500;
const APPS = 100;

interface Pod extends KubernetesObject {
  metadata: ObjectMeta;
  spec: { nodeName: string };
}

/** Where results go, so that no loop is optimised away. */
export const sink = { count: 0 };

function pod(i: number, version: number): Pod {
  return {
    metadata: {
      namespace: `namespace-${i % NAMESPACES}`,
      name: `pod-${i}`,
      uid: '00000000-0000-0000-0000-000000000000',
      resourceVersion: String(version),
      labels: { app: `app-${i % APPS}`, tier: 'backend' },
    },
    spec: { nodeName: `node-${i % NODES}` },
  };
}

function at<E>(list: readonly E[], i: number): E {
  const element = list[i];
  if (element === undefined) throw new RangeError(`nothing at ${i}`);
  return element;
}

/** How many of the lookups found something. The keys are gone through without counting, as they are in go/main.go. */
function found(indexer: Indexer<Pod>, keys: readonly string[], times: number): number {
  let count = 0;
  for (let done = 0; done < times; done += keys.length) {
    for (const key of keys) if (indexer.getByKey(key) !== undefined) count++;
  }
  return count;
}

/** The same shapes, counts and orders of access as in go/main.go. */
export function operations(): Operation[] {
  const first = Array.from({ length: OBJECTS }, (_, i) => pod(i, 1));
  const second = Array.from({ length: OBJECTS }, (_, i) => pod(i, 2));
  // Flat strings, as they come from elsewhere, and not two halves that V8 has yet to join.
  const keys: string[] = JSON.parse(
    JSON.stringify(first.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)),
  );
  const nodeNames = Array.from({ length: NODES }, (_, i) => `node-${i}`);

  const indexers: Indexers<Pod> = { [NAMESPACE_INDEX]: metaNamespaceIndex, node: ({ spec }) => [spec.nodeName] };
  const indexer = new Indexer<Pod>({ indexers });
  indexer.replace(first);
  const listedKeys = indexer.listKeys().sort();
  const table = new ObjectTable<Pod>(indexers);
  new Indexer<Pod>({ table }).replace(first);
  const byPath = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: metaNamespaceIndex, node: 'spec.nodeName' } });
  byPath.replace(first);
  const selector = LabelSelector.parse('app=app-7');
  const fifo = new DeltaFIFO<Pod>({ knownObjects: indexer });
  const cached = first.map((object, i) => new KeptObject(at(keys, i), object));
  const changed = second.map((object, i) => new KeptObject(at(keys, i), object));
  const pipelineTable = new ObjectTable<Pod>(indexers);
  pipelineTable.replaceAll(cached, '1');
  const cachedFifo = new DeltaFIFO<KeptObject<Pod>>({ keyFunction: ({ key }) => key });
  const process = (deltas: readonly unknown[]) => {
    sink.count += deltas.length;
  };
  const updateAll = (target: Indexer<Pod>, times: number) => {
    for (let i = 0; i < times; i++) {
      target.update(at(Math.floor(i / OBJECTS) % 2 === 0 ? second : first, i % OBJECTS));
    }
  };
  const fillAndDrain = <E>(queue: DeltaFIFO<E>, objects: readonly E[], times: number) => {
    for (let done = 0; done < times; done += objects.length) {
      for (const object of objects) queue.add(object);
      while (queue.popNow(process) !== undefined);
    }
  };
  const oneByOne = <E>(queue: DeltaFIFO<E>, objects: readonly E[], times: number) => {
    for (let i = 0; i < times; i++) {
      queue.add(at(objects, i % OBJECTS));
      void queue.popNow(process);
    }
  };

  return [
    {
      name: 'indexer update, two indexes',
      peer: 'indexer update, two indexes',
      target: 1,
      times: 100_000,
      run: (times) => updateAll(indexer, times),
    },
    {
      name: 'indexer update, one of them a path',
      peer: 'indexer update, two indexes',
      target: 1,
      times: 100_000,
      run: (times) => updateAll(byPath, times),
    },
    {
      name: 'indexer update, key at hand, as in an informer',
      peer: 'indexer update, two indexes',
      target: 1,
      times: 100_000,
      run(times) {
        for (let i = 0; i < times; i++) {
          pipelineTable.put(at(Math.floor(i / OBJECTS) % 2 === 0 ? changed : cached, i % OBJECTS));
        }
      },
    },
    {
      name: 'getByKey',
      peer: 'getByKey',
      target: 1.25,
      times: 100_000,
      run(times) {
        sink.count += found(indexer, keys, times);
      },
    },
    {
      name: 'getByKey, keys as the store lists them',
      peer: 'getByKey, keys as the store lists them',
      target: 1.25,
      times: 100_000,
      run(times) {
        sink.count += found(indexer, listedKeys, times);
      },
    },
    {
      name: 'byIndex, 40 hits',
      peer: 'byIndex, 40 hits',
      target: 1,
      times: 5_000,
      run(times) {
        for (let i = 0; i < times; i++) sink.count += indexer.byIndex('node', at(nodeNames, i % NODES)).length;
      },
    },
    {
      name: 'list by label, 1 % of 20,000',
      peer: 'list by label, 1 % of 20,000',
      target: 0.1,
      times: 2,
      run(times) {
        for (let i = 0; i < times; i++) {
          sink.count += table.select(selector).map((object) => object.view()).length;
        }
      },
    },
    {
      name: 'DeltaFIFO add and popNow, one by one',
      peer: 'DeltaFIFO add and pop, one by one',
      target: 1,
      times: 100_000,
      run: (times) => oneByOne(fifo, first, times),
    },
    {
      name: 'DeltaFIFO add and popNow, one by one, key at hand, as in an informer',
      peer: 'DeltaFIFO add and pop, one by one',
      target: 1,
      times: 100_000,
      run: (times) => oneByOne(cachedFifo, cached, times),
    },
    {
      name: 'DeltaFIFO add and await pop, one by one',
      peer: 'DeltaFIFO add and pop, one by one',
      target: 1,
      times: 100_000,
      async run(times) {
        for (let i = 0; i < times; i++) {
          fifo.add(at(first, i % OBJECTS));
          await fifo.pop(process);
        }
      },
    },
    {
      name: 'DeltaFIFO add and popNow, 20,000 deep',
      peer: 'DeltaFIFO add and pop, 20,000 deep',
      target: 1,
      times: 100_000,
      run: (times) => fillAndDrain(fifo, first, times),
    },
    {
      name: 'DeltaFIFO add and popNow, 20,000 deep, key at hand, as in an informer',
      peer: 'DeltaFIFO add and pop, 20,000 deep',
      target: 1,
      times: 100_000,
      run: (times) => fillAndDrain(cachedFifo, cached, times),
    },
  ];
}
