import { setMaxListeners } from 'node:events';

/** Whether runs may begin: while nobody holds it closed. */
export class Valve {
  readonly #reasons = new Set<string>();
  #closing = newClosing();
  #opened: Promise<void> | undefined;
  #open: () => void = () => {};
  #isOver = false;

  get isOpen(): boolean {
    return this.#isOver || this.#reasons.size === 0;
  }

  /** Aborts when it closes. One for each time that it is open. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Undefined when it is open; otherwise resolves when it is. */
  get opened(): Promise<void> | undefined {
    return this.#opened;
  }

  close(reason: string): void {
    this.#reasons.add(reason);
    if (this.#opened || this.#isOver) return;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.#closing.abort();
  }

  open(reason: string): void {
    this.#reasons.delete(reason);
    if (this.#reasons.size === 0) this.#let();
  }

  /** Later calls of `close` do nothing. */
  openForGood(): void {
    this.#isOver = true;
    this.#let();
  }

  #let(): void {
    if (!this.#opened) return;
    this.#opened = undefined;
    this.#closing = newClosing();
    this.#open();
  }
}

/** Each waiting worker listens. */
function newClosing(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}
