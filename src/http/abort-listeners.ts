/**
 * Many callbacks on one signal through a single listener: a program hands one signal to hundreds of watches, and Node
 * takes more than ten listeners for a leak and says so on the console.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Audience>();

  /** Calls back once when the signal aborts; at once, if it has. Returns the way out, which is idempotent. */
  add(signal: AbortSignal | undefined, callback: () => void): () => void {
    if (signal === undefined) return () => {};
    if (signal.aborted) {
      callback();
      return () => {};
    }
    const audience = this.#bySignal.get(signal) ?? this.#listen(signal);
    // Two callers may pass the same function.
    const own = () => callback();
    audience.callbacks.add(own);
    return () => {
      audience.callbacks.delete(own);
      if (audience.callbacks.size === 0) this.#forget(signal, audience);
    };
  }

  #listen(signal: AbortSignal): Audience {
    const callbacks = new Set<() => void>();
    // Which signal it was is not asked of the event: to every listener but the first, Node says that it was none.
    const onAbort = () => {
      this.#bySignal.delete(signal);
      for (const callback of callbacks) callback();
    };
    const audience = { callbacks, onAbort };
    this.#bySignal.set(signal, audience);
    signal.addEventListener('abort', onAbort, { once: true });
    return audience;
  }

  #forget(signal: AbortSignal, audience: Audience): void {
    signal.removeEventListener('abort', audience.onAbort);
    if (this.#bySignal.get(signal) === audience) this.#bySignal.delete(signal);
  }
}

interface Audience {
  readonly callbacks: Set<() => void>;
  readonly onAbort: () => void;
}
