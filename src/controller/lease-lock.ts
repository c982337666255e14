import { ApiError } from '../api/api-error.ts';
import type { ObjectMeta } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Client } from '../cluster/client.ts';
import type { Lease } from '../generated/api/coordination/v1.ts';
import type { Clock } from '../observe/clock.ts';
import { type ClockReading, readClock } from './clock-reading.ts';
import { differences, type LeaseRecord, recordOf, specOf } from './lease-record.ts';

export interface LeaseLockOptions {
  client: Client<Lease>;
  name: string;
  labels: Readonly<Record<string, string>>;
  clock: Clock;
  /** How long a request may take. */
  requestTimeoutMs: number;
}

export interface Written {
  /** As the server has it. */
  readonly stored: LeaseRecord;
  readonly sentAt: ClockReading;
}

/** Failed writes that are remembered; the server may have carried out any of them. */
const MAX_WRITTEN = 32;

/**
 * One Lease on the server, and which of its records this process wrote. A write that failed may have been carried out all the same, or may be
 * carried out yet, so its record counts as ours until a later write has succeeded. client-go: LeaseLock.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  /** As last read or written; updates are based on it. */
  #lease: Lease | undefined;
  #written: Written[] = [];

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Of the Lease as last read or written. */
  get uid(): string | undefined {
    return this.#lease?.metadata?.uid;
  }

  /** Whether a record of ours may be on the server. */
  get mayBeOurs(): boolean {
    return this.#written.length > 0;
  }

  /** When we sent the write that put this record there; undefined when another did. */
  sentAt(record: LeaseRecord): ClockReading | undefined {
    return this.#written.find((written) => differences(written.stored, record).length === 0)?.sentAt;
  }

  /** Undefined when there is no Lease. */
  async get(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const { client, name } = this.#options;
    try {
      this.#lease = await this.#limited((own) => client.get(name, { signal: own }), signal);
      return recordOf(this.#lease);
    } catch (error) {
      if (!(error instanceof ApiError && error.kind === 'not-found')) throw error;
      this.#lease = undefined;
      return undefined;
    }
  }

  create(record: LeaseRecord, signal: AbortSignal): Promise<Written> {
    const { client, name } = this.#options;
    const lease: Lease = { metadata: this.#labelled({ name }), spec: specOf(record) };
    return this.#write(record, (own) => client.create(lease, { signal: own }), signal);
  }

  /** Replaces the record of the Lease as last read or written, if the server still has that version. */
  update(record: LeaseRecord, signal: AbortSignal): Promise<Written> {
    const { client, name } = this.#options;
    // Labels and annotations stay as they are. A PUT without managedFields keeps the server's.
    const { managedFields: _, ...metadata } = this.#lease?.metadata ?? { name };
    const lease: Lease = { metadata: this.#labelled(metadata), spec: specOf(record) };
    return this.#write(record, (own) => client.update(lease, { signal: own }), signal);
  }

  #labelled(metadata: ObjectMeta): ObjectMeta {
    const { labels } = this.#options;
    if (Object.keys(labels).length === 0) return metadata;
    return { ...metadata, labels: { ...metadata.labels, ...labels } };
  }

  async #write(
    record: LeaseRecord,
    call: (signal: AbortSignal) => Promise<Lease>,
    signal: AbortSignal,
  ): Promise<Written> {
    const sentAt = readClock(this.#options.clock);
    this.#written = [...this.#written.slice(1 - MAX_WRITTEN), { stored: record, sentAt }];
    const lease = await this.#limited(call, signal);
    const stored = recordOf(lease);
    if (stored.holder !== record.holder) {
      throw new TidewatchError(
        'malformed',
        `the server was asked to store the holder "${record.holder}" in a Lease, and answered that it is "${stored.holder}": look for a webhook that changes Leases`,
      );
    }
    this.#lease = lease;
    // Older writes can no longer be carried out: the version that they were based on is gone.
    this.#written = record.holder === '' ? [] : [{ stored, sentAt }];
    return { stored, sentAt };
  }

  /** Ends with the signal and with the time limit, whatever the transport does. */
  #limited<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock, requestTimeoutMs } = this.#options;
    return new Promise<T>((resolve, reject) => {
      signal.throwIfAborted();
      const own = new AbortController();
      const end = (reason: unknown) => {
        own.abort(reason);
        reject(reason);
      };
      const onAbort = () => end(signal.reason);
      const onLimit = () => end(new TidewatchError('timeout', `no answer came within ${requestTimeoutMs} ms`));
      const timer = clock.setTimeout(onLimit, requestTimeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      const settled = () => {
        timer.clear();
        signal.removeEventListener('abort', onAbort);
      };
      own.signal.addEventListener('abort', settled, { once: true });
      call(own.signal).then(resolve, reject).finally(settled);
    });
  }
}
