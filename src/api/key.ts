import { DeletedFinalStateUnknown } from './deleted-final-state-unknown.ts';
import type { KubernetesObject } from './metadata.ts';
import { aKind } from './resource.ts';
import { brandError, TidewatchError } from './tidewatch-error.ts';

/** No key could be made of an object. Keeps the object, for the report, out of its message and of `util.inspect`. */
export class KeyError extends TidewatchError {
  declare readonly name: 'KeyError';
  declare readonly kind: 'key';
  declare readonly obj: unknown;

  static {
    brandError(KeyError, 'KeyError');
  }

  constructor(obj: unknown, message: string, options?: ErrorOptions) {
    super('key', `could not make a key for ${describe(obj)}: ${message}`, options);
    Object.defineProperty(this, 'obj', { value: obj, enumerable: false });
  }
}

/** Makes the key of an object. */
export type KeyFunction<T = KubernetesObject> = (obj: T) => string;

/** `namespace/name`, or `name` for cluster-scoped objects. client-go's `MetaNamespaceKeyFunc`. */
export function metaNamespaceKey(obj: KubernetesObject): string {
  const metadata = obj?.metadata;
  if (typeof metadata !== 'object' || metadata === null) {
    throw new KeyError(obj, typeof obj === 'string' ? 'it is a text; getByKey takes a key' : 'it has no metadata');
  }
  const { name, namespace } = metadata;
  if (typeof name !== 'string' || name === '') throw new KeyError(obj, 'it has no metadata.name');
  return objectKey(namespace, name);
}

/** As `metaNamespaceKey`, and the key inside a tombstone. client-go's `DeletionHandlingMetaNamespaceKeyFunc`. */
export function deletionHandlingKey(obj: KubernetesObject | DeletedFinalStateUnknown): string {
  return obj instanceof DeletedFinalStateUnknown ? obj.key : metaNamespaceKey(obj);
}

/** `namespace/name`, or the name alone where the namespace is empty. */
export function objectKey(namespace: string | undefined, name: string): string {
  // A joined string is flat, which a template is not; maps hash it faster.
  return namespace ? [namespace, name].join('/') : name;
}

/** The reverse of `metaNamespaceKey`; a key without a slash belongs to a cluster-scoped object. */
export function splitMetaNamespaceKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: '', name: key };
  if (slash === key.lastIndexOf('/')) return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
  throw new TypeError(`"${key}" is not a key: expected "namespace/name" or "name"`);
}

function describe(obj: unknown): string {
  if (typeof obj !== 'object' || obj === null) return String(obj);
  const { kind, metadata } = obj as KubernetesObject;
  const name = metadata?.name ? ` ${objectKey(metadata.namespace, metadata.name)}` : '';
  return `${typeof kind === 'string' ? aKind(kind) : 'an object'}${name}`;
}
