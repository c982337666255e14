import type { Figure } from './measured-run.ts';
import { ALLOWANCE, type Shown, show } from './promise.ts';
import { CUSTOM_RESOURCES, MILLION, pods, type Scene, STANDARD, titleOf } from './scene.ts';
import type { Summary } from './summary.ts';

/** What tidewatch promises of itself. */
interface Target {
  readonly what: string;
  readonly scene: Scene;
  readonly peer: string;
  readonly figure: Figure;
  /** The figure is divided by the same one of this peer in this scene. */
  readonly beside?: { readonly scene: Scene; readonly peer: string };
  readonly limit: number;
  readonly unit: string;
  /** Where it stands, when it is not kept yet: the check guards that instead. */
  readonly standing?: number;
  /** What `--check` allows, as a multiple. */
  readonly allowance: number;
  /** A time, of which `--check` allows more on a machine that is slower for all. */
  readonly isTime?: boolean;
}

const PROTOBUF = 'tidewatch, packed, protobuf';
const SHARED = 'tidewatch, shared, protobuf';
const JSON_PACKED = 'tidewatch, packed, JSON';

/** A short time tells of the machine, too. */
const READ_ALLOWANCE = 1.5;

/** CPU time that client-go's sync takes on the machine of docs/benchmarks.md, where the times stand that `--check` guards. */
const USUAL_CPU_SECONDS = 2.69;

const packed = { scene: STANDARD, peer: PROTOBUF, allowance: READ_ALLOWANCE } as const;
const micros = { ...packed, unit: 'µs', isTime: true } as const;
const millis = { ...micros, unit: 'ms' } as const;
/** As many are for a store that shares. */
const million = { scene: MILLION, peer: SHARED, allowance: ALLOWANCE } as const;
/** The same read of the same number of pods. */
const custom = {
  scene: CUSTOM_RESOURCES,
  peer: JSON_PACKED,
  beside: { scene: STANDARD, peer: PROTOBUF },
  limit: 1.5,
  unit: '',
  allowance: READ_ALLOWANCE,
} as const;

const TARGETS: readonly Target[] = [
  { what: 'get and metadata', figure: 'readGetMicros', ...micros, limit: 2.5, standing: 3 },
  {
    what: 'first read of the image of a container',
    figure: 'readFirstImageMicros',
    ...micros,
    limit: 12,
    standing: 13,
  },
  { what: 'list, all names', figure: 'readListNamesMs', ...millis, limit: 40, standing: 50 },
  { what: 'list, phase and node of all', figure: 'readTwoFieldsMs', ...millis, limit: 100, standing: 165 },
  { what: 'project, phase and node of all', figure: 'readProjectMs', ...millis, limit: 20, standing: 25 },
  {
    what: 'V8 heap for a pod',
    figure: 'v8BytesPerObject',
    ...packed,
    unit: 'bytes',
    allowance: ALLOWANCE,
    limit: 400,
  },
  { what: 'get and metadata, times that of a pod', figure: 'readGetMicros', ...custom },
  { what: 'first read of an image, times that of a pod', figure: 'readFirstImageMicros', ...custom },
  { what: 'list, all names, times that of pods', figure: 'readListNamesMs', ...custom },
  { what: 'list, two fields of all, times that of pods', figure: 'readTwoFieldsMs', ...custom },
  { what: 'peak RSS', figure: 'peakRssMb', ...million, limit: 4_096, unit: 'MB' },
  {
    what: 'sync, times that of 100,000',
    figure: 'syncSeconds',
    ...million,
    beside: { scene: pods(100_000), peer: SHARED },
    limit: 12,
    unit: '',
  },
  { what: 'loop delay p99', figure: 'eventLoopP99Ms', ...million, limit: 20, unit: 'ms' },
];

/** Those that were measured. */
export function targets(summary: Summary): Shown[] {
  const machine = slowness(summary);
  return TARGETS.flatMap(
    ({ what, scene: at, peer, figure, beside, limit, unit, standing = limit, allowance, isTime }) => {
      const scene = titleOf(at);
      const own = summary.figure(peer, scene, figure);
      const other = beside === undefined ? 1 : summary.figure(beside.peer, titleOf(beside.scene), figure);
      if (own === undefined || other === undefined) return [];
      const guarded = (standing * allowance * (isTime ? machine : 1)) / ALLOWANCE;
      return [show({ what, scene, concerned: [peer], value: own / other, unit, limit, atLeast: false, guarded })];
    },
  );
}

/** How many times longer everything takes than usual, by what client-go takes in the same run; 1 on a faster machine. */
function slowness(summary: Summary): number {
  const cpuSeconds = summary.figure('client-go, protobuf', titleOf(STANDARD), 'cpuSeconds') ?? USUAL_CPU_SECONDS;
  return Math.max(1, cpuSeconds / USUAL_CPU_SECONDS);
}
