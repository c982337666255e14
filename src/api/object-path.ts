/** Where in an object something is. `*` stands for each element of an array and each value of a map. */
export interface ObjectPath {
  readonly segments: readonly string[];
  /** Whether there is a `*` among the segments: then the path leads to any number of values, in the order of the object. */
  readonly isPlural: boolean;
}

/** A `Cached` that can follow a path without decoding itself. */
export interface PathReadable {
  /** What `valueAt` finds in its view. What is returned is the caller's own. */
  valueAt(path: ObjectPath): unknown;
  /**
   * Looks at the beginning of its bytes, and returns what is there. Where many objects are read, most are in no cache of the processor: it waits
   * once for several of them, if they are looked at one right after the other, before the first is read.
   */
  touch(): number;
}

/** What the path leads to, from segment `depth` on: a value, undefined when there is none, or for a plural path all of them. */
export function valueAt(value: unknown, { segments, isPlural }: ObjectPath, depth = 0): unknown {
  if (isPlural) return collect(value, segments, depth, []);
  let current = value;
  for (let i = depth; i < segments.length; i++) {
    const segment = segments[i] as string;
    if (!isContainer(current) || !Object.hasOwn(current, segment)) return undefined;
    current = current[segment];
  }
  return current;
}

/** Adds to `found` what the path leads to. */
export function collect(value: unknown, segments: readonly string[], depth: number, found: unknown[]): unknown[] {
  const segment = segments[depth];
  if (segment === undefined) {
    if (value !== undefined) found.push(value);
  } else if (isContainer(value)) {
    if (segment === '*') for (const element of Object.values(value)) collect(element, segments, depth + 1, found);
    else if (Object.hasOwn(value, segment)) collect(value[segment], segments, depth + 1, found);
  }
  return found;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
