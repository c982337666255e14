import type { Figure } from './measured-run.ts';
import { type Shown, show } from './promise.ts';
import { ONE_POD, type Scene, STANDARD, titleOf } from './scene.ts';
import type { Summary } from './summary.ts';

/** What tidewatch promises beside a peer, as a quotient of the same figure of both in one run. */
interface Ratio {
  readonly what: string;
  readonly scene: Scene;
  readonly ours: string;
  readonly theirs: string;
  readonly figure: Figure;
  /** The quotient is at most this; with `atLeast`, at least this. */
  readonly limit: number;
  readonly atLeast?: boolean;
  /** Where it stands, when it is not kept yet: the check guards that instead. */
  readonly standing?: number;
}

const PROTOBUF = 'tidewatch, packed, protobuf';
const SHARED = 'tidewatch, shared, protobuf';
const JSON_PACKED = 'tidewatch, packed, JSON';
const GO_PROTOBUF = 'client-go, protobuf';
const GO_DROPPED = 'client-go, protobuf, managedFields dropped';
const GO_JSON = 'client-go, JSON';
const KUBE_RS = 'kube-rs, JSON';

const sync = { figure: 'syncSeconds' } as const;
const cpu = { figure: 'cpuSeconds' } as const;
const rss = { figure: 'peakRssMb' } as const;
const bytes = { figure: 'heapBytesPerObject' } as const;
const events = { figure: 'eventsPerSecond', atLeast: true } as const;

const standard = { scene: STANDARD, ours: PROTOBUF, theirs: GO_PROTOBUF } as const;
/** What sharing costs. */
const shared = { scene: STANDARD, ours: SHARED, theirs: PROTOBUF } as const;
const onePod = { scene: ONE_POD, ours: PROTOBUF, theirs: GO_PROTOBUF } as const;

const RATIOS: readonly Ratio[] = [
  { what: 'sync, protobuf', ...standard, limit: 0.25, standing: 0.3, ...sync },
  { what: 'CPU of the sync, protobuf', ...standard, limit: 0.35, ...cpu },
  { what: 'peak RSS', ...standard, limit: 0.33, ...rss },
  { what: 'bytes a pod', ...standard, limit: 0.27, ...bytes },
  { what: 'bytes a pod', ...standard, theirs: GO_DROPPED, limit: 0.4, ...bytes },
  { what: 'events/s, protobuf', ...standard, limit: 2.5, standing: 2, ...events },
  { what: 'sync, JSON', scene: STANDARD, ours: JSON_PACKED, theirs: GO_JSON, limit: 0.1, ...sync },
  { what: 'sync, JSON', scene: STANDARD, ours: JSON_PACKED, theirs: KUBE_RS, limit: 0.25, ...sync },
  {
    what: 'sync when everything is read',
    scene: STANDARD,
    ours: 'tidewatch, packed, everything read',
    theirs: 'tidewatch, plain, everything read',
    limit: 1.3,
    ...sync,
  },
  { what: 'sync, protobuf', ...onePod, limit: 0.35, ...sync },
  { what: 'sync, protobuf', ...onePod, theirs: '@kubernetes/client-node, JSON', limit: 0.12, ...sync },
  { what: 'bytes a pod', ...onePod, limit: 0.2, ...bytes },
  { what: 'peak RSS', ...onePod, limit: 0.4, ...rss },
  { what: 'events/s, protobuf', ...onePod, limit: 2, ...events },
  { what: 'events/s, JSON', scene: ONE_POD, ours: JSON_PACKED, theirs: GO_JSON, limit: 10, ...events },
  { what: 'bytes a pod, shared', ...standard, ours: SHARED, limit: 0.13, ...bytes },
  { what: 'sync, shared in packed', ...shared, limit: 1.3, ...sync },
  { what: 'CPU of the sync, shared in packed', ...shared, limit: 1.3, ...cpu },
  { what: 'peak RSS, shared in packed', ...shared, limit: 1.3, ...rss },
  { what: 'events/s, shared in packed', ...shared, limit: 0.77, ...events },
];

/** Those whose two sides were measured. */
export function ratios(summary: Summary): Shown[] {
  return RATIOS.flatMap(({ what, scene: at, ours, theirs, figure, limit, atLeast = false, standing = limit }) => {
    const scene = titleOf(at);
    const own = summary.figure(ours, scene, figure);
    const other = summary.figure(theirs, scene, figure);
    if (own === undefined || other === undefined) return [];
    const concerned = [ours, theirs];
    return [show({ what, scene, concerned, value: own / other, unit: '', limit, atLeast, guarded: standing })];
  });
}

/** The promises that these contestants could have shown, and did not. */
export function unmeasured(summary: Summary, names: ReadonlySet<string>): string[] {
  const measured = ({ scene, figure }: Ratio, peer: string) =>
    summary.figure(peer, titleOf(scene), figure) !== undefined;
  return RATIOS.filter(({ scene }) => summary.scenes.includes(titleOf(scene)))
    .filter(({ ours, theirs }) => names.has(ours) && names.has(theirs))
    .filter((ratio) => !measured(ratio, ratio.ours) || !measured(ratio, ratio.theirs))
    .map(({ what, ours, theirs, scene }) => `${what}: ${ours} / ${theirs}, ${titleOf(scene)}`);
}
