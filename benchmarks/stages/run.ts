/**
 * The queue and the store beside client-go's:
 *
 *   npx tsx benchmarks/stages/run.ts [--rounds 31] [--json] [--only text]
 *
 * `--json` prints one line for each operation instead of the table, the best round of each side included.
 */
import { raceOperations } from '../operation-race.ts';
import { operations } from './operations.ts';

await raceOperations({ operations: operations(), peer: new URL('go', import.meta.url), peerName: 'client-go' });
