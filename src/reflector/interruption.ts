/**
 * Starts work and settles as it does, unless the signal aborts first: then it rejects with the signal's reason at once,
 * and what the work brings later goes to `late` (a late failure goes nowhere). Work that never settles thus holds up
 * nobody. Work that throws at once is work that rejects.
 */
export function interruptible<T>(
  start: () => PromiseLike<T> | T,
  signal: AbortSignal,
  late?: (value: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    begin(start).then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) late?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}

/** Work that throws at once becomes work that rejects. */
async function begin<T>(start: () => PromiseLike<T> | T): Promise<T> {
  return await start();
}

/** A signal of its own for one call: aborts with its parent, or alone. `release` it when the call is over. */
export class CallScope {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #onParentAbort = () => this.#controller.abort(this.#parent.reason);

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    if (parent.aborted) this.#onParentAbort();
    else parent.addEventListener('abort', this.#onParentAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#parent.removeEventListener('abort', this.#onParentAbort);
  }
}
