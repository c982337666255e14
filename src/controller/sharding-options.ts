import { anything, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { ELECTION_CHECKS, type LeaderElectorOptions } from './election-options.ts';
import type { ShardBy } from './shard-map.ts';

/** Several processes share the keys of a manager. The times are those of every Lease, by the rules of `LeaderElector`. */
export interface ShardingOptions extends Omit<LeaderElectorOptions, 'name' | 'labels'> {
  /** What the names of the Leases begin with: `website-shard-0`, `website-member-…`. Processes with one name share keys. */
  name: string;
  /** Into how many ranges keys are divided, each with a Lease: 1 to 256, and at least the number of processes. Default 16. */
  shards?: number | undefined;
  /** What of a key decides on its shard. `namespace` keeps all that is in a namespace together. Default `key`. */
  by?: ShardBy | undefined;
}

/** The labels of the Leases. */
export const SHARDING_LABEL = 'tidewatch.dev/sharding';
export const ROLE_LABEL = 'tidewatch.dev/role';
/** How its writer divides keys: `16-key`. All must divide them alike. */
export const DIVISION_LABEL = 'tidewatch.dev/division';

const MAX_SHARDS = 256;

const { labels: _, ...OF_ELECTION } = ELECTION_CHECKS;
export const SHARDING_CHECKS: OptionChecks<ShardingOptions> = { ...OF_ELECTION, shards: anything, by: anything };

export function checkedSharding(options: ShardingOptions): { shards: number; by: ShardBy } {
  checkedOptions('sharding', options, SHARDING_CHECKS, ['name']);
  const { name, shards = 16, by = 'key' } = options;
  if (typeof name !== 'string' || name.length > 63 || !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) {
    throw new TypeError(
      `"${name}" cannot be the name of a sharding: it must be at most 63 lower-case letters, digits and dashes, such as "website"`,
    );
  }
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS) {
    throw new TypeError(`shards must be a whole number from 1 to ${MAX_SHARDS}, and is ${shards}`);
  }
  if (by !== 'key' && by !== 'namespace') {
    throw new TypeError(`keys can be sharded by "key" or "namespace", and not by ${JSON.stringify(by)}`);
  }
  return { shards, by };
}
