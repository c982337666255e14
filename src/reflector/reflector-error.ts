import { messageOf } from '../observe/guarded.ts';

/**
 * What the reflector itself finds wrong, where no call has failed:
 * - `untaken`: an object cannot be keyed, decoded, transformed or stored.
 * - `damaged`: the bytes of an object that has been taken turned out to be damaged when somebody read them.
 * - `stale`: an event is older than what is known of its object.
 * - `olderList`: a list is older than what has been seen.
 * - `silent`: a watch sends nothing any more.
 * - `shortWatch`: a watch ended at once without having sent anything.
 * - `noInitialEventsEnd`: a WatchList does not come to the end of its initial events.
 * - `endedEarly`: a WatchList ended before the end of its initial events.
 * - `resync`: the target failed to resync.
 */
export type ReflectorErrorKind =
  | 'untaken'
  | 'damaged'
  | 'stale'
  | 'olderList'
  | 'silent'
  | 'shortWatch'
  | 'noInitialEventsEnd'
  | 'endedEarly'
  | 'resync';

export interface ReflectorErrorOptions extends ErrorOptions {
  key?: string;
}

export class ReflectorError extends Error {
  override readonly name = 'ReflectorError';
  readonly kind: ReflectorErrorKind;
  /** Of the object that it is about, when it is about one and the key is known. */
  readonly key: string | undefined;

  constructor(kind: ReflectorErrorKind, message: string, options: ReflectorErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.key = options.key;
  }
}

/** What is thrown need not be an Error; what is reported is. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`something other than an Error was thrown: ${messageOf(thrown)}`);
}
