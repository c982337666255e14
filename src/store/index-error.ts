import { brandError, type IndexErrorKind, TidewatchError } from '../api/tidewatch-error.ts';

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
