import { brandError, TidewatchError } from '../api/tidewatch-error.ts';

/**
 * - `unknown-index`: there is no index of that name.
 * - `index-conflict`: there is one already.
 * - `index-definition`: it is defined by something other than a path or a function.
 * - `index-function`: the index function failed on an object, which was therefore not stored.
 */
export type IndexErrorKind = 'unknown-index' | 'index-conflict' | 'index-definition' | 'index-function';

/** Something is wrong with an index. Whatever was asked for has not happened, not even in part. */
export class IndexError extends TidewatchError {
  declare readonly name: 'IndexError';
  declare readonly kind: IndexErrorKind;
  readonly index: string;
  /** Of the object, for kind `index-function`. */
  declare readonly key: string | undefined;

  static {
    brandError(IndexError, 'IndexError');
  }

  constructor(
    kind: IndexErrorKind,
    index: string,
    problem: string,
    details: { key?: string | undefined; cause?: unknown } = {},
  ) {
    super(kind, `the index "${index}" ${problem}`, details);
    this.index = index;
    if (details.key !== undefined) this.key = details.key;
  }
}
