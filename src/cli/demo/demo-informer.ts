import { metaNamespaceKey } from '../../api/key.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import type { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import type { Clock } from '../../observe/clock.ts';
import type { HandlerRegistration } from '../../processor/processor.ts';
import { RateMeter } from '../rate-meter.ts';
import type { EventLog } from './event-log.ts';

/** An informer of the demo, and what is to be seen of it. */
export class DemoInformer<T extends KubernetesObject = KubernetesObject> {
  readonly title: string;
  readonly informer: SharedIndexInformer<T>;
  readonly rate: RateMeter;
  readonly registration: HandlerRegistration;
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(title: string, informer: SharedIndexInformer<T>, { clock, log }: { clock: Clock; log: EventLog }) {
    this.title = title;
    this.informer = informer;
    this.rate = new RateMeter(clock);
    this.registration = informer.addEventHandler(
      {
        onAdd: (object, isInInitialList) => {
          this.#seen(object);
          log.add('add', `ADD    ${title} ${named(object)}${isInInitialList ? ' (first list)' : ''}`);
        },
        onUpdate: (old, object) => {
          this.#seen(object);
          const [before, after] = [versionOf(old), versionOf(object)];
          log.add('update', `UPDATE ${title} ${named(object)}${before === after ? ' (resync)' : ''}`);
        },
        onDelete: (object, finalStateUnknown) => {
          this.#forget(metaNamespaceKey(object));
          this.rate.count();
          log.add('delete', `DELETE ${title} ${named(object)}${finalStateUnknown ? ' (found missing by a list)' : ''}`);
        },
      },
      { name: 'screen' },
    );
  }

  /** The size of what the cache holds, as JSON. */
  get bytes(): number {
    return this.#bytes;
  }

  #seen(object: T): void {
    const key = metaNamespaceKey(object);
    this.#forget(key);
    const size = JSON.stringify(object).length;
    this.#sizes.set(key, size);
    this.#bytes += size;
    this.rate.count();
  }

  #forget(key: string): void {
    this.#bytes -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
  }
}

function named(object: KubernetesObject): string {
  return `${metaNamespaceKey(object)} at ${versionOf(object)}`;
}

function versionOf(object: KubernetesObject): string {
  return object.metadata?.resourceVersion ?? '';
}
