import type { KnownDifference } from './verdict.ts';

/**
 * What fails on which runtime, and why. `npm run test:runtimes` fails when something else fails, and when something here
 * passes. docs/runtimes.md tells users the same.
 */
export const knownDifferences: readonly KnownDifference[] = [];
