import { CODEC_MUTANTS } from './codec.ts';
import type { Mutant } from './mutant.ts';
import { WORKQUEUE_MUTANTS } from './workqueue.ts';

/** Every planted bug, in the order of the pipeline. */
export const MUTANTS: readonly Mutant[] = [...CODEC_MUTANTS, ...WORKQUEUE_MUTANTS];
