import type { Cached } from '../api/cached.ts';
import type { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { deletionHandlingKey } from '../api/key.ts';
import type { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { ObjectTable } from '../store/object-table.ts';
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
  readonly #upstream: { readonly table: ObjectTable<T> };
  readonly #selection: Selection<T>;

  constructor(upstream: { readonly table: ObjectTable<T> }, selection: Selection<T>) {
    this.#upstream = upstream;
    this.#selection = selection;
  }

  list(): Stored<T>[] {
    return this.#selected().map((object) => object.view());
  }

  listKeys(): string[] {
    return this.#selected().map((object) => object.key);
  }

  get(object: T | DeletedFinalStateUnknown<T>): Stored<T> | undefined {
    return this.getByKey(deletionHandlingKey(object));
  }

  getByKey(key: string): Stored<T> | undefined {
    const object = this.#upstream.table.get(key);
    return object && this.#selection.selects(object) ? object.view() : undefined;
  }

  /** By further labels, within the selection. */
  select(selector: LabelSelector, namespace?: string): Stored<T>[] {
    return this.#upstream.table
      .select(selector, namespace ?? this.#selection.namespace)
      .filter(this.#selection.selects)
      .map((object) => object.view());
  }

  byIndex(indexName: string, value: string): Stored<T>[] {
    return this.#upstream.table
      .byIndex(indexName, value)
      .filter(this.#selection.selects)
      .map((object) => object.view());
  }

  indexKeys(indexName: string, value: string): string[] {
    return this.#upstream.table
      .byIndex(indexName, value)
      .filter(this.#selection.selects)
      .map((object) => object.key)
      .sort();
  }

  #selected(): Cached<T>[] {
    const { labels, namespace, selects } = this.#selection;
    return this.#upstream.table.select(labels, namespace).filter(selects);
  }
}
