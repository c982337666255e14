import type { BrokenObject } from './cached.ts';
import { TidewatchError } from './tidewatch-error.ts';

/** How many objects that cannot be used are described one by one. */
export const MAX_DESCRIBED = 100;

/** What is said of each further one: an error for each would take a hundred times the memory of what it is about. */
export const ONE_OF_MANY: BrokenObject = Object.freeze({
  problem: new TidewatchError(
    'unusable',
    `one of more than ${MAX_DESCRIBED} objects that cannot be used; the first of them are described`,
  ),
});

/** Adds to those of one list; beyond the first hundred with the key alone. */
export function addBroken(all: BrokenObject[], object: BrokenObject): void {
  all.push(all.length < MAX_DESCRIBED ? object : withoutProblem(object));
}

export function withoutProblem({ key }: BrokenObject): BrokenObject {
  return key === undefined ? ONE_OF_MANY : { problem: ONE_OF_MANY.problem, key };
}
