/** How many objects are taken between two yields: enough for a yield not to matter, too few to take long. */
export const STEP = 64;

/** Work that may pause at each yield. */
export type Steps<R = void> = Generator<void, R, void>;

/** All of it, without a pause. */
export function runThrough<R>(steps: Steps<R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function* setOf(keys: readonly string[]): Steps<ReadonlySet<string>> {
  const set = new Set<string>();
  for (const [i, key] of keys.entries()) {
    set.add(key);
    if (i % STEP === 0) yield;
  }
  return set;
}
