export interface CliErrorOptions {
  /** 2 when the command line itself is wrong. Default 1. */
  exitCode?: number;
  /** What to do next, as a sentence of its own. */
  next?: string;
  cause?: unknown;
}

/** Ends a command. The message is one sentence without its full stop; what to do next may follow it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly next: string | undefined;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
    this.next = options.next;
  }
}

/** The command line is wrong. */
export class UsageError extends CliError {
  constructor(message: string, next?: string) {
    super(message, { exitCode: 2, ...(next !== undefined && { next }) });
  }
}
