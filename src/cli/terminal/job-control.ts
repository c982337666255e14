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
}

/**
 * Ctrl-Z and `fg` for a program that has the whole terminal: in raw mode the key is a key, and the shell would get a terminal that echoes
 * nothing. Also after a stop by somebody else, the screen is drawn again.
 */
export class JobControl {
  readonly #leave: () => void;
  readonly #enter: () => void;
  readonly #host: Stoppable;

  constructor({ leave, enter, host = process }: JobControlOptions) {
    this.#leave = leave;
    this.#enter = enter;
    this.#host = host;
  }

  open(): void {
    this.#host.on('SIGCONT', this.#resumed);
  }

  close(): void {
    this.#host.off('SIGCONT', this.#resumed);
  }

  /** Ctrl-Z: stops the whole job, as the terminal would. Without effect where there is no such thing. */
  suspend(): void {
    if (this.#host.platform === 'win32') return;
    this.#leave();
    this.#host.kill(0, 'SIGTSTP');
  }

  readonly #resumed = (): void => {
    this.#leave();
    this.#enter();
  };
}
