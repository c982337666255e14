import { APISERVER_MUTANTS } from './apiserver.ts';
import { CLIENT_MUTANTS } from './client.ts';
import { CODEC_MUTANTS } from './codec.ts';
import { CONTROLLER_MUTANTS } from './controller.ts';
import { DAILY_USE_MUTANTS } from './daily-use.ts';
import { FACTORY_MUTANTS } from './factory.ts';
import { INFORMER_MUTANTS } from './informer.ts';
import { INSPECTOR_MUTANTS } from './inspector.ts';
import { METRICS_MUTANTS } from './metrics.ts';
import type { Mutant } from './mutant.ts';
import { OUTAGE_MUTANTS } from './outage.ts';
import { PROCESSOR_MUTANTS } from './processor.ts';
import { QUEUE_MUTANTS } from './queue.ts';
import { REFLECTOR_MUTANTS } from './reflector.ts';
import { STORE_MUTANTS } from './store.ts';
import { TRANSPORT_MUTANTS } from './transport.ts';
import { WORKQUEUE_MUTANTS } from './workqueue.ts';

/** Every planted bug, in the order of the pipeline. */
export const MUTANTS: readonly Mutant[] = [
  ...TRANSPORT_MUTANTS,
  ...CODEC_MUTANTS,
  ...REFLECTOR_MUTANTS,
  ...OUTAGE_MUTANTS,
  ...QUEUE_MUTANTS,
  ...STORE_MUTANTS,
  ...PROCESSOR_MUTANTS,
  ...INFORMER_MUTANTS,
  ...FACTORY_MUTANTS,
  ...DAILY_USE_MUTANTS,
  ...CLIENT_MUTANTS,
  ...WORKQUEUE_MUTANTS,
  ...CONTROLLER_MUTANTS,
  ...APISERVER_MUTANTS,
  ...METRICS_MUTANTS,
  ...INSPECTOR_MUTANTS,
];
