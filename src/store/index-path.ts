import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { IndexError } from './index-error.ts';
import type { IndexReader } from './value-index.ts';

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

/** A `Cached` that can follow a path without decoding itself; must find what the path leads to in its view. */
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
    throw new IndexError('index-definition', index, `cannot follow the path "${text}": it has an empty segment`);
  }
  return { text, segments };
}

/** What an index on the path asks of each object. The way is chosen once, so that asking is cheap. */
export function pathReader<T extends KubernetesObject>(path: IndexPath): IndexReader<T> {
  const [first, second, third, fourth] = path.segments;
  if (first === 'metadata' && third === undefined) {
    if (second === 'name' || second === 'namespace' || second === 'uid' || second === 'resourceVersion') {
      return (cached) => (cached[second] === '' ? undefined : cached[second]);
    }
  }
  if (first === 'metadata' && second === 'labels' && third !== undefined && third !== '*' && fourth === undefined) {
    return (cached) => labelOf(cached, third);
  }
  const isSingle = !path.segments.includes('*');
  return (cached) => {
    if (isPathReadable(cached)) return cached.readPath(path);
    return isSingle ? follow(cached.view(), path.segments) : collect(cached.view(), path.segments, 0, []);
  };
}

export function labelOf(cached: Cached, key: string): string | undefined {
  // Once: a packed object decodes its labels each time.
  const { labels } = cached;
  if (!Object.hasOwn(labels, key)) return undefined;
  const value: unknown = labels[key];
  return value === undefined || value === null ? undefined : String(value);
}

function isPathReadable(cached: Cached & Partial<PathReadable>): cached is Cached & PathReadable {
  return typeof cached.readPath === 'function';
}

function follow(object: unknown, segments: readonly string[]): string | undefined {
  let value = object;
  for (const segment of segments) {
    if (!isContainer(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return textOf(value);
}

function collect(value: unknown, segments: readonly string[], depth: number, found: string[]): string[] {
  const segment = segments[depth];
  if (segment === undefined) {
    const text = textOf(value);
    if (text !== undefined) found.push(text);
  } else if (isContainer(value)) {
    if (segment === '*') for (const element of Object.values(value)) collect(element, segments, depth + 1, found);
    else if (Object.hasOwn(value, segment)) collect(value[segment], segments, depth + 1, found);
  }
  return found;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
