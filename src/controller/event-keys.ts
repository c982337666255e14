import { objectKey } from '../api/key.ts';
import type { KubernetesObject, OwnerReference, Stored } from '../api/metadata.ts';
import { isPromise } from '../api/promise-like.ts';
import { aKind, parseApiVersion, type Resource } from '../api/resource.ts';
import type { Notification } from '../processor/notification.ts';
import type { ResourceEvent } from '../processor/processor.ts';
import type { Trigger } from './controller-definition.ts';

type Change = Notification<KubernetesObject>;

/** What is wrong with a key for a kind; undefined when nothing is. */
export function keyProblem(key: unknown, { namespaced, kind }: Resource): string | undefined {
  if (typeof key !== 'string') return `a key must be a string, not ${typeof key}`;
  const wanted = namespaced ? /^[^/]+\/[^/]+$/ : /^[^/]+$/;
  if (wanted.test(key)) return undefined;
  return `"${key}" cannot be the key of ${aKind(kind)}, which is ${namespaced ? '"namespace/name"' : 'its name alone'}`;
}

/** Whether the event may cause a run. Throws what the predicate throws, and for an answer that is a promise. */
export function passes(trigger: Trigger, change: Change): boolean {
  if (trigger.when === undefined) return true;
  const answer: unknown = trigger.when(change.toEvent() as ResourceEvent<KubernetesObject>);
  if (isPromise(answer)) throw new TypeError('it returned a promise, and must return true or false');
  return Boolean(answer);
}

/**
 * The keys that `watches` makes of a change, of the old and the new object, each once, as they are asked for. What goes wrong is told, and the
 * rest counts.
 */
export function* mappedKeys(
  trigger: Trigger,
  change: Change,
  resource: Resource,
  onFailure: (error: unknown) => void,
): Generator<string, void> {
  const seen = new Set<string>();
  function* collect(view: () => KubernetesObject) {
    try {
      const returned: unknown = trigger.map?.(view() as Stored<KubernetesObject>);
      for (const key of iterable(returned)) {
        const problem = keyProblem(key, resource);
        if (problem !== undefined) onFailure(new TypeError(`it returned a wrong key: ${problem}`));
        else if (!seen.has(key as string)) {
          seen.add(key as string);
          yield key as string;
        }
      }
    } catch (error) {
      onFailure(error);
    }
  }
  if (change.type === 'update' && change.old !== change.object) yield* collect(() => change.oldView());
  yield* collect(() => change.view());
}

function iterable(returned: unknown): Iterable<unknown> {
  if (returned === undefined || returned === null) return [];
  // A string can be iterated, too, letter by letter.
  if (typeof returned === 'string') return [returned];
  if (isPromise(returned)) throw new TypeError('it returned a promise, and must return keys');
  if (typeof (returned as Iterable<unknown>)[Symbol.iterator] === 'function') return returned as Iterable<unknown>;
  throw new TypeError(`it returned ${typeof returned}, and must return keys, or nothing`);
}

/** The controller owner of a kind, of the old and the new object: its reference by its key. */
export function owners(change: Change, resource: Resource): Map<string, OwnerReference> {
  const found = new Map<string, OwnerReference>();
  const collect = (object: KubernetesObject) => {
    const owner = object.metadata?.ownerReferences?.find((reference) => isOwner(reference, resource));
    if (owner) found.set(objectKey(resource.namespaced ? object.metadata?.namespace : '', owner.name), owner);
  };
  if (change.type === 'update' && change.old !== change.object) collect(change.oldView());
  collect(change.view());
  return found;
}

/** By group and kind, as in controller-runtime: the version may be another, and the uid shows when the owner is read. */
function isOwner(reference: OwnerReference, { group, kind }: Resource): boolean {
  return (
    reference.controller === true && reference.kind === kind && parseApiVersion(reference.apiVersion).group === group
  );
}
