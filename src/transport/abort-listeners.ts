/**
 * Many callbacks on one signal through a single listener: a program hands one signal to hundreds of watches, and Node
 * takes more than ten listeners for a leak and says so on the console.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>();

  /** Calls back once when the signal aborts; at once, if it has. Returns the way out, which is idempotent. */
  add(signal: AbortSignal | undefined, callback: () => void): () => void {
    if (signal === undefined) return () => {};
    if (signal.aborted) {
      callback();
      return () => {};
    }
    const callbacks = this.#bySignal.get(signal) ?? this.#listen(signal);
    // Two callers may pass the same function.
    const own = () => callback();
    callbacks.add(own);
    return () => {
      callbacks.delete(own);
      if (callbacks.size === 0) this.#forget(signal, callbacks);
    };
  }

  #listen(signal: AbortSignal): Set<() => void> {
    const callbacks = new Set<() => void>();
    this.#bySignal.set(signal, callbacks);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    return callbacks;
  }

  #forget(signal: AbortSignal, callbacks: Set<() => void>): void {
    if (this.#bySignal.get(signal) !== callbacks) return;
    this.#bySignal.delete(signal);
    signal.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (event: Event): void => {
    const signal = event.currentTarget as AbortSignal;
    const callbacks = this.#bySignal.get(signal) ?? [];
    this.#bySignal.delete(signal);
    for (const callback of callbacks) callback();
  };
}
