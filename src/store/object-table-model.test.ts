import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject, ObjectMeta } from '../api/metadata.ts';
import { type Indexers, metaNamespaceIndex, NAMESPACE_INDEX } from './index-definition.ts';
import { IndexError } from './index-error.ts';
import { ObjectTable } from './object-table.ts';
import { KeptObject } from './store.ts';

interface Thing extends KubernetesObject {
  metadata: ObjectMeta;
  tags: string[];
}

/** Some objects in the background, so that labels are looked up in an index. */
const BACKGROUND = Array.from({ length: 140 }, (_, i) => thing(`bg-${i}`, `ns${i % 3}`, { a: `${i % 7}`, b: 'x' }, []));

const anyName = fc.constantFrom('p', 'q', 'r', '__proto__');
const anyNamespace = fc.constantFrom('', 'ns0', 'ns1', 'ns2', 'elsewhere');
const anyLabels = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), fc.constantFrom('1', '2', 'x', ''), {
  maxKeys: 3,
});
const anyTags = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.constantFrom('t1', 't2', 't3', ''), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant<string[]>(['bad']) },
);
// Few keys, so that objects change rather than accumulate.
const anyThing = fc
  .tuple(anyName, fc.constantFrom('', 'ns0'), anyLabels, anyTags)
  .map(([name, namespace, labels, tags]) => thing(name, namespace, labels, tags));

type Step =
  | { do: 'put'; thing: Thing }
  | { do: 'remove'; name: string; namespace: string }
  | { do: 'replaceAll'; things: Thing[]; withBackground: boolean }
  | { do: 'addIndexers'; names: string[] }
  | { do: 'select'; selector: string; namespace: string };

const anySelector = fc
  .array(
    fc.constantFrom('a=1', 'a==x', 'b in (x,1)', 'c', 'a', '!c', 'b!=x', 'a notin (1,2)', 'constructor', 'a>3', 'c=2'),
    { maxLength: 3 },
  )
  .map((terms) => terms.join(','));

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('put' as const), thing: anyThing }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name: anyName, namespace: anyNamespace }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('replaceAll' as const),
      things: fc.array(anyThing, { maxLength: 5 }),
      withBackground: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('addIndexers' as const),
      names: fc.subarray([NAMESPACE_INDEX, 'tags', 'strict', 'path', 'label'], { minLength: 1 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('select' as const), selector: anySelector, namespace: anyNamespace }),
  },
);

const ALL_INDEXERS: Indexers<Thing> = {
  [NAMESPACE_INDEX]: metaNamespaceIndex,
  tags: ({ tags }) => tags,
  strict({ tags }) {
    if (tags.includes('bad')) throw new Error('a bad tag');
    return tags;
  },
  path: 'tags.*',
  label: 'metadata.labels.a',
};

/** What each index must say, from the definitions above and nothing else. */
const EXPECTED: Record<string, (object: Thing) => readonly string[]> = {
  [NAMESPACE_INDEX]: ({ metadata }) => [metadata.namespace ?? ''],
  tags: ({ tags }) => tags,
  strict: ({ tags }) => tags,
  path: ({ tags }) => tags,
  label: ({ metadata }) => (metadata.labels?.a === undefined ? [] : [metadata.labels.a]),
};

function thing(name: string, namespace: string, labels: Record<string, string>, tags: string[]): Thing {
  return { metadata: { name, ...(namespace === '' ? {} : { namespace }), labels }, tags };
}

const keyOf = ({ metadata }: Thing) => `${metadata.namespace ?? ''}/${metadata.name}`;
const cached = (object: Thing) => new KeptObject(keyOf(object), object);
const keysOf = (objects: Iterable<{ key: string }>) => Array.from(objects, ({ key }) => key).sort();

class Model {
  readonly table = new ObjectTable<Thing>();
  objects = new Map<string, Thing>();
  readonly indexes = new Set<string>();

  constructor() {
    this.run({ do: 'addIndexers', names: ['tags'] });
    this.table.replaceAll(BACKGROUND.map(cached), '');
    this.objects = new Map(BACKGROUND.map((object) => [keyOf(object), object]));
  }

  run(step: Step): void {
    switch (step.do) {
      case 'put': {
        if (this.#isRefused([step.thing])) expect(() => this.table.put(cached(step.thing))).toThrow(IndexError);
        else {
          const old = this.table.put(cached(step.thing));
          expect(old?.view()).toBe(this.objects.get(keyOf(step.thing)));
          this.objects.set(keyOf(step.thing), step.thing);
        }
        break;
      }
      case 'remove': {
        const key = `${step.namespace}/${step.name}`;
        expect(this.table.remove(key)?.view()).toBe(this.objects.get(key));
        this.objects.delete(key);
        break;
      }
      case 'replaceAll': {
        const list = [...(step.withBackground ? BACKGROUND : []), ...step.things];
        const all = new Map(list.map((object) => [keyOf(object), object]));
        const replace = () => this.table.replaceAll(list.map(cached), '');
        if (this.#isRefused(all.values())) expect(replace).toThrow(IndexError);
        else {
          replace();
          this.objects = all;
        }
        break;
      }
      case 'addIndexers': {
        const added = Object.fromEntries(
          step.names.map((name) => [name, ALL_INDEXERS[name] ?? ('metadata.uid' as const)]),
        );
        const isTaken = step.names.some((name) => this.indexes.has(name));
        const fails =
          step.names.includes('strict') && [...this.objects.values()].some(({ tags }) => tags.includes('bad'));
        if (isTaken || fails) expect(() => this.table.addIndexers(added)).toThrow(IndexError);
        else {
          this.table.addIndexers(added);
          for (const name of step.names) this.indexes.add(name);
        }
        break;
      }
      case 'select': {
        const selector = LabelSelector.parse(step.selector);
        const expected = [...this.objects].filter(
          ([, { metadata }]) =>
            selector.matches(metadata.labels) && (step.namespace === '' || metadata.namespace === step.namespace),
        );
        expect(keysOf(this.table.select(selector, step.namespace))).toEqual(expected.map(([key]) => key).sort());
        break;
      }
    }
  }

  check(): void {
    expect([...this.table.keys()].sort()).toEqual([...this.objects.keys()].sort());
    expect(new Set(this.table.values().map((object) => object.view()))).toEqual(new Set(this.objects.values()));
    expect(Object.keys(this.table.getIndexers()).sort()).toEqual([...this.indexes].sort());
    for (const name of this.indexes) {
      const byValue = new Map<string, string[]>();
      for (const [key, object] of this.objects) {
        for (const value of new Set(EXPECTED[name]?.(object))) byValue.set(value, [...(byValue.get(value) ?? []), key]);
      }
      expect(this.table.indexValues(name).sort()).toEqual([...byValue.keys()].sort());
      for (const [value, keys] of byValue) expect(this.table.indexKeys(name, value)).toEqual(keys.sort());
    }
  }

  #isRefused(objects: Iterable<Thing>): boolean {
    return this.indexes.has('strict') && [...objects].some(({ tags }) => tags.includes('bad'));
  }
}

describe('whatever is written, and however index functions fail', () => {
  it('the table and its indices are what a look at every object would say', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 5, maxLength: 40 }), (steps) => {
        const model = new Model();
        for (const step of steps) {
          model.run(step);
          if (step.do !== 'select') model.check();
        }
      }),
      { numRuns: 200 },
    );
  });
});
