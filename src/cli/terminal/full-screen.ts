import { type CliIo, Interrupted } from '../cli-io.ts';
import { untilAborted } from '../until-aborted.ts';
import { JobControl, type Stoppable } from './job-control.ts';
import { type Key, Keyboard } from './keyboard.ts';
import { RepaintTimer } from './repaint-timer.ts';
import { Screen } from './screen.ts';

export interface FullScreenOptions {
  io: Pick<CliIo, 'stdin' | 'stdout' | 'clock' | 'signal'>;
  /** A frame at least this often, for what changes by itself, such as an age. */
  idleMs: number;
  /** Works out a frame and draws it. Not called while the terminal has no time for one. */
  paint: () => void;
  /** Every key but those that leave: `q`, Ctrl-C and Ctrl-Z. */
  onKey: (key: Key) => void;
  /** The size of the terminal has changed. A frame is asked for anyway. */
  onStale?: () => void;
  /** What Ctrl-Z stops. Default: this process. */
  host?: Stoppable | undefined;
}

/** The whole terminal, from `show` on until what it shows has ended: frames, keys, Ctrl-Z and `fg`. */
export class FullScreen {
  readonly #options: FullScreenOptions;
  readonly #timer: RepaintTimer;
  readonly #screen: Screen;
  readonly #keyboard: Keyboard;
  readonly #job: JobControl;
  #leave: (how: number | Interrupted) => void = () => {};

  constructor(options: FullScreenOptions) {
    const { io, idleMs, paint, onStale, host } = options;
    this.#options = options;
    const paintIfReady = () => {
      if (this.#screen.ready) paint();
    };
    this.#timer = new RepaintTimer({ clock: io.clock, idleMs, paint: paintIfReady });
    const stale = () => {
      onStale?.();
      this.#timer.request();
    };
    this.#screen = new Screen({ output: io.stdout, onStale: stale });
    this.#keyboard = new Keyboard(io.stdin, (key) => this.#pressed(key));
    this.#job = new JobControl({ leave: () => this.#giveBack(), enter: () => this.#take(), ...(host && { host }) });
  }

  get rows(): number {
    return this.#screen.rows;
  }

  get columns(): number {
    return this.#screen.columns;
  }

  draw(lines: readonly string[]): void {
    this.#screen.draw(lines);
  }

  /** Something has changed. Cheap: it may be called for every event. */
  changed(): void {
    this.#timer.request();
  }

  /**
   * Takes the terminal, and gives it back when `work` has ended. `left` resolves with the exit code when the user leaves by `q`, and rejects
   * with what ended the program: `Interrupted` for Ctrl-C, or the reason of its signal.
   */
  async show<R>(work: (left: Promise<number>) => Promise<R>): Promise<R> {
    const { signal } = this.#options.io;
    const pressed = new Promise<number>((resolve, reject) => {
      this.#leave = (how) => (typeof how === 'number' ? resolve(how) : reject(how));
    });
    const left = Promise.race([pressed, untilAborted(signal).then(() => Promise.reject(signal.reason))]);
    left.catch(() => {});
    this.#take();
    this.#job.open();
    try {
      return await work(left);
    } finally {
      this.#timer.stop();
      this.#job.close();
      this.#giveBack();
    }
  }

  #take(): void {
    this.#screen.open();
    this.#keyboard.open();
    this.#timer.request();
  }

  #giveBack(): void {
    this.#keyboard.close();
    this.#screen.close();
  }

  #pressed(key: Key): void {
    if (key === 'q') this.#leave(0);
    else if (key === 'ctrl-c') this.#leave(new Interrupted('SIGINT'));
    else if (key === 'ctrl-z') this.#job.suspend();
    else this.#options.onKey(key);
  }
}
