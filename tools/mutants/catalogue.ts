import { FACTORY_MUTANTS } from './factory.ts';
import { INFORMER_MUTANTS } from './informer.ts';
import type { Mutant } from './mutant.ts';
import { PROCESSOR_MUTANTS } from './processor.ts';
import { QUEUE_MUTANTS } from './queue.ts';
import { STORE_MUTANTS } from './store.ts';
import { WORKQUEUE_MUTANTS } from './workqueue.ts';

/** Every planted bug, in the order of the pipeline. */
export const MUTANTS: readonly Mutant[] = [
  ...QUEUE_MUTANTS,
  ...STORE_MUTANTS,
  ...PROCESSOR_MUTANTS,
  ...INFORMER_MUTANTS,
  ...FACTORY_MUTANTS,
  ...WORKQUEUE_MUTANTS,
];
