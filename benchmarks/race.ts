import { type Contestant, LARGE } from './contestants.ts';
import { measuredRun, type Result } from './measured-run.ts';
import type { Leg } from './plan.ts';
import type { Command } from './programs.ts';
import type { Replay } from './replay.ts';
import { titleOf } from './scene.ts';

export interface Failure {
  readonly peer: string;
  /** The title of the scene. */
  readonly scene: string;
  readonly message: string;
}

interface RaceOptions {
  readonly commands: ReadonlyMap<string, Command>;
  readonly heard: (result: Result) => void;
  readonly failed: (failure: Failure) => void;
  /** A contestant has failed, and gets a second turn. */
  readonly again: (peer: string, error: unknown) => void;
}

/** Lets contestants take turns, so that whatever else the machine does falls on all of them. */
export class Race {
  readonly results: Result[] = [];
  readonly failures: Failure[] = [];
  readonly #options: RaceOptions;

  constructor(options: RaceOptions) {
    this.#options = options;
  }

  /** One turn each; one that fails gets a second one, and then no more in the same scene. Throws when the server has ended. */
  async round(replay: Replay, contestants: Iterable<Contestant>, leg: Leg, round: number): Promise<void> {
    const scene = titleOf(leg);
    for (const contestant of contestants) {
      const command = this.#options.commands.get(contestant.program);
      if (command === undefined || this.#hasFailed(contestant.name, scene)) continue;
      try {
        const isRead = contestant.program === 'tidewatch' && contestant.args.includes('--reads');
        const extra = leg.objects >= LARGE && isRead ? ['--reads-during-sync'] : [];
        const run = { contestant, command, extra, replay, events: leg.events, round };
        const result = await measuredRun(run).catch((error: unknown) => {
          if (!replay.alive) throw error;
          this.#options.again(contestant.name, error);
          return measuredRun(run);
        });
        this.results.push(result);
        this.#options.heard(result);
      } catch (error) {
        if (!replay.alive) throw new Error('the replay server has ended', { cause: error });
        const message = error instanceof Error ? error.message : String(error);
        const failure = { peer: contestant.name, scene, message };
        this.failures.push(failure);
        this.#options.failed(failure);
      }
    }
  }

  #hasFailed(peer: string, scene: string): boolean {
    return this.failures.some((failure) => failure.peer === peer && failure.scene === scene);
  }
}
