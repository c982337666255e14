import type { KubernetesObject } from '../../api/metadata.ts';
import { monotonicMs } from '../../observe/scheduler.ts';
import { CliError } from '../cli-error.ts';
import type { CliIo } from '../cli-io.ts';
import { safeText } from '../terminal/safe-text.ts';

/** How long the story waits for something that must happen. */
const PATIENCE_MS = 30_000;

/** Prints the story, and lets it wait for what it tells of. */
export class Narrator {
  readonly #io: CliIo;
  /** What has happened and was not waited for yet. */
  readonly #happened: string[] = [];
  #wake: () => void = () => {};

  constructor(io: CliIo) {
    this.#io = io;
  }

  /** `who       what`; `happening` is what `heard` can wait for. */
  line(who: string, what: string, happening?: string): void {
    this.#io.stdout.write(`${who.padEnd(9)} ${safeText(what)}\n`);
    if (happening === undefined) return;
    this.#happened.push(happening);
    this.#wake();
  }

  event(type: 'ADD' | 'UPDATE' | 'DELETE', { metadata }: KubernetesObject, about: string): void {
    const key = `${metadata?.namespace}/${metadata?.name}`;
    this.line(type, `${key} at version ${metadata?.resourceVersion} (${about})`, `${type} ${metadata?.name}`);
  }

  /** Resolves when it has happened since the last time that it was waited for. */
  async heard(type: string, name?: string): Promise<void> {
    const wanted = name === undefined ? type : `${type} ${name}`;
    const { clock, signal } = this.#io;
    const deadlineMs = monotonicMs(clock) + PATIENCE_MS;
    for (;;) {
      const at = this.#happened.indexOf(wanted);
      if (at >= 0) {
        this.#happened.splice(at, 1);
        return;
      }
      if (monotonicMs(clock) >= deadlineMs) throw new CliError(`the demo waited too long for ${wanted}`);
      const done = new AbortController();
      const stop = AbortSignal.any([signal, done.signal]);
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
        clock.sleep(deadlineMs - monotonicMs(clock), stop).catch(() => {}),
      ]);
      done.abort();
      signal.throwIfAborted();
    }
  }
}
