import { type Clock, systemClock, type Timer } from '../../observe/clock.ts';

/** The part of `process` that stops and goes on. */
export interface Stoppable {
  readonly platform: string;
  kill(pid: number, signal: NodeJS.Signals): unknown;
  on(event: 'SIGCONT', listener: () => void): unknown;
  off(event: 'SIGCONT', listener: () => void): unknown;
}

export interface JobControlOptions {
  /** Gives the terminal back as it was. */
  leave: () => void;
  /** Takes it again and draws everything. */
  enter: () => void;
  /** Default: this process. */
  host?: Stoppable;
  /** Default: the machine's. */
  clock?: Clock;
}

/** One that still runs after this long was not stopped. */
const STOP_MS = 500;

/**
 * Ctrl-Z and `fg` for a program that has the whole terminal: in raw mode the key is a key, and the shell would get a terminal that echoes
 * nothing. Also after a stop by somebody else, the screen is drawn again. Where no shell could say `fg`, as for the first process of a
 * container, the system drops the stop, and the screen comes back by itself.
 */
export class JobControl {
  readonly #leave: () => void;
  readonly #enter: () => void;
  readonly #host: Stoppable;
  readonly #clock: Clock;
  #stopping: Timer | undefined;

  constructor({ leave, enter, host = process, clock = systemClock }: JobControlOptions) {
    this.#leave = leave;
    this.#enter = enter;
    this.#host = host;
    this.#clock = clock;
  }

  open(): void {
    this.#host.on('SIGCONT', this.#resumed);
  }

  close(): void {
    this.#host.off('SIGCONT', this.#resumed);
    this.#stopping?.clear();
  }

  /** Ctrl-Z: stops the whole job, as the terminal would. Without effect where there is no such thing. */
  suspend(): void {
    if (this.#host.platform === 'win32') return;
    this.#leave();
    this.#host.kill(0, 'SIGTSTP');
    this.#stopping = this.#clock.setTimeout(this.#resumed, STOP_MS);
  }

  readonly #resumed = (): void => {
    this.#stopping?.clear();
    this.#leave();
    this.#enter();
  };
}
