import type { Cached } from '../api/cached.ts';
import type { FieldPath } from '../api/field-path.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { isPromise } from '../api/promise-like.ts';
import { IndexError } from './index-error.ts';
import { parseIndexPath, pathReader } from './index-path.ts';
import { type IndexReader, readNamespace } from './value-index.ts';

/**
 * The values under which an object can be found; none leaves it out of the index. An object on which it throws, or returns
 * anything but an array of strings (a promise, say), is reported and left out of the store. client-go's `cache.IndexFunc`.
 */
export type IndexFunction<T extends KubernetesObject = KubernetesObject> = (obj: Stored<T>) => readonly string[];

/**
 * A function, or a path into the object: `'spec.nodeName'`, `'metadata.labels.app'`, `'spec.containers.*.image'` (each
 * element). A path costs less than a function: a store of bytes can follow it without decoding the object. See `IndexPath`. The compiler
 * checks it as far as `FieldPath` says; an informer of a built-in kind rejects a deeper one that leads nowhere.
 */
export type IndexDefinition<T extends KubernetesObject = KubernetesObject> = IndexFunction<T> | FieldPath<T>;

/** By the name of the index. client-go's `cache.Indexers`. */
export type Indexers<T extends KubernetesObject = KubernetesObject> = Readonly<Record<string, IndexDefinition<T>>>;

/** The name under which informers index by namespace. client-go's `cache.NamespaceIndex`. */
export const NAMESPACE_INDEX = 'namespace';

/** The namespace, "" for cluster-scoped objects. client-go's `cache.MetaNamespaceIndexFunc`. */
export function metaNamespaceIndex(obj: KubernetesObject): readonly string[] {
  return [obj.metadata?.namespace ?? ''];
}

export function indexReader<T extends KubernetesObject>(name: string, definition: IndexDefinition<T>): IndexReader<T> {
  if (definition === metaNamespaceIndex) return readNamespace;
  if (typeof definition === 'function') return (cached) => callIndexFunction(name, definition, cached);
  if (typeof definition === 'string') return pathReader(parseIndexPath(name, definition));
  throw new IndexError('index-definition', name, 'must be defined by a function or by a path');
}

function callIndexFunction<T extends KubernetesObject>(
  name: string,
  indexFunction: IndexFunction<T>,
  cached: Cached<T>,
): readonly string[] {
  const { key } = cached;
  let values: readonly string[];
  try {
    values = indexFunction(cached.view());
  } catch (cause) {
    throw new IndexError('index-function', name, `failed on ${key}: ${String(cause)}`, { key, cause });
  }
  if (!Array.isArray(values)) throw wrongResult(name, key, isPromise(values) ? 'a promise' : typeOf(values));
  for (const value of values) {
    if (typeof value !== 'string') throw wrongResult(name, key, `an array with ${typeOf(value)} in it`);
  }
  return values;
}

function wrongResult(name: string, key: string, returned: string): IndexError {
  const problem = `must return an array of strings, but returned ${returned} for ${key}`;
  return new IndexError('index-function', name, problem, { key });
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
