import { TidewatchError } from '../api/tidewatch-error.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { ElectionSettings } from './election-options.ts';

/** What happens when two candidates write at once. */
const EXPECTED: ReadonlySet<string> = new Set(['conflict', 'already-exists']);

/** Writes the failures of an election to the log: each kind once, until a request has succeeded again. */
export class ElectionReport {
  readonly #settings: ElectionSettings;
  readonly #reported = new Set<string>();
  #isTwinReported = false;
  /** By monotonic time. */
  lastSuccessMs: number | undefined;
  lastFailure: string | undefined;

  constructor(settings: ElectionSettings) {
    this.#settings = settings;
  }

  failed(thrown: unknown): void {
    const { logger, lease, namespace, retryPeriodMs } = this.#settings;
    const error = TidewatchError.from(thrown);
    if (!EXPECTED.has(error.kind)) this.lastFailure = error.message;
    const again = `It is tried again every ${retryPeriodMs / 1_000} s, and reported again only after a success.`;
    if (EXPECTED.has(error.kind) || this.#reported.has(error.kind)) {
      logger.debug(`A request for the Lease ${lease} failed: ${error.message}`);
    } else if (error.kind === 'forbidden') {
      logger.error(
        `The election for the Lease ${lease} cannot go on, because a permission is missing: ${error.message}. Allow get, create and update of leases in coordination.k8s.io in the namespace ${namespace}. ${again}`,
      );
    } else {
      logger.warn(`A request for the Lease ${lease} failed: ${error.message}. ${again}`);
    }
    if (!EXPECTED.has(error.kind)) this.#reported.add(error.kind);
  }

  succeeded(): void {
    this.lastSuccessMs = monotonicMs(this.#settings.clock);
    this.lastFailure = undefined;
    this.#reported.clear();
  }

  /** Another process has the identity of this one, or an earlier run of this program has not released the Lease. */
  twin(): void {
    if (this.#isTwinReported) return;
    this.#isTwinReported = true;
    const { logger, lease, identity } = this.#settings;
    logger.warn(
      `The Lease ${lease} is held under the identity "${identity}", which is ours, and this process did not write that. Either another process has the same identity, or an earlier run did not release the Lease. It is left alone until it expires; give each process an identity of its own.`,
    );
  }
}
