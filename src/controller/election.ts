import { ApiError } from '../api/api-error.ts';
import { messageOf } from '../observe/guarded.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { ClockReading } from './clock-reading.ts';
import type { ElectionSettings } from './election-options.ts';
import type { LeaseLock } from './lease-lock.ts';
import { differences, type LeaseRecord, microTime } from './lease-record.ts';

/**
 * The rules by which candidates contend for a Lease, one try at a time. Each method rejects when its requests fail. Times that others have
 * written are never compared with a clock: a holder's time is up when its record has not changed for as long as it says, by the monotonic
 * time of this process, which never counts more than has passed.
 */
export class Election {
  readonly #settings: ElectionSettings;
  readonly #lock: LeaseLock;
  /** The record that was last read or written. */
  #observed: LeaseRecord | undefined;
  /** When `#observed` was first seen, by monotonic time. */
  #observedMs = 0;
  /** What somebody else has read, and when that was first seen. */
  #sighted: { readonly record: LeaseRecord; readonly atMs: number } | undefined;

  constructor(settings: ElectionSettings, lock: LeaseLock) {
    this.#settings = settings;
    this.#lock = lock;
  }

  /** Who holds the Lease, as far as is known; "" when nobody does. */
  get holder(): string {
    return this.#observed?.holder ?? '';
  }

  /** Whether a record that this process wrote may be on the server. */
  get mayHold(): boolean {
    return this.#lock.mayBeOurs;
  }

  /** Whether the holder has the identity of this process, and this process did not write that. */
  get hasTwin(): boolean {
    return this.#observed?.holder === this.#settings.identity && this.#lock.sentAt(this.#observed) === undefined;
  }

  /** A record that a watch has brought. It may be old: it counts only where a read of ours finds the same. */
  sight(record: LeaseRecord): void {
    if (this.#sighted !== undefined && differences(this.#sighted.record, record).length === 0) return;
    this.#sighted = { record, atMs: monotonicMs(this.#settings.clock) };
  }

  /** When the write was sent that took the Lease; undefined when another holds it. */
  async tryAcquire(signal: AbortSignal): Promise<ClockReading | undefined> {
    const found = await this.#lock.get(signal);
    if (found === undefined) {
      const time = this.#now();
      return this.#write('create', { acquireTime: time, renewTime: time, transitions: 0 }, signal);
    }
    this.#observe(found);
    // A record of ours may stay from a term that ended because no answer came.
    const isOurs = this.#lock.sentAt(found) !== undefined;
    if (found.holder !== '' && !isOurs && !this.#isUp(found)) return undefined;
    const renewTime = this.#now();
    const { acquireTime, transitions } = found;
    const next =
      found.holder === this.#settings.identity
        ? { acquireTime, renewTime, transitions }
        : { acquireTime: renewTime, renewTime, transitions: transitions + 1 };
    return this.#write('update', next, signal);
  }

  /**
   * Calls `onRenewed` with the time at which a renewal was sent that has succeeded. Returns why the Lease is lost, undefined when it is not.
   * Rejects when it cannot be known.
   */
  async tryRenew(
    signal: AbortSignal,
    { onRenewed, onSlowPath }: { onRenewed: (sentAt: ClockReading) => void; onSlowPath: () => void },
  ): Promise<string | undefined> {
    const ours = this.#observed;
    if (ours === undefined) throw new TypeError('only who holds a Lease can renew it');
    try {
      onRenewed(await this.#write('update', { ...ours, renewTime: this.#now() }, signal));
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      const { logger, lease } = this.#settings;
      logger.debug(`The Lease ${lease} could not be renewed at once, and is read: ${messageOf(error)}`);
    }
    const { uid } = this.#lock;
    const found = await this.#lock.get(signal);
    const lost = this.#lostBy(ours, found, uid);
    if (found === undefined || lost !== undefined) {
      if (found !== undefined) this.#observe(found);
      return lost;
    }
    this.#observe(found);
    onSlowPath();
    const stored = this.#lock.sentAt(found);
    if (stored !== undefined) onRenewed(stored);
    onRenewed(await this.#write('update', { ...found, renewTime: this.#now() }, signal));
    return undefined;
  }

  /** Gives the Lease back, if it is still as this process wrote it. A conflict is retried until the signal aborts. Returns whether it did. */
  async release(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const found = await this.#lock.get(signal);
      if (found === undefined || this.#lock.sentAt(found) === undefined) return false;
      const time = this.#now();
      const released = { ...found, holder: '', durationSeconds: 1, acquireTime: time, renewTime: time };
      try {
        await this.#lock.update(released, signal);
        this.#observe(released);
        return true;
      } catch (error) {
        if (!(error instanceof ApiError && error.kind === 'conflict')) throw error;
      }
    }
  }

  /** Why the Lease that was read is not the one that this process holds. */
  #lostBy(ours: LeaseRecord, found: LeaseRecord | undefined, uid: string | undefined): string | undefined {
    const { identity } = this.#settings;
    if (found === undefined) return 'it was deleted';
    if (found.holder === '') return 'another process has released it';
    if (found.holder !== identity) return `"${found.holder}" holds it now`;
    if (uid !== this.#lock.uid) return 'it was deleted and created again';
    if (this.#lock.sentAt(found) !== undefined) return undefined;
    const changes = differences(ours, found).join(', ');
    return `another process has changed it (${changes}); if two processes have the identity "${identity}", give each its own`;
  }

  #observe(record: LeaseRecord): void {
    if (this.#observed !== undefined && differences(this.#observed, record).length === 0) return;
    this.#observed = record;
    this.#observedMs = monotonicMs(this.#settings.clock);
  }

  /** Whether the record that was just read has not changed for as long as it says. */
  #isUp(found: LeaseRecord): boolean {
    const isKnown = this.#sighted !== undefined && differences(this.#sighted.record, found).length === 0;
    const sinceMs = Math.min(this.#observedMs, isKnown ? (this.#sighted?.atMs ?? 0) : this.#observedMs);
    return monotonicMs(this.#settings.clock) - sinceMs >= found.durationSeconds * 1_000;
  }

  async #write(
    verb: 'create' | 'update',
    times: Pick<LeaseRecord, 'acquireTime' | 'renewTime' | 'transitions'>,
    signal: AbortSignal,
  ): Promise<ClockReading> {
    const { identity, leaseDurationMs } = this.#settings;
    const { acquireTime, renewTime, transitions } = times;
    const durationSeconds = leaseDurationMs / 1_000;
    const record = { holder: identity, durationSeconds, acquireTime, renewTime, transitions };
    const { stored, sentAt } = await this.#lock[verb](record, signal);
    this.#observe(stored);
    return sentAt;
  }

  #now(): string {
    return microTime(this.#settings.clock.now(), this.#settings.random);
  }
}
