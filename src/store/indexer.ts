import type { FieldPath } from '../api/field-path.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { anObject, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { IndexDefinition, Indexers } from './index-definition.ts';
import { type ProjectedRow, type ProjectionOptions, project } from './projection.ts';
import { KeptObject, STORE_CHECKS, Store, type StoreOptions, viewsOf } from './store.ts';

/** Options of `Indexer`. */
export interface IndexerOptions<T extends KubernetesObject> extends StoreOptions<T> {
  /** Default: none. */
  indexers?: Indexers<T> | undefined;
}

const INDEXER_CHECKS: OptionChecks<IndexerOptions<KubernetesObject>> = { ...STORE_CHECKS, indexers: anObject };

/**
 * A store in which objects can also be found by what an index says of them. Each method throws `IndexError` when there is
 * no index of that name; each write throws it when an index function fails on the object, which is then not stored.
 * client-go's `cache.Indexer`.
 */
export class Indexer<T extends KubernetesObject = KubernetesObject> extends Store<T> {
  constructor(options: IndexerOptions<T> = {}) {
    const { indexers, ...rest } = checkedOptions(new.target.name, options, INDEXER_CHECKS);
    super(rest);
    if (indexers !== undefined) this.table.addIndexers(indexers);
  }

  /** All that share at least one value of the index with `obj`, which need not be stored. */
  index(indexName: string, obj: T): Stored<T>[] {
    return viewsOf(this.table.sharing(indexName, new KeptObject('the object that was asked about', obj)));
  }

  /** The keys of those under that value, sorted. */
  indexKeys(indexName: string, indexedValue: string): string[] {
    return this.table.indexKeys(indexName, indexedValue);
  }

  /** Every value that an object has now. */
  listIndexFuncValues(indexName: string): string[] {
    return this.table.indexValues(indexName);
  }

  /** Those under that value of the index. */
  byIndex(indexName: string, indexedValue: string): Stored<T>[] {
    return viewsOf(this.table.byIndex(indexName, indexedValue));
  }

  /**
   * What the paths lead to in each object, or in those that an index has under a value: a row of columns for each, in no promised
   * order. A compact cache reads them from its bytes, without making views. What a row holds is the caller's own, except in a cache of
   * plain objects. Throws `IndexError` for a path with an empty segment.
   */
  project<const Paths extends readonly FieldPath<T>[]>(paths: Paths, of?: ProjectionOptions): ProjectedRow<T, Paths>[] {
    return project(of === undefined ? this.table.values() : this.table.byIndex(of.index, of.value), paths);
  }

  /** Also when there are objects. All or none: a name that is taken, or a function that fails, is an `IndexError`. */
  addIndexers(indexers: Indexers<T>): void {
    this.table.addIndexers(indexers);
  }

  /** The indexes by name, as they were defined. */
  getIndexers(): Record<string, IndexDefinition<T>> {
    return this.table.getIndexers();
  }
}
