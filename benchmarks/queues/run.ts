/**
 * The work queues beside client-go's and controller-runtime's:
 *
 *   npx tsx benchmarks/queues/run.ts [--rounds 31] [--json] [--only text]
 */
import { raceOperations } from '../operation-race.ts';
import { operations } from './operations.ts';

await raceOperations({
  operations: operations(),
  peer: new URL('go', import.meta.url),
  peerName: 'client-go or controller-runtime',
});
