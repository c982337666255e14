import type { KubernetesObject } from '../api/metadata.ts';
import type { ResourceEvent } from '../processor/processor.ts';
import type { Predicate } from './controller.ts';

/**
 * Every add and delete, and the updates that move `metadata.generation`: changes of the spec, but not of status, labels, annotations or
 * finalizers. For a kind whose objects have no generation, as ConfigMaps, every update that changes something.
 */
export function generationChanged(event: ResourceEvent<KubernetesObject>): boolean {
  if (event.type !== 'update') return true;
  const [before, after] = [event.oldObject.metadata, event.object.metadata];
  if (before?.generation === undefined && after?.generation === undefined) {
    return before?.resourceVersion !== after?.resourceVersion;
  }
  return before?.generation !== after?.generation;
}

/** Every add and delete, and the updates that change the labels. */
export function labelsChanged(event: ResourceEvent<KubernetesObject>): boolean {
  return event.type !== 'update' || differ(event.oldObject.metadata?.labels, event.object.metadata?.labels);
}

/** Every add and delete, and the updates that change the annotations. */
export function annotationsChanged(event: ResourceEvent<KubernetesObject>): boolean {
  return event.type !== 'update' || differ(event.oldObject.metadata?.annotations, event.object.metadata?.annotations);
}

/** What passes one of them at least. */
export function or<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** What passes all of them. */
export function and<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** What does not pass it. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

function differ(before: Readonly<Record<string, string>> = {}, after: Readonly<Record<string, string>> = {}): boolean {
  const names = Object.keys(before);
  if (names.length !== Object.keys(after).length) return true;
  return names.some((name) => !Object.hasOwn(after, name) || before[name] !== after[name]);
}
