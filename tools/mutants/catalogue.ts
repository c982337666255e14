import type { Mutant } from './mutant.ts';
import { OUTAGE_MUTANTS } from './outage.ts';
import { WORKQUEUE_MUTANTS } from './workqueue.ts';

/** Every planted bug, in the order of the pipeline. */
export const MUTANTS: readonly Mutant[] = [...OUTAGE_MUTANTS, ...WORKQUEUE_MUTANTS];
