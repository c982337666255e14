import type { KnownDifference } from './verdict.ts';

/**
 * What fails on which runtime, and why. `npm run test:runtimes` fails when something else fails, and when something here
 * passes. docs/runtimes.md tells users the same.
 */
export const knownDifferences: readonly KnownDifference[] = [
  {
    runtime: 'deno',
    check: 'the error tells that a certificate has expired (tls-expired)',
    reason: 'Deno refuses the certificate, but reports it as one of an unknown authority (tls-ca).',
  },
];
