import type { LabelRequirement } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { labelOf } from './index-path.ts';
import type { Entry, IndexReader, ValueIndex } from './value-index.ts';

/** So many objects are faster looked through than indexed. */
const FEW = 128;

/** Selectors may come from users of a dashboard: the index that was used the longest ago makes room for another. */
const MOST_LABELS = 16;

/** An index for each label key that selectors have asked for, built when it is first asked for and kept up to date since. */
export class LabelIndexes<T extends KubernetesObject> {
  /** By label key; the one used last is the last. */
  readonly #byKey = new Map<string, ValueIndex<T>>();
  readonly #build: (read: IndexReader<T>, slot?: number) => ValueIndex<T>;

  /** `build` makes an index of every object, and keeps it up to date in the place of the one that had that slot, if any. */
  constructor(build: (read: IndexReader<T>, slot?: number) => ValueIndex<T>) {
    this.#build = build;
  }

  clear(): void {
    this.#byKey.clear();
  }

  /**
   * The smallest sets of entries that together hold all that can satisfy the requirements, or undefined when none are
   * smaller than `count` entries that the caller has to look through otherwise.
   */
  narrow(requirements: readonly LabelRequirement[], count: number): ReadonlySet<Entry<T>>[] | undefined {
    let best: ReadonlySet<Entry<T>>[] | undefined;
    let left = count;
    for (const { key, operator, values } of requirements) {
      if (left <= FEW) break;
      if (operator !== '=' && operator !== '==' && operator !== 'in' && operator !== 'exists') continue;
      const index = this.#indexOf(key);
      const sets = operator === 'exists' ? index.allMembers() : membersOf(index, values);
      const size = sets.reduce((sum, set) => sum + set.size, 0);
      if (size >= left) continue;
      best = sets;
      left = size;
    }
    return best;
  }

  #indexOf(key: string): ValueIndex<T> {
    let index = this.#byKey.get(key);
    if (index !== undefined) {
      this.#byKey.delete(key);
    } else {
      index = this.#build((cached) => labelOf(cached, key), this.#makeRoom());
    }
    this.#byKey.set(key, index);
    return index;
  }

  /** The slot of the index that had to go, if one had to. */
  #makeRoom(): number | undefined {
    if (this.#byKey.size < MOST_LABELS) return undefined;
    for (const [key, { slot }] of this.#byKey) {
      this.#byKey.delete(key);
      return slot;
    }
    return undefined;
  }
}

function membersOf<T extends KubernetesObject>(
  index: ValueIndex<T>,
  values: readonly string[],
): ReadonlySet<Entry<T>>[] {
  const sets: ReadonlySet<Entry<T>>[] = [];
  for (const value of new Set(values)) {
    const members = index.members(value);
    if (members !== undefined) sets.push(members);
  }
  return sets;
}
