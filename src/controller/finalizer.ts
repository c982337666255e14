import { ApiError } from '../api/api-error.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { reductionOf } from '../api/origin.ts';
import type { MergePatch } from '../api/patch.ts';
import type { Resource } from '../api/resource.ts';
import type { Reconcile, ReconcileContext } from './controller.ts';
import { type CheckedResult, checkedResult } from './reconcile-result.ts';

/** The context of a run whose object is there. */
export type CleanupContext<T extends KubernetesObject> = ReconcileContext<T> & { readonly object: Stored<T> };

/**
 * Undoes what the controller has done outside of the object, before the object is gone. It is called again when it throws, and after it has
 * succeeded when the finalizer could not be removed: it must give the same end then. A result with `requeueAfterMs` means that it is not done yet:
 * the finalizer stays, and it is called again after that time.
 */
export type Cleanup<T extends KubernetesObject> = (context: CleanupContext<T>) => ReturnType<Reconcile<T>>;

/** What `withFinalizer` has made. */
const guards = new WeakSet<object>();

/**
 * A reconcile for objects that must not go before `cleanup` has succeeded. The finalizer is added before the first call of `reconcile`. When the
 * object is to be deleted, `cleanup` is called instead, and then this finalizer is removed; those of others stay. An object that is to be
 * deleted and does not have this finalizer is left alone, unless `reconcile` has a finalizer, too: each is cleaned up, the outer one first.
 * Both patches carry the resourceVersion, because a merge patch replaces the whole list: when the object has changed since it was cached,
 * the run fails with the conflict, and is retried with the newer object.
 */
export function withFinalizer<T extends KubernetesObject>(
  name: string,
  cleanup: Cleanup<T>,
  reconcile: Reconcile<T>,
  resource: Resource<T>,
): Reconcile<T> {
  checkFinalizer(name);
  // What is to be deleted reaches other finalizers, and no reconcile.
  const cleanUpNext: Reconcile<T> = guards.has(reconcile) ? reconcile : () => undefined;
  const guard: Reconcile<T> = async (context) => {
    if (context.object === undefined) return reconcile(context);
    const object = await whole(context, resource, context.object);
    if (object === undefined) return undefined;
    const finalizers = object.metadata.finalizers ?? [];
    const isThere = finalizers.includes(name);
    if (object.metadata.deletionTimestamp !== undefined) {
      if (!isThere) return cleanUpNext(withObject(context, object));
      const result = checkedCleanup(name, await cleanup(withObject(context, object)));
      if (result.requeueAfterMs !== undefined) return result;
      const others = finalizers.filter((one) => one !== name);
      const left = await patchFinalizers(context, resource, object, others);
      return left && cleanUpNext(withObject(context, left));
    }
    if (isThere) return reconcile(context);
    const guarded = await patchFinalizers(context, resource, object, [...finalizers, name]);
    // Gone in the meantime: its deletion causes a run of its own.
    return guarded && reconcile(withObject(context, guarded));
  };
  guards.add(guard);
  return guard;
}

/** What a cleanup asked for. One that returned something else may not be done, so the finalizer must stay: it throws. */
function checkedCleanup(name: string, returned: unknown): CheckedResult {
  const result = checkedResult(returned);
  if (result.complaint === undefined) return result;
  throw new TypeError(`the cleanup of the finalizer ${name} ${result.complaint}`, { cause: returned });
}

/** A qualified name with the domain of its owner, which newer servers warn about when it is missing. */
function checkFinalizer(name: string): void {
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(name)) return;
  throw new TypeError(
    `"${name}" cannot be a finalizer: it must be a domain, "/" and a name, as in "example.com/cleanup"`,
  );
}

/** The object; where the cache may have left out its finalizers, as the server has it; undefined when it has none any more. */
async function whole<T extends KubernetesObject>(
  { client, signal }: ReconcileContext<T>,
  resource: Resource<T>,
  object: Stored<T>,
): Promise<Stored<T> | undefined> {
  if (reductionOf(object)?.concernsStatus !== true) return object;
  const { name, uid } = object.metadata;
  const read = await ifThere(client(resource).get<T>(name, { signal }));
  return read?.metadata.uid === uid ? read : undefined;
}

/** The object as it is then; undefined when it is gone. */
function patchFinalizers<T extends KubernetesObject>(
  { client, signal }: ReconcileContext<T>,
  resource: Resource<T>,
  { metadata: { name, resourceVersion } }: Stored<T>,
  finalizers: readonly string[],
): Promise<Stored<T> | undefined> {
  const patch = { metadata: { resourceVersion, finalizers } };
  return ifThere(client(resource).patch<T>(name, patch as unknown as MergePatch<T>, { signal }));
}

async function ifThere<R>(answer: Promise<R>): Promise<R | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** The same context about a newer version of its object. Its functions are those of the context, whatever they need of it. */
function withObject<T extends KubernetesObject>(context: ReconcileContext<T>, object: Stored<T>): CleanupContext<T> {
  return new Proxy(context, {
    get(target, property) {
      if (property === 'object') return object;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as CleanupContext<T>;
}
