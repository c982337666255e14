/**
 * `unknown`: there is no index of that name. `conflict`: there is one already. `definition`: the path or function is none.
 * `object`: the index function failed on an object, which was therefore not stored.
 */
export type IndexErrorKind = 'unknown' | 'conflict' | 'definition' | 'object';

/** Something is wrong with an index. Whatever was asked for has not happened, not even in part. */
export class IndexError extends Error {
  override readonly name = 'IndexError';
  readonly kind: IndexErrorKind;
  readonly index: string;
  /** Of the object, for kind `object`. */
  readonly key: string | undefined;

  constructor(kind: IndexErrorKind, index: string, problem: string, details: { key?: string; cause?: unknown } = {}) {
    super(`the index "${index}" ${problem}`, 'cause' in details ? { cause: details.cause } : undefined);
    this.kind = kind;
    this.index = index;
    this.key = details.key;
  }
}
