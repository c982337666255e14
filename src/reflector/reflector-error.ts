import { brandError, TidewatchError } from '../api/tidewatch-error.ts';

/**
 * What the reflector itself finds wrong, where no call has failed:
 * - `unusable`: an object cannot be keyed, decoded, transformed or stored.
 * - `damaged`: the bytes of a stored object turned out to be damaged when somebody read them.
 * - `stale`: an event is older than what is known of its object.
 * - `olderList`: a list is older than what has been seen.
 * - `silent`: a watch sends nothing any more.
 * - `shortWatch`: a watch ended at once without having sent anything.
 * - `noInitialEventsEnd`: a WatchList does not come to the end of its initial events.
 * - `endedEarly`: a WatchList ended before the end of its initial events.
 * - `resync`: the target failed to resync.
 */
export type ReflectorErrorKind =
  | 'unusable'
  | 'damaged'
  | 'stale'
  | 'olderList'
  | 'silent'
  | 'shortWatch'
  | 'noInitialEventsEnd'
  | 'endedEarly'
  | 'resync';

/** What is known of a failed list or watch. */
export interface ReflectorErrorOptions extends ErrorOptions {
  /** Of the object that it is about. */
  key?: string | undefined;
}

/** A failure that a reflector found and reports; it goes on. */
export class ReflectorError extends TidewatchError {
  declare readonly name: 'ReflectorError';
  declare readonly kind: ReflectorErrorKind;
  /** Of the object that it is about, when it is about one and the key is known. */
  declare readonly key: string | undefined;

  static {
    brandError(ReflectorError, 'ReflectorError');
  }

  constructor(kind: ReflectorErrorKind, message: string, options: ReflectorErrorOptions = {}) {
    super(kind, message, options);
    if (options.key !== undefined) this.key = options.key;
  }
}

/** What is thrown need not be an Error; what is reported is. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : TidewatchError.from(thrown);
}
