import type { Cached } from '../api/cached.ts';
import { FieldSelector } from '../api/field-selector.ts';
import { splitMetaNamespaceKey } from '../api/key.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { anything, aSelector, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { EventStream } from '../processor/event-stream.ts';
import type {
  HandlerOptions,
  HandlerRegistration,
  ResourceEvent,
  ResourceEventHandler,
} from '../processor/processor.ts';
import type { Indexers } from '../store/index-definition.ts';
import { EVENTS_CHECKS, HANDLER_CHECKS, onViews } from './call-options.ts';
import { wantedNamespaces } from './coverage.ts';
import { fieldSelection } from './field-selection.ts';
import type { EventsOptions, IndexerReader, Informer, WaitOptions } from './informer.ts';
import type { InformerState } from './informer-state.ts';
import { Lister } from './lister.ts';
import { SelectedStore } from './selected-store.ts';
import type { SharedIndexInformer } from './shared-index-informer.ts';
import type { StatesOptions } from './state-stream.ts';

/** Which part of the objects `select` gives. */
export interface SelectOptions {
  /** `app=web,tier in (api)`. */
  labelSelector?: string | LabelSelector | undefined;
  /**
   * `spec.nodeName=node-1,status.phase!=Failed`, on the fields that the server accepts for the kind; on any path of a custom
   * resource. Evaluated here, by the rules of the server: an absent boolean is `false`, an absent text is empty.
   */
  fieldSelector?: string | FieldSelector | undefined;
  /** Unset: all. `""`, or what cannot be a namespace, is a `TypeError`. */
  namespace?: string | undefined;
}

/** `namespace` has a check of its own: see `wantedNamespaces`. */
const SELECT_CHECKS: OptionChecks<SelectOptions> = {
  labelSelector: aSelector,
  fieldSelector: aSelector,
  namespace: anything,
};

/**
 * A part of a shared informer, by selector: the same watch, the same store, the same start and stop. Its handlers hear
 * only of what is selected; an object that enters the selection is an add for them, and one that leaves it a delete.
 */
export class DerivedInformer<T extends KubernetesObject> implements Informer<T> {
  readonly name: string;
  readonly store: IndexerReader<T>;
  readonly #upstream: SharedIndexInformer<T>;
  readonly #selected: SelectedStore<T>;
  readonly #namespace: string | undefined;
  readonly #selects: (object: Cached<T>) => boolean;

  /** Throws `SelectorError`, also for a field that the server does not know of the kind, or that the cache leaves out. */
  constructor(upstream: SharedIndexInformer<T>, given: SelectOptions) {
    this.#upstream = upstream;
    const options = checkedOptions(`select of ${upstream.name}`, given, SELECT_CHECKS);
    const { namespace, labelSelector, fieldSelector } = options;
    wantedNamespaces(namespace);
    this.#namespace = namespace;
    const labels = labelSelector && LabelSelector.parse(labelSelector);
    const fields = fieldSelector && FieldSelector.parse(fieldSelector);
    const fieldsSelect = fields && fieldSelection<T>(fields, upstream.resource, upstream.whyNotHeld);
    this.#selects = (object) =>
      (namespace === undefined || object.namespace === namespace) &&
      (!labels || labels.matches(object.labels)) &&
      (!fieldsSelect || fieldsSelect(object));
    this.name = `${upstream.name}[${[namespace, labels, fields]
      .map((part) => part?.toString())
      .filter(Boolean)
      .join(' ')}]`;
    const selection = { namespace, labels: labels || LabelSelector.everything, selects: this.#selects };
    this.#selected = new SelectedStore(upstream.table, selection);
    this.store = this.#selected;
  }

  get indexer(): IndexerReader<T> {
    return this.store;
  }

  get state(): InformerState {
    return this.#upstream.state;
  }

  states(options?: StatesOptions): AsyncIterableIterator<InformerState> {
    return this.#upstream.states(options);
  }

  /** Itself, so that it can stand where `factory.for(resource)` stands. */
  informer(): this {
    return this;
  }

  /** Reads what it selects. */
  lister(): Lister<T> {
    const selected = this.#selected;
    return new Lister({
      getByKey: (key) => selected.getByKey(key),
      select: (selector, namespace) => selected.select(selector, namespace),
      values: (selector, namespace) => selected.values(selector, namespace),
      checkKey: this.#upstream.checkKey,
    });
  }

  addEventHandler(handler: ResourceEventHandler<T>, options: HandlerOptions<T> = {}): HandlerRegistration {
    const checked = checkedOptions(`a handler of ${this.name}`, options, HANDLER_CHECKS);
    return this.#upstream.listen(handler, onViews(checked, this.#selects));
  }

  events(options: EventsOptions<T> = {}): AsyncIterableIterator<ResourceEvent<T>> {
    const { signal, ...rest } = checkedOptions(`events of ${this.name}`, options, EVENTS_CHECKS);
    return new EventStream<T>(
      (deliver, onEnd) => this.#upstream.subscribe(deliver, { ...onViews(rest, this.#selects), onRemove: onEnd }),
      signal,
    );
  }

  hasSynced(): boolean {
    return this.#upstream.hasSynced();
  }

  waitForSync(options?: WaitOptions): Promise<boolean> {
    return this.#upstream.waitForSync(options);
  }

  async waitFor(version: string | KubernetesObject, options?: WaitOptions): Promise<void> {
    if (typeof version === 'object' && version !== null)
      this.#mustCover(version.metadata?.namespace, version.metadata?.name);
    return this.#upstream.waitFor(version, options);
  }

  waitUntil<R extends Stored<T> | undefined>(
    key: string,
    predicate: (object: Stored<T> | undefined) => object is R,
    options?: WaitOptions,
  ): Promise<R>;
  waitUntil(
    key: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<Stored<T> | undefined>;
  /** As that of the informer; an object that is not selected is absent. */
  async waitUntil(
    key: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    options: WaitOptions = {},
  ): Promise<Stored<T> | undefined> {
    this.#mustCover(splitMetaNamespaceKey(key).namespace, key);
    return this.#upstream.waitUntilSelected(key, predicate, this.#selects, options);
  }

  /** Adds them to the informer that this is a part of, for all who share it. */
  addIndexers(indexers: Indexers<T>): void {
    this.#upstream.addIndexers(indexers);
  }

  lastSyncResourceVersion(): string {
    return this.#upstream.lastSyncResourceVersion();
  }

  isStopped(): boolean {
    return this.#upstream.isStopped();
  }

  #mustCover(namespace: string | undefined, what: string | undefined): void {
    if (this.#namespace === undefined || namespace === this.#namespace) return;
    throw new TypeError(`${this.name} never holds ${what}, which is not in namespace ${this.#namespace}`);
  }
}
