/**
 * The property by which an object of a cache knows where it comes from, also behind a `Proxy` and in a copy of its property
 * descriptors. It holds a function, because state libraries wrap every object that is read through their proxies and leave
 * functions alone. Not enumerable, so that copies by spread, JSON and `structuredClone` are plain data.
 */
export const ORIGIN: unique symbol = Symbol.for('tidewatch.origin') as never;

/** The property of a view of a cache by which it finds its fields, and which makes it print as data. */
export const VIEW: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** Called without arguments, it tells what the cache left out; undefined when the object is whole but for managed fields. */
export type Origin = () => Reduction | undefined;

/** What a cache left out of its objects. */
export interface Reduction {
  /** The end of "it comes from a cache that …": `leaves out spec.containers.*.env`. */
  readonly what: string;
  /** Whether anything of `status` or `metadata` may be missing. */
  readonly concernsStatus: boolean;
}

/** What is missing of an object, as far as it can tell: a copy by spread or `structuredClone` cannot. */
export function reductionOf(object: object): Reduction | undefined {
  const origin: unknown = (object as { readonly [ORIGIN]?: unknown })[ORIGIN];
  return typeof origin === 'function' ? (origin() as Reduction | undefined) : undefined;
}

/** The object, which knows its origin from then on; a copy when nothing can be added to it, or when it comes from elsewhere. */
export function withOrigin<T extends object>(object: T, origin: Origin): T {
  const isOwn = Object.isExtensible(object) && !(ORIGIN in object) && !Object.hasOwn(object, VIEW);
  return markOrigin(isOwn ? object : { ...object }, origin);
}

/** The same for an object that the caller has just made, and that knows of no origin. */
export function markOrigin<T extends object>(object: T, origin: Origin): T {
  return Object.defineProperty(object, ORIGIN, {
    value: origin,
    enumerable: false,
    writable: true,
    configurable: true,
  });
}
