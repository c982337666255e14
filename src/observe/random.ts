/** Numbers in [0, 1). Where every jitter comes from, so that a test can decide it. */
export type Random = () => number;

/** Not for secrets. */
export const systemRandom: Random = Math.random;
