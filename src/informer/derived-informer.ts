import type { Cached } from '../api/cached.ts';
import { FieldSelector } from '../api/field-selector.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { EventStream } from '../processor/event-stream.ts';
import type {
  HandlerOptions,
  HandlerRegistration,
  ResourceEvent,
  ResourceEventHandler,
} from '../processor/processor.ts';
import type { SubscribeOptions } from '../processor/shared-processor.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import { fieldSelection } from './field-selection.ts';
import type { EventsOptions, IndexerReader, Informer, WaitOptions } from './informer.ts';
import { Lister } from './lister.ts';
import { wantedNamespaces } from './namespaces.ts';
import { SelectedStore } from './selected-store.ts';
import type { SharedIndexInformer } from './shared-index-informer.ts';

/** Which part of the objects `select` gives. */
export interface SelectOptions {
  /** `app=web,tier in (api)`. */
  labelSelector?: string | LabelSelector;
  /**
   * `spec.nodeName=node-1,status.phase!=Failed`, on the fields that the server accepts for the kind; on any path of a custom
   * resource. Evaluated here, by the rules of the server: an absent boolean is `false`, an absent text is empty.
   */
  fieldSelector?: string | FieldSelector;
  /** Unset: all. `""`, or what cannot be a namespace, is a `TypeError`. */
  namespace?: string;
}

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
  constructor(upstream: SharedIndexInformer<T>, options: SelectOptions) {
    this.#upstream = upstream;
    const { namespace } = options;
    wantedNamespaces(namespace);
    this.#namespace = namespace;
    const labels =
      typeof options.labelSelector === 'string' ? LabelSelector.parse(options.labelSelector) : options.labelSelector;
    const fields =
      typeof options.fieldSelector === 'string' ? FieldSelector.parse(options.fieldSelector) : options.fieldSelector;
    const fieldsSelect = fields && fieldSelection<T>(fields, upstream.resource, upstream.whyNotHeld);
    this.#selects = (object) =>
      (namespace === undefined || object.namespace === namespace) &&
      (!labels || labels.matches(object.labels)) &&
      (!fieldsSelect || fieldsSelect(object));
    this.name = `${upstream.name}[${[namespace, labels?.toString(), fields?.toString()].filter(Boolean).join(' ')}]`;
    this.#selected = new SelectedStore(upstream, {
      namespace,
      labels: labels ?? LabelSelector.everything,
      selects: this.#selects,
    });
    this.store = this.#selected;
  }

  get indexer(): IndexerReader<T> {
    return this.store;
  }

  get state(): ReflectorState {
    return this.#upstream.state;
  }

  /** Itself, so that it can stand where `factory.for(resource)` stands. */
  informer(): this {
    return this;
  }

  lister(): Lister<T> {
    return new Lister(this.#selected);
  }

  addEventHandler(handler: ResourceEventHandler<T>, options: HandlerOptions<T> = {}): HandlerRegistration {
    return this.#upstream.listen(handler, this.#narrowed(options));
  }

  events(options: EventsOptions<T> = {}): AsyncIterableIterator<ResourceEvent<T>> {
    const { signal, ...rest } = options;
    return new EventStream<T>(
      (deliver, onEnd) => this.#upstream.subscribe(deliver, { ...this.#narrowed(rest), onRemove: onEnd }),
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
    if (this.#namespace !== undefined && typeof version === 'object') {
      const { name, namespace } = version.metadata ?? {};
      if (namespace !== this.#namespace) {
        throw new TypeError(`${this.name} never holds ${name}, which is not in namespace ${this.#namespace}`);
      }
    }
    return this.#upstream.waitFor(version, options);
  }

  lastSyncResourceVersion(): string {
    return this.#upstream.lastSyncResourceVersion();
  }

  isStopped(): boolean {
    return this.#upstream.isStopped();
  }

  #narrowed({ filter, ...rest }: HandlerOptions<T>): SubscribeOptions<T> {
    const selects = this.#selects;
    return {
      ...rest,
      filter: filter ? (object, view) => selects(object) && filter(view()) : (object) => selects(object),
    };
  }
}
