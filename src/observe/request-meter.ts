import { channels, nextId } from './channels.ts';
import { type Clock, systemClock } from './clock.ts';
import { METRICS } from './metric-definitions.ts';
import { MetricScope } from './metric-scope.ts';
import type { Metrics } from './metrics.ts';
import { monotonicMs } from './scheduler.ts';

/** A request, as far as it is measured. */
export interface MeasuredRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string | undefined;
  readonly cause?: number | undefined;
}

/** What became of it: the status, or why there is none. */
export type RequestOutcome = { readonly status: number } | { readonly failure: string };

/** client-go's label for a request without an answer. */
const NO_ANSWER = '<error>';
/** What stands behind it is somebody else's path. */
const PROXIED = /(\/proxy)\/.*$/;

const metered = new WeakSet<object>();

/** The transport measures its requests itself, or leads to one that does. */
export function markMetered(transport: object): void {
  metered.add(transport);
}

export function isMetered(transport: object): boolean {
  return metered.has(transport);
}

/** Measures the requests of one transport: client-go's metrics, and the channel `tidewatch:request`. */
export class RequestMeter {
  readonly #host: string;
  readonly #clock: Clock;
  readonly #scope: MetricScope;
  readonly #requests;
  readonly #seconds;

  constructor({ host, clock, metrics }: { host: string; clock?: Clock | undefined; metrics?: Metrics | undefined }) {
    this.#host = host;
    this.#clock = clock ?? systemClock;
    this.#scope = new MetricScope(metrics);
    this.#requests = this.#scope.counter(METRICS.requests);
    this.#seconds = this.#scope.histogram(METRICS.requestSeconds);
  }

  /** Settles as `send` does. `isOpenEnded`: a watch, whose head may be long in coming. */
  async measure<R extends { readonly status: number }>(
    request: MeasuredRequest,
    isOpenEnded: boolean,
    failureOf: (thrown: unknown) => string,
    send: () => Promise<R>,
  ): Promise<R> {
    const startMs = monotonicMs(this.#clock);
    try {
      const response = await send();
      this.#ended(request, startMs, isOpenEnded, { status: response.status });
      return response;
    } catch (thrown) {
      this.#ended(request, startMs, isOpenEnded, { failure: failureOf(thrown) });
      throw thrown;
    }
  }

  /** The transport is closed: no series is left. */
  end(): void {
    this.#scope.end();
  }

  #ended(request: MeasuredRequest, startMs: number, isOpenEnded: boolean, outcome: RequestOutcome): void {
    const { method, path, cause } = request;
    const host = this.#host;
    const atMs = monotonicMs(this.#clock);
    const code = 'status' in outcome ? String(outcome.status) : NO_ANSWER;
    this.#requests.add(1, { code, method, host });
    if (!isOpenEnded) this.#seconds.observe(Math.max(atMs - startMs, 0) / 1000, { verb: method, host });
    const { request: channel } = channels;
    if (!channel.hasSubscribers) return;
    const id = nextId();
    const shown = path.replace(PROXIED, '$1');
    channel.publish({
      id,
      ...(cause !== undefined && { cause }),
      method,
      host,
      path: shown,
      ...outcome,
      startMs,
      atMs,
    });
  }
}
