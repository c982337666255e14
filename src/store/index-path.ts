import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type ObjectPath, type PathReadable, valueAt } from '../api/object-path.ts';
import { IndexError } from './index-error.ts';
import type { IndexReader } from './value-index.ts';

/**
 * Where in an object an index finds its values. Segments are separated by dots; `*` stands for each element of an array
 * and each value of a map; `\.` is a dot within a segment, and what follows `metadata.labels.` or `metadata.annotations.`
 * is one segment as it stands (`metadata.labels.app.kubernetes.io/name`). Strings are indexed as they are, numbers and
 * booleans as JSON writes them; objects, arrays, null and what is absent are not indexed.
 */
export interface IndexPath extends ObjectPath {
  readonly text: string;
}

const KEYED = /^metadata\.(labels|annotations)\.(.+)$/s;

/** Throws `IndexError`; `index` is for its message. */
export function parseIndexPath(index: string, text: string): IndexPath {
  const keyed = KEYED.exec(text);
  if (keyed?.[1] !== undefined && keyed[2] !== undefined) {
    return pathOf(text, ['metadata', keyed[1], keyed[2].replaceAll('\\.', '.')]);
  }
  const segments = text.split(/(?<!\\)\./).map((segment) => segment.replaceAll('\\.', '.'));
  if (segments.includes('')) {
    throw new IndexError('index-definition', index, `cannot follow the path "${text}": it has an empty segment`);
  }
  return pathOf(text, segments);
}

function pathOf(text: string, segments: readonly string[]): IndexPath {
  return { text, segments, isPlural: segments.includes('*') };
}

/** What an index on the path asks of each object. The way is chosen once, so that asking is cheap. */
export function pathReader<T extends KubernetesObject>(path: IndexPath): IndexReader<T> {
  const read = valueReader<T>(path);
  if (path.isPlural) return (cached) => (read(cached) as unknown[]).map(textOf).filter((text) => text !== undefined);
  return (cached) => textOf(read(cached));
}

/** What the path leads to in an object: what `valueAt` finds in its view, from its bytes where it has them. */
export function valueReader<T extends KubernetesObject>(path: ObjectPath): (cached: Cached<T>) => unknown {
  const [first, second, third, fourth] = path.segments;
  if (first === 'metadata' && third === undefined) {
    if (second === 'name' || second === 'namespace' || second === 'uid' || second === 'resourceVersion') {
      return (cached) => cached[second] || undefined;
    }
  }
  if (first === 'metadata' && second === 'labels' && third !== undefined && third !== '*' && fourth === undefined) {
    return (cached) => labelOf(cached, third);
  }
  return (cached: Cached<T> & Partial<PathReadable>) =>
    typeof cached.valueAt === 'function' ? cached.valueAt(path) : valueAt(cached.view(), path);
}

export function labelOf(cached: Cached, key: string): string | undefined {
  // Once: a packed object decodes its labels each time.
  const { labels } = cached;
  if (!Object.hasOwn(labels, key)) return undefined;
  const value: unknown = labels[key];
  return value === undefined || value === null ? undefined : String(value);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
