import type { Reachability } from '../api/reachability.ts';
import type { Transport } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import { type Clock, sleepOn, type Timer } from '../observe/clock.ts';
import { CallScope, interruptible, onAbort } from '../observe/interruption.ts';
import type { Random } from '../observe/random.ts';

/** From the end of one probe to the next, give or take a quarter. */
const EVERY_MS = 1_000;
/** How much longer that is after a failure which nobody but a person ends, such as a login plugin that does not work. */
const HOPELESS_FACTOR = 10;
/** A server that starts may take a connection and let it wait. */
const PROBE_TIMEOUT_MS = 3_000;
/** Those who wait are let go over this time for each of them, so that the server is not overrun… */
const SPREAD_EACH_MS = 10;
/** …and within this time all together. */
const MAX_SPREAD_MS = 5_000;
const MAX_BODY_BYTES = 16 * 1024;

export interface ReadyzProberOptions {
  transport: Transport;
  clock: Clock;
  random: Random;
}

/**
 * Finds out for all informers of a cluster when a server that could not be reached answers again: while somebody waits, and
 * not otherwise, one GET of /readyz a second, one at a time. Every status below 500 is an answer, also that we may not ask.
 * Its timers do not hold the process.
 */
export class ReadyzProber implements Reachability {
  readonly #options: ReadyzProberOptions;
  /** Those who wait; each is called to be let go after a time. */
  readonly #waiting = new Set<(afterMs: number) => void>();
  /** Of the pause or the probe that is under way. */
  #round = new AbortController();
  #isProbing = false;

  constructor(options: ReadyzProberOptions) {
    this.#options = options;
  }

  /** Resolves when the server answers, spread over some time when many wait. Rejects with the signal's reason. */
  whenBack(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      let timer: Timer | undefined;
      const letGo = (afterMs: number) => {
        const go = () => {
          forget();
          resolve();
        };
        timer = this.#options.clock.setTimeout(go, afterMs, { keepAlive: false });
      };
      const forget = onAbort(signal, () => {
        timer?.clear();
        this.#waiting.delete(letGo);
        if (this.#waiting.size === 0) this.#round.abort();
        reject(signal.reason);
      });
      this.#waiting.add(letGo);
      if (!this.#isProbing) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isProbing = true;
    let pauseMs = EVERY_MS;
    while (this.#waiting.size > 0) {
      this.#round = new AbortController();
      const { signal } = this.#round;
      await this.#pause(pauseMs * (0.75 + this.#options.random() / 2), signal);
      if (!signal.aborted) pauseMs = EVERY_MS * ((await this.#probe(signal)) ? 1 : HOPELESS_FACTOR);
    }
    this.#isProbing = false;
  }

  /** Asks once, and lets all go who wait when there is an answer. Whether it is worth asking again soon. Never rejects. */
  async #probe(round: AbortSignal): Promise<boolean> {
    const { transport, clock } = this.#options;
    const call = new CallScope(round);
    const timer = clock.setTimeout(() => call.abort(), PROBE_TIMEOUT_MS, { keepAlive: false });
    try {
      const { signal } = call;
      // A transport that does not heed the signal must not hold anybody up.
      await interruptible(async () => {
        const { status, body } = await transport.request({ method: 'GET', path: '/readyz', signal });
        if (status < 500) this.#letAllGo();
        await drain(body);
      }, signal);
      return true;
    } catch (error) {
      return !(error instanceof TransportError) || error.retryable;
    } finally {
      timer.clear();
      call.release();
      // Ends what is left of the response.
      call.abort();
    }
  }

  #letAllGo(): void {
    const waiting = [...this.#waiting];
    const spreadMs = Math.min(waiting.length * SPREAD_EACH_MS, MAX_SPREAD_MS);
    this.#waiting.clear();
    for (const letGo of waiting) letGo(this.#options.random() * spreadMs);
  }

  /** Also ends when the signal aborts. */
  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this.#options.clock, ms, signal, { keepAlive: false }).catch(() => {});
  }
}

/** So that the connection can be used again. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return;
  }
}
