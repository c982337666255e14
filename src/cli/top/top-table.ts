import type { ManagerStatus } from '../../controller/manager-status.ts';
import { ROLE_LABEL, SHARDING_LABEL } from '../../controller/sharding-options.ts';
import type { Lease } from '../../generated/api/coordination/v1.ts';

export const HEADINGS = ['LEASE', 'HOLDER', 'SHARDS', 'RENEWED', 'WAITING', 'RUNNING', 'FAILING'] as const;

/** What a health server has answered; an error where it did not. */
export type HealthAnswer =
  | { readonly url: string; readonly status: ManagerStatus }
  | { readonly url: string; readonly error: string };

interface Holding {
  readonly lease: string;
  readonly holder: string;
  readonly shards: number[];
  renewedMs: number;
}

/** A row for each Lease and, of a sharding, for each process that owns or shares shards. What nobody holds has a holder of "-". */
export function topRows(
  leases: readonly Lease[],
  answers: readonly HealthAnswer[],
  { nowMs, name }: { nowMs: number; name?: string | undefined },
): string[][] {
  const holdings = new Map<string, Holding>();
  for (const lease of leases) {
    const { labels = {}, name: leaseName = '' } = lease.metadata ?? {};
    const { holderIdentity, renewTime, leaseDurationSeconds = 0 } = lease.spec ?? {};
    const group = labels[SHARDING_LABEL] ?? leaseName;
    if (name !== undefined && group !== name) continue;
    const renewedMs = Date.parse(renewTime ?? '');
    const isMember = labels[ROLE_LABEL] === 'member';
    // By the clock of this machine: good enough to look at, and for nothing else.
    const isUp = Number.isFinite(renewedMs) && nowMs - renewedMs > leaseDurationSeconds * 1_000;
    const holder = !holderIdentity || isUp ? '-' : holderIdentity;
    if (isMember && holder === '-') continue;
    const id = `${group} ${holder}`;
    const holding = holdings.get(id) ?? { lease: group, holder, shards: [], renewedMs: Number.NEGATIVE_INFINITY };
    holdings.set(id, holding);
    const shard = /-shard-(\d+)$/.exec(leaseName)?.[1];
    if (labels[ROLE_LABEL] === 'shard' && shard !== undefined) holding.shards.push(Number(shard));
    if (renewedMs > holding.renewedMs) holding.renewedMs = renewedMs;
  }
  const isSharding = new Set(leases.flatMap(({ metadata }) => metadata?.labels?.[SHARDING_LABEL] ?? []));
  return [...holdings.values()]
    .sort((a, b) => compare(a.lease, b.lease) || compare(a.holder, b.holder))
    .map(({ lease, holder, shards, renewedMs }) => [
      lease,
      holder,
      isSharding.has(lease) ? ranges(shards) : '',
      Number.isFinite(renewedMs) && holder !== '-' ? `${Math.max(0, Math.round((nowMs - renewedMs) / 1_000))}s` : '',
      ...work(holder, answers),
    ]);
}

/** `0-3,7`. */
function ranges(shards: readonly number[]): string {
  const parts: [first: number, last: number][] = [];
  for (const shard of [...shards].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === shard - 1) last[1] = shard;
    else parts.push([shard, shard]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join() || 'none';
}

/** Keys that wait, run and fail in the process with this identity; empty where nobody has told. */
function work(identity: string, answers: readonly HealthAnswer[]): string[] {
  const answer = answers.find((one) => 'status' in one && one.status.election?.identity === identity);
  if (answer === undefined || !('status' in answer)) return ['', '', ''];
  return (['waiting', 'running', 'failing'] as const).map((field) =>
    String(answer.status.controllers.reduce((sum, controller) => sum + controller[field], 0)),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
