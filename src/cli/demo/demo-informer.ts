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

  constructor(title: string, informer: SharedIndexInformer<T>, { clock, log }: { clock: Clock; log: EventLog }) {
    this.title = title;
    this.informer = informer;
    this.rate = new RateMeter(clock);
    this.registration = informer.addEventHandler(
      {
        onAdd: (object, isInInitialList) => {
          this.rate.count();
          log.add('add', `ADD    ${title} ${named(object)}${isInInitialList ? ' (first list)' : ''}`);
        },
        onUpdate: (old, object) => {
          this.rate.count();
          const [before, after] = [versionOf(old), versionOf(object)];
          log.add('update', `UPDATE ${title} ${named(object)}${before === after ? ' (resync)' : ''}`);
        },
        onDelete: (object, finalStateUnknown) => {
          this.rate.count();
          log.add('delete', `DELETE ${title} ${named(object)}${finalStateUnknown ? ' (found missing by a list)' : ''}`);
        },
      },
      { name: 'screen' },
    );
  }
}

function named(object: KubernetesObject): string {
  return `${metaNamespaceKey(object)} at ${versionOf(object)}`;
}

function versionOf(object: KubernetesObject): string {
  return object.metadata?.resourceVersion ?? '';
}
