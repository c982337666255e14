import { describe, expect, it } from 'vitest';
import { Pulled, type Receiver } from './pulled.ts';

/** Values that are there already, or that somebody gives later. */
class Given extends Pulled<number> {
  readonly #values: number[];
  #reader: Receiver<number> | undefined;
  returned = 0;
  pulled = 0;

  constructor(values: number[]) {
    super();
    this.#values = values;
  }

  pull(reader: Receiver<number>): void {
    this.pulled++;
    this.#reader = reader;
  }

  /** To whoever waits: the next value, or the end. */
  give(): void {
    const value = this.#values.shift();
    if (value === undefined) this.#reader?.end();
    else this.#reader?.take(value);
  }

  fail(error: unknown): void {
    this.#reader?.fail(error);
  }

  async return(): Promise<IteratorResult<number, undefined>> {
    this.returned++;
    return { done: true, value: undefined };
  }
}

describe('Pulled', () => {
  it('is an async iterator', async () => {
    const given = new Given([1, 2]);
    const all: number[] = [];
    const reading = (async () => {
      for await (const value of given) all.push(value);
    })();
    for (let i = 0; i < 3; i++) {
      given.give();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await reading;
    expect(all).toEqual([1, 2]);
  });

  it('until looks no further than the value that is wanted, and asks for the next in the same call', async () => {
    const given = new Given([1, 2, 3, 4]);
    const seen: number[] = [];
    const found = given.until((value) => {
      seen.push(value);
      return value === 3;
    });
    for (let i = 0; i < 3; i++) given.give();
    expect(seen).toEqual([1, 2, 3]);
    expect(given.pulled).toBe(3);
    expect(await found).toBe(true);
  });

  it('until is false at the end, and rejects with what fails: the values, the look, or the wait', async () => {
    const ended = new Given([]);
    const atEnd = ended.until(() => true);
    ended.give();
    expect(await atEnd).toBe(false);
    const broken = new Given([]);
    const atFailure = broken.until(() => true);
    broken.fail(new Error('broken'));
    await expect(atFailure).rejects.toThrow('broken');
    const thrown = new Given([1]);
    const atThrow = thrown.until(() => {
      throw new Error('thrown');
    });
    thrown.give();
    await expect(atThrow).rejects.toThrow('thrown');
    const late = new Given([1]);
    const atRejection = late.until(() => Promise.reject(new Error('late')));
    late.give();
    await expect(atRejection).rejects.toThrow('late');
  });

  it('until asks for the next value only when a look that takes its time is over', async () => {
    const given = new Given([1, 2]);
    let goOn = (_isWanted: boolean) => {};
    const found = given.until(
      () =>
        new Promise<boolean>((resolve) => {
          goOn = resolve;
        }),
    );
    given.give();
    expect(given.pulled).toBe(1);
    goOn(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(given.pulled).toBe(2);
    given.give();
    goOn(true);
    expect(await found).toBe(true);
  });

  it('each works on all, one after the other', async () => {
    const given = new Given([1, 2, 3]);
    const done: string[] = [];
    const all = given.each(async (value) => {
      done.push(`begin ${value}`);
      await Promise.resolve();
      done.push(`end ${value}`);
    });
    for (let i = 0; i < 4; i++) {
      given.give();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    expect(done).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  it('takes what an iterator of anybody brings, its failure and its end, and leaves it when it is left', async () => {
    let isLeft = false;
    async function* values() {
      try {
        yield 1;
        yield 2;
      } finally {
        isLeft = true;
      }
    }
    const seen: number[] = [];
    const pulled = Pulled.from(values());
    expect(await pulled.until((value) => seen.push(value) === 1)).toBe(true);
    await pulled.return();
    expect([seen, isLeft]).toEqual([[1], true]);
    const failing = Pulled.from(
      // biome-ignore lint/correctness/useYield: it fails before its first value.
      (async function* (): AsyncGenerator<number> {
        throw new Error('broken');
      })(),
    );
    await expect(failing.each(() => {})).rejects.toThrow('broken');
    expect(Pulled.from(pulled)).toBe(pulled);
  });
});
