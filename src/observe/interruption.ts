/** Who waits for each signal: one listener for all, because Node takes more than ten for a leak and says so on the console. */
const audiences = new WeakMap<AbortSignal, Audience>();

interface Audience {
  /** Two callers may pass the same function. */
  readonly callbacks: Set<{ readonly callback: () => void }>;
  readonly listener: () => void;
}

/** Calls back once when the signal aborts; at once, if it has. Returns the way out, which is idempotent. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const audience = audiences.get(signal) ?? listen(signal);
  const own = { callback };
  audience.callbacks.add(own);
  return () => {
    audience.callbacks.delete(own);
    if (audience.callbacks.size > 0) return;
    signal.removeEventListener('abort', audience.listener);
    if (audiences.get(signal) === audience) audiences.delete(signal);
  };
}

function listen(signal: AbortSignal): Audience {
  const callbacks: Audience['callbacks'] = new Set();
  // Which signal it was is not asked of the event: to every listener but the first, Node says that it was none.
  const listener = () => {
    audiences.delete(signal);
    for (const { callback } of callbacks) callback();
  };
  const audience = { callbacks, listener };
  audiences.set(signal, audience);
  signal.addEventListener('abort', listener, { once: true });
  return audience;
}

/** Resolves when the signal aborts. When `over` aborts first, nothing listens any more, and it never settles. */
export function aborted(signal: AbortSignal, over?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const forget = onAbort(signal, resolve);
    onAbort(over, forget);
  });
}

/**
 * Starts work and settles as it does, unless the signal aborts first: then it rejects with the signal's reason at once,
 * and what the work brings later goes to `late` (a late failure goes nowhere). Work that never settles thus holds up
 * nobody. Work that throws at once is work that rejects.
 */
export function interruptible<T>(
  start: () => PromiseLike<T> | T,
  signal: AbortSignal | undefined,
  late?: (value: T) => void,
): Promise<T> {
  if (signal === undefined) return begin(start);
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const forget = onAbort(signal, () => reject(signal.reason));
    begin(start).then(
      (value) => {
        forget();
        if (signal.aborted) late?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        forget();
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
  /** Idempotent. */
  readonly release: () => void;

  constructor(parent: AbortSignal | undefined) {
    this.release = onAbort(parent, () => this.#controller.abort(parent?.reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }
}
