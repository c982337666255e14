import { humanDuration } from '../../apiserver/table/human-duration.ts';
import type { Pod } from '../../generated/api/core/v1.ts';

/** What the demo shows of a pod; the real thing has many more cases. */
export interface PodRow {
  readonly name: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
  readonly node: string;
  readonly age: string;
}

export function podRow({ metadata, spec, status }: Pod, nowMs: number): PodRow {
  const containers = status?.containerStatuses ?? [];
  const ready = containers.filter((container) => container.ready).length;
  const waiting = containers.find(({ state }) => state?.waiting)?.state?.waiting?.reason;
  return {
    name: metadata?.name ?? '',
    ready: `${ready}/${spec?.containers.length ?? 0}`,
    status: metadata?.deletionTimestamp ? 'Terminating' : (waiting ?? status?.phase ?? 'Unknown'),
    restarts: String(containers.reduce((sum, { restartCount }) => sum + restartCount, 0)),
    node: spec?.nodeName ?? '',
    age: humanDuration(Math.max(0, nowMs - Date.parse(metadata?.creationTimestamp ?? ''))),
  };
}
