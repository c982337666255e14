/** One size of a run. */
export interface Leg {
  readonly objects: number;
  readonly rounds: number;
  readonly events: number;
}

interface Wishes {
  readonly check: boolean;
  readonly sizes?: string;
  readonly rounds?: string;
  readonly events?: string;
}

/** Less than half an hour on two cores. */
const FULL: readonly [Leg, ...Leg[]] = [
  { objects: 1_000, rounds: 3, events: 20_000 },
  { objects: 20_000, rounds: 5, events: 20_000 },
  { objects: 100_000, rounds: 4, events: 20_000 },
  { objects: 1_000_000, rounds: 3, events: 20_000 },
];

/** Less than three minutes. */
const CHECK: readonly [Leg, ...Leg[]] = [{ objects: 20_000, rounds: 3, events: 10_000 }];

/** A size that has no leg of its own gets the rounds and events of the next smaller one. */
export function plan(wishes: Wishes): Leg[] {
  const usual = wishes.check ? CHECK : FULL;
  const sizes = numbers('sizes', wishes.sizes) ?? usual.map((leg) => leg.objects);
  const rounds = numbers('rounds', wishes.rounds);
  const [events] = numbers('events', wishes.events) ?? [];
  return sizes.map((objects, index) => {
    const like = usual.findLast((leg) => leg.objects <= objects) ?? usual[0];
    return { objects, rounds: rounds?.[index] ?? rounds?.at(-1) ?? like.rounds, events: events ?? like.events };
  });
}

function numbers(option: string, text: string | undefined): number[] | undefined {
  const found = text?.split(',').map(Number);
  if (found?.some((number) => !Number.isInteger(number) || number < 1)) {
    throw new Error(`--${option} takes positive whole numbers, separated by commas: not "${text}"`);
  }
  return found;
}
