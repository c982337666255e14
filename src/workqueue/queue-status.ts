/** A work queue at present. See `WorkQueue.status`. */
export interface QueueStatus {
  /** Unique in the process; `queue` in the values of the channel `tidewatch:queue`. */
  readonly id: number;
  readonly name: string;
  /** How many items wait to be handed out. */
  readonly waiting: number;
  /** How many items have been added with a delay that is not over. */
  readonly delayed: number;
  /** How many items have been handed out and not given back. */
  readonly running: number;
}
