import type { Key } from './keyboard.ts';

/** How many lines a key scrolls, down for a positive number; undefined for a key that does not scroll. */
export function scrollStep(key: Key, page: number): number | undefined {
  switch (key) {
    case 'up':
    case 'k':
      return -1;
    case 'down':
    case 'j':
      return 1;
    case 'page-up':
      return -page;
    case 'page-down':
    case ' ':
      return page;
    case 'home':
    case 'g':
      return Number.NEGATIVE_INFINITY;
    case 'end':
    case 'G':
      return Number.POSITIVE_INFINITY;
    default:
      return undefined;
  }
}
