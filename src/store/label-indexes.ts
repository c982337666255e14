import type { LabelRequirement } from '../api/label-selector-parser.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { labelOf } from './index-path.ts';
import type { IndexReader, ValueIndex } from './value-index.ts';

/** Up to this many objects are faster to look through than to index. */
const FEW = 128;

/** Selectors may come from users of a dashboard: the index that was used the longest ago makes room for another. */
const MOST_LABELS = 16;

/** An index for each label key that selectors have asked for, built when it is first asked for and kept up to date since. */
export class LabelIndexes<T extends KubernetesObject> {
  /** By label key; the one used last is the last. */
  readonly #byKey = new Map<string, ValueIndex<T>>();
  readonly #build: (read: IndexReader<T>, replaced: ValueIndex<T> | undefined) => ValueIndex<T>;

  /** `build` makes an index of every object and keeps it up to date, in the place of `replaced` if there is one. */
  constructor(build: (read: IndexReader<T>, replaced: ValueIndex<T> | undefined) => ValueIndex<T>) {
    this.#build = build;
  }

  clear(): void {
    this.#byKey.clear();
  }

  /**
   * The smallest lists of rows that together hold all that can satisfy the requirements, or undefined when none are
   * smaller than `count` rows that the caller has to look through otherwise.
   */
  narrow(requirements: readonly LabelRequirement[], count: number): (readonly number[])[] | undefined {
    let best: (readonly number[])[] | undefined;
    let left = count;
    for (const { key, operator, values } of requirements) {
      if (left <= FEW) break;
      if (operator !== '=' && operator !== '==' && operator !== 'in' && operator !== 'exists') continue;
      const index = this.#indexOf(key);
      const lists = operator === 'exists' ? index.allRows() : rowsOf(index, values);
      const size = lists.reduce((sum, rows) => sum + rows.length, 0);
      if (size >= left) continue;
      best = lists;
      left = size;
    }
    return best;
  }

  #indexOf(key: string): ValueIndex<T> {
    let index = this.#byKey.get(key);
    if (index === undefined) {
      const [oldest] = this.#byKey.size < MOST_LABELS ? [] : this.#byKey;
      index = this.#build((cached) => labelOf(cached, key), oldest?.[1]);
      if (oldest !== undefined) this.#byKey.delete(oldest[0]);
    } else {
      this.#byKey.delete(key);
    }
    this.#byKey.set(key, index);
    return index;
  }
}

function rowsOf<T extends KubernetesObject>(index: ValueIndex<T>, values: readonly string[]): (readonly number[])[] {
  return Array.from(new Set(values), (value) => index.rows(value)).filter((rows) => rows !== undefined);
}
