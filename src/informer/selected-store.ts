import type { Cached } from '../api/cached.ts';
import type { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { FieldPath } from '../api/field-path.ts';
import { deletionHandlingKey } from '../api/key.ts';
import type { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { IndexDefinition } from '../store/index-definition.ts';
import type { ObjectTable } from '../store/object-table.ts';
import { type ProjectedRow, type ProjectionOptions, project } from '../store/projection.ts';
import { KeptObject, viewsOf, viewsOneByOne } from '../store/store.ts';
import type { IndexerReader } from './informer.ts';

export interface Selection<T extends KubernetesObject> {
  namespace: string | undefined;
  /** Used to find candidates by index. */
  labels: LabelSelector;
  /** Has the last word on each object. */
  selects: (object: Cached<T>) => boolean;
}

/** The part of a shared store that a selection lets through. Holds nothing itself. */
export class SelectedStore<T extends KubernetesObject> implements IndexerReader<T> {
  readonly #table: ObjectTable<T>;
  readonly #selection: Selection<T>;

  constructor(table: ObjectTable<T>, selection: Selection<T>) {
    this.#table = table;
    this.#selection = selection;
  }

  get size(): number {
    return this.#selected().length;
  }

  list(): Stored<T>[] {
    return viewsOf(this.#selected());
  }

  /** Each made when it is asked for: what was selected when the iteration began. */
  values(selector = this.#selection.labels, namespace?: string): IterableIterator<Stored<T>> {
    return viewsOneByOne(this.#found(selector, namespace));
  }

  project<const Paths extends readonly FieldPath<T>[]>(paths: Paths, of?: ProjectionOptions): ProjectedRow<T, Paths>[] {
    if (of === undefined) return project(this.#selected(), paths);
    return project(this.#indexed(of.index, of.value), paths);
  }

  listKeys(): string[] {
    return this.#selected().map((object) => object.key);
  }

  get(object: T | DeletedFinalStateUnknown<T>): Stored<T> | undefined {
    return this.getByKey(deletionHandlingKey(object));
  }

  getByKey(key: string): Stored<T> | undefined {
    const object = this.#table.get(key);
    return object && this.#selection.selects(object) ? object.view() : undefined;
  }

  /** By further labels, within the selection. */
  select(selector: LabelSelector, namespace?: string): Stored<T>[] {
    return viewsOf(this.#found(selector, namespace));
  }

  /** All that are selected and share at least one value of the index with `object`, which need not be stored. */
  index(indexName: string, object: T): Stored<T>[] {
    const probe = new KeptObject('the object that was asked about', object);
    return viewsOf(this.#table.sharing(indexName, probe).filter(this.#selection.selects));
  }

  /** Every value that an object of the selection has now. Costs a look at each object of the informer. */
  listIndexFuncValues(indexName: string): string[] {
    return this.#table.indexValues(indexName).filter((value) => this.#indexed(indexName, value).length > 0);
  }

  getIndexers(): Record<string, IndexDefinition<T>> {
    return this.#table.getIndexers();
  }

  lastStoreSyncResourceVersion(): string {
    return this.#table.resourceVersion;
  }

  byIndex(indexName: string, value: string): Stored<T>[] {
    return viewsOf(this.#indexed(indexName, value));
  }

  indexKeys(indexName: string, value: string): string[] {
    return this.#indexed(indexName, value)
      .map((object) => object.key)
      .sort();
  }

  #indexed(indexName: string, value: string): Cached<T>[] {
    return this.#table.byIndex(indexName, value).filter(this.#selection.selects);
  }

  #selected(): Cached<T>[] {
    return this.#found(this.#selection.labels);
  }

  #found(selector: LabelSelector, namespace = this.#selection.namespace): Cached<T>[] {
    return this.#table.select(selector, namespace).filter(this.#selection.selects);
  }
}
