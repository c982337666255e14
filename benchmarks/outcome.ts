import type { Contestant } from './contestants.ts';
import type { Failure } from './race.ts';
import { type Scene, titleOf } from './scene.ts';
import type { Summary } from './summary.ts';

/** What a run has shown, of whom. */
export interface Outcome {
  readonly summary: Summary;
  /** Those that were measured. */
  readonly scenes: readonly Scene[];
  /** Those that could be built, and that were asked for. */
  readonly contestants: readonly Contestant[];
  readonly failures: readonly Failure[];
}

/** A contestant in the table of one scene. */
export interface Row {
  readonly name: string;
  /** Why there are no figures. */
  readonly without?: string;
}

/** In the order of the contestants. */
export function rows(outcome: Outcome, scene: Scene): Row[] {
  return outcome.contestants.flatMap((contestant) => {
    const { name } = contestant;
    if (outcome.summary.rounds(name, titleOf(scene)) > 0) return [{ name }];
    const without = reason(contestant, scene, outcome);
    return without === undefined ? [] : [{ name, without }];
  });
}

function reason(contestant: Contestant, scene: Scene, outcome: Outcome): string | undefined {
  const { name, beyond, maxObjects } = contestant;
  const failure = outcome.failures.find((it) => it.peer === name && it.scene === titleOf(scene));
  if (failure !== undefined) return `It failed in this run: ${failure.message.split('\n')[0]}.`;
  if (!contestant.kinds.has(scene.kind) || scene.objects <= maxObjects || beyond === undefined) return undefined;
  return `Not tried: ${beyond(heapOf(name, scene.objects, outcome))}.`;
}

/** What this many objects would take at the bytes an object of the largest size that was measured. */
function heapOf(name: string, objects: number, { summary, scenes }: Outcome): string {
  const ofPods = scenes.filter(({ kind }) => kind === 'pods');
  const measured = ofPods.flatMap((scene) => summary.figure(name, titleOf(scene), 'heapBytesPerObject') ?? []);
  const bytes = measured.at(-1);
  return bytes === undefined ? 'too large' : `about ${Math.round((bytes * objects) / 1e9)} GB`;
}
