import type { Clock } from '../observe/clock.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `process.stdout`, or what a test gives instead. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  /** Unset when it is not a terminal. A terminal emits `resize` when they change. */
  readonly columns?: number;
  readonly rows?: number;
}

/** `process.stdin`, or what a test gives instead. */
export interface InputStream extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** All that a command has of the world, so that a test can run it in process. */
export interface CliIo {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  /** Relative paths start here. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborts when the user wants the command to end: Ctrl-C, or the other end of a pipe has gone. */
  readonly signal: AbortSignal;
}

/** The reason of an abort by a signal of the operating system. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** What a shell reports for a program that this signal ended. */
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`${signal} was received`);
    this.exitCode = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal];
  }
}

/** The reason of an abort because nobody reads our output any more. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';

  constructor() {
    super('the output was closed');
  }
}
