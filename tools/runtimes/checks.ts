import type { Check } from './check.ts';
import { commandChecks } from './checks/command.ts';
import { encodingChecks } from './checks/encodings.ts';
import { faultChecks } from './checks/faults.ts';
import { informerChecks } from './checks/informer.ts';
import { loginChecks } from './checks/login.ts';
import { timeChecks } from './checks/time.ts';
import { tlsChecks } from './checks/tls.ts';
import { viewChecks } from './checks/views.ts';

/** All of them, in the order in which they are run and printed. */
export const checks: readonly Check[] = [
  ...informerChecks,
  ...viewChecks,
  ...encodingChecks,
  ...tlsChecks,
  ...loginChecks,
  ...faultChecks,
  ...timeChecks,
  ...commandChecks,
];
