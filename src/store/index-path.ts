import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { IndexError } from './index-error.ts';

/**
 * Where in an object an index finds its values. Segments are separated by dots; `*` stands for each element of an array
 * and each value of a map; `\.` is a dot within a segment, and what follows `metadata.labels.` or `metadata.annotations.`
 * is one segment as it stands (`metadata.labels.app.kubernetes.io/name`). Strings are indexed as they are, numbers and
 * booleans as JSON writes them; objects, arrays, null and what is absent are not indexed.
 */
export interface IndexPath {
  readonly text: string;
  readonly segments: readonly string[];
}

/** A `Cached` that can follow a path without decoding itself; must find what `readPath` finds in its view. */
export interface PathReadable {
  readPath(path: IndexPath): readonly string[];
}

const KEYED = /^metadata\.(labels|annotations)\.(.+)$/s;

/** Throws `IndexError`; `index` is for its message. */
export function parseIndexPath(index: string, text: string): IndexPath {
  const keyed = KEYED.exec(text);
  if (keyed?.[1] !== undefined && keyed[2] !== undefined) {
    return { text, segments: ['metadata', keyed[1], keyed[2].replaceAll('\\.', '.')] };
  }
  const segments = text.split(/(?<!\\)\./).map((segment) => segment.replaceAll('\\.', '.'));
  if (segments.includes('')) {
    throw new IndexError('definition', index, `cannot follow the path "${text}": it has an empty segment`);
  }
  return { text, segments };
}

export function readPath<T extends KubernetesObject>(cached: Cached<T>, path: IndexPath): string | readonly string[] {
  const [first, second, third] = path.segments;
  if (first === 'metadata' && path.segments.length === 2) {
    if (second === 'name' || second === 'namespace' || second === 'uid' || second === 'resourceVersion') {
      return cached[second] === '' ? [] : cached[second];
    }
  }
  if (
    first === 'metadata' &&
    second === 'labels' &&
    third !== undefined &&
    third !== '*' &&
    path.segments.length === 3
  ) {
    return labelOf(cached, third) ?? [];
  }
  if (isPathReadable(cached)) return cached.readPath(path);
  const found: string[] = [];
  collect(cached.view(), path.segments, 0, found);
  return found;
}

export function labelOf(cached: Cached, key: string): string | undefined {
  if (!Object.hasOwn(cached.labels, key)) return undefined;
  const value: unknown = cached.labels[key];
  return value === undefined || value === null ? undefined : String(value);
}

function isPathReadable(cached: Cached & Partial<PathReadable>): cached is Cached & PathReadable {
  return typeof cached.readPath === 'function';
}

function collect(value: unknown, segments: readonly string[], depth: number, found: string[]): void {
  const segment = segments[depth];
  if (segment === undefined) {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'number' || typeof value === 'boolean') found.push(String(value));
  } else if (typeof value === 'object' && value !== null) {
    if (segment === '*') for (const element of Object.values(value)) collect(element, segments, depth + 1, found);
    else if (Object.hasOwn(value, segment)) collect(Reflect.get(value, segment), segments, depth + 1, found);
  }
}
