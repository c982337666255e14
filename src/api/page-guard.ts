import { TidewatchError } from './tidewatch-error.ts';

/** Beyond it, a server that finds little of what was asked for has no end. */
const MAX_EMPTY_PAGES = 1_000;

/**
 * Looks at the pages of one list, and throws when they do not come to an end: when a continue token comes a second time, when a page
 * repeats the one before it (the server ignores the token), or when a thousand pages in a row are empty.
 */
export class PageGuard {
  readonly #tokens = new Set<string>();
  #pages = 0;
  #empty = 0;
  /** The size of the last page, and its first and last object. */
  #last = '';

  /**
   * @param token what leads from this page to the next one
   * @param count how many objects the page has
   * @param nameAt what tells an object from all others
   */
  check(token: string, count: number, nameAt: (index: number) => string): void {
    this.#pages++;
    if (this.#tokens.has(token)) throw this.#endless('with the same continue token again');
    this.#tokens.add(token);
    this.#empty = count === 0 ? this.#empty + 1 : 0;
    if (this.#empty > MAX_EMPTY_PAGES) throw this.#endless(`without any object, as the ${MAX_EMPTY_PAGES} before it`);
    const page = count === 0 ? '' : JSON.stringify([count, nameAt(0), nameAt(count - 1)]);
    if (page !== '' && page === this.#last) throw this.#endless('with the objects of the page before it');
    this.#last = page;
  }

  #endless(how: string): TidewatchError {
    return new TidewatchError(
      'protocol',
      `the server answered page ${this.#pages} of a list ${how}: the list has no end`,
    );
  }
}
