/** Gets one value that was asked for. The first call counts; none of them may throw. */
export interface Receiver<V> {
  take(value: V): void;
  /** There are no more values. */
  end(): void;
  fail(error: unknown): void;
}

/**
 * Values that come one by one, each when it is asked for. An async iterator, which can also call a receiver as soon as the value is
 * there: what waits for the next bookmark of a thousand watches is then no chain of promises, and what comes passes through it at once.
 */
export abstract class Pulled<V> implements AsyncIterableIterator<V> {
  /** Asks for the next value, when the one before has come. `take` is not called before this returns. */
  abstract pull(receiver: Receiver<V>): void;

  /** Leaves it at once, also while a value is awaited: that is then the end. */
  abstract return(): Promise<IteratorResult<V, undefined>>;

  next(): Promise<IteratorResult<V, undefined>> {
    return new Promise((resolve, reject) => {
      this.pull({
        take: (value) => resolve({ done: false, value }),
        end: () => resolve({ done: true, value: undefined }),
        fail: reject,
      });
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Works on each until the end, one after the other. One promise for all of them: work that is done at once takes none. */
  each(work: (value: V) => void | Promise<void>): Promise<unknown> {
    return this.until(work);
  }

  /** The same until the work says true, or resolves with it: then true, and false at the end. Only native promises are waited for. */
  until(work: (value: V) => unknown): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const goOn = (isFound: unknown) => (isFound === true ? resolve(true) : this.pull(receiver));
      const receiver: Receiver<V> = {
        take: (value) => {
          try {
            const working = work(value);
            if (working instanceof Promise) working.then(goOn, reject);
            else goOn(working);
          } catch (error) {
            reject(error);
          }
        },
        end: () => resolve(false),
        fail: reject,
      };
      this.pull(receiver);
    });
  }

  /** What an iterator of anybody's brings. */
  static from<V>(values: AsyncIterable<V>): Pulled<V> {
    const iterator = values[Symbol.asyncIterator]();
    return iterator instanceof Pulled ? iterator : new Iterated(iterator);
  }
}

class Iterated<V> extends Pulled<V> {
  readonly #iterator: AsyncIterator<V>;

  constructor(iterator: AsyncIterator<V>) {
    super();
    this.#iterator = iterator;
  }

  async pull(receiver: Receiver<V>): Promise<void> {
    let result: IteratorResult<V>;
    try {
      result = await this.#iterator.next();
    } catch (error) {
      receiver.fail(error);
      return;
    }
    if (result.done) receiver.end();
    else receiver.take(result.value);
  }

  async return(): Promise<IteratorResult<V, undefined>> {
    await this.#iterator.return?.();
    return { done: true, value: undefined };
  }
}

/** Makes of each value that it pulls one for its reader, or pulls again. */
export abstract class Stage<From, To> extends Pulled<To> implements Receiver<From> {
  protected readonly source: Pulled<From>;
  /** Whoever waits for a value, or waited last. */
  protected reader: Receiver<To> | undefined;

  constructor(source: Pulled<From>) {
    super();
    this.source = source;
  }

  abstract take(value: From): void;

  pull(reader: Receiver<To>): void {
    this.reader = reader;
    this.source.pull(this);
  }

  end(): void {
    this.reader?.end();
  }

  fail(error: unknown): void {
    this.reader?.fail(error);
  }

  async return(): Promise<IteratorResult<To, undefined>> {
    await this.source.return();
    return { done: true, value: undefined };
  }
}
