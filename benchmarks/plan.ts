import { CUSTOM_RESOURCES, MILLION, ONE_POD, pods, type Scene, STANDARD } from './scene.ts';

/** One part of a run. */
export interface Leg extends Scene {
  readonly rounds: number;
  readonly events: number;
}

interface Wishes {
  readonly check: boolean;
  readonly sizes?: string;
  readonly rounds?: string;
  readonly events?: string;
}

/** Bytes an object are measured after as many updates. */
const EVENTS = 20_000;

/** About twenty minutes on two quiet cores; a third of it are the peers that decode JSON, with 100,000 pods. */
const FULL: readonly [Leg, ...Leg[]] = [
  { ...pods(1_000), rounds: 2, events: EVENTS },
  { ...STANDARD, rounds: 4, events: EVENTS },
  { ...STANDARD, tls: false, rounds: 2, events: EVENTS },
  { ...ONE_POD, rounds: 2, events: EVENTS },
  { ...CUSTOM_RESOURCES, rounds: 2, events: EVENTS },
  { kind: 'events', objects: 20_000, tls: true, rounds: 2, events: EVENTS },
  { kind: 'configmaps', objects: 20_000, tls: true, rounds: 2, events: EVENTS },
  { kind: 'secrets', objects: 20_000, tls: true, rounds: 2, events: EVENTS },
  { ...pods(100_000), rounds: 2, events: EVENTS },
  { ...MILLION, rounds: 2, events: EVENTS },
];

/** About three minutes. */
const CHECK: readonly [Leg, ...Leg[]] = [
  { ...STANDARD, rounds: 3, events: EVENTS },
  { ...CUSTOM_RESOURCES, rounds: 2, events: EVENTS },
];

/** With sizes: pods over TLS. A size that has no leg of its own gets the rounds and events of the next smaller one. */
export function plan(wishes: Wishes): Leg[] {
  const usual = wishes.check ? CHECK : FULL;
  const ofPods: readonly Leg[] = usual.filter(({ kind, tls }) => kind === 'pods' && tls);
  const sizes = numbers('sizes', wishes.sizes);
  const legs = sizes?.map((objects) => {
    const like = ofPods.findLast((leg) => leg.objects <= objects) ?? usual[0];
    return { ...like, objects };
  });
  const rounds = numbers('rounds', wishes.rounds);
  const [events] = numbers('events', wishes.events) ?? [];
  return (legs ?? usual).map((leg, index) => ({
    ...leg,
    rounds: rounds?.[index] ?? rounds?.at(-1) ?? leg.rounds,
    events: events ?? leg.events,
  }));
}

function numbers(option: string, text: string | undefined): number[] | undefined {
  const found = text?.split(',').map(Number);
  if (found?.some((number) => !Number.isInteger(number) || number < 1)) {
    throw new Error(`--${option} takes positive whole numbers, separated by commas: not "${text}"`);
  }
  return found;
}
