import { aBoolean, aFunction, aNumber, anything, aSelector, aText, type OptionChecks } from '../../api/option-check.ts';
import { CALL_CHECKS, type CallOptions } from '../client-options.ts';

/** Options of `logs`. */
export interface LogOptions extends CallOptions {
  /** Which container. Default: the only one; a pod with several needs the name. kubectl's `-c`. */
  container?: string | undefined;
  /** Go on with what is written from now on, until the container ends. Default false. */
  follow?: boolean | undefined;
  /** Lines of the last seconds alone. kubectl's `--since`. */
  sinceSeconds?: number | undefined;
  /** This many of the last lines. Default: all. */
  tailLines?: number | undefined;
  /** Of the container before its last restart. Default false. */
  previous?: boolean | undefined;
  /** Each line begins with the time at which it was written. Default false. */
  timestamps?: boolean | undefined;
}

/** Options of `logsOf`. */
export interface LogsOfOptions extends Omit<LogOptions, 'previous'> {
  /** Pods of which the server says this, too: `spec.nodeName=node-1`. */
  fieldSelector?: string | undefined;
  /** Which pods, by their names. Default: all that the selectors mean. */
  matches?: ((pod: { readonly name: string; readonly namespace: string }) => boolean) | undefined;
}

/** One line of the log of one of several pods. */
export interface PodLogLine {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly line: string;
}

/** Where output goes: a function that is awaited, or a stream such as `process.stdout`, which is not ended. */
export type OutputSink = ((chunk: Uint8Array) => unknown) | NodeJS.WritableStream;

/** Options of `attach`. */
export interface AttachOptions extends CallOptions {
  /** Which container. Default: the server's choice, which is the only one, or that of an annotation. */
  container?: string | undefined;
  /**
   * What the program reads. A stream such as `process.stdin` will do. Its end is passed on to servers that speak version 5 of the protocol
   * (Kubernetes 1.30 and newer); others cannot be told, which is reported to the logger. Default: nothing.
   */
  stdin?: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** Default: collected, and given as text with the result. */
  stdout?: OutputSink | undefined;
  /** Default: collected. With `tty` it comes on stdout. */
  stderr?: OutputSink | undefined;
  /** Whether the program has a terminal. Default false. */
  tty?: boolean | undefined;
  /** The size of that terminal, whenever it changes. */
  sizes?: AsyncIterable<{ readonly columns: number; readonly rows: number }> | undefined;
  /** How much output is collected before the call fails. Default 16 MiB. */
  maxOutputBytes?: number | undefined;
}

/** Options of `exec`. */
export type ExecOptions = AttachOptions;

/** How a program in a container ended, and what it wrote. */
export interface ExecResult {
  /** 0 when all went well. */
  readonly exitCode: number;
  /** Empty when it went elsewhere. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of `portForward`. */
export interface PortForwardOptions extends CallOptions {
  /** Where to listen. Default 0: any free port. */
  localPort?: number | undefined;
  /** Default 127.0.0.1, which this machine alone reaches. */
  address?: string | undefined;
}

/**
 * A port of this machine that leads to a port of a pod. Each connection to it is one to the pod; one that fails is closed and reported
 * to the logger, and the others go on. Holds the process until `close`, the end of an `await using`, or its signal.
 */
export interface PortForward extends AsyncDisposable {
  /** Where it listens. */
  readonly localPort: number;
  readonly address: string;
  /** Ends all connections, and listens no more. Idempotent. */
  close(): Promise<void>;
}

const LOG_CHECKS = {
  ...CALL_CHECKS,
  container: aText,
  follow: aBoolean,
  sinceSeconds: aNumber,
  tailLines: aNumber,
  timestamps: aBoolean,
};

/** What flows in and out is checked where it is used. */
const ATTACH_CHECKS: OptionChecks<AttachOptions> = {
  ...CALL_CHECKS,
  container: aText,
  stdin: anything,
  stdout: anything,
  stderr: anything,
  sizes: anything,
  tty: aBoolean,
  maxOutputBytes: aNumber,
};

/** What each call that only pods have accepts. */
export const POD_CHECKS = {
  logs: { ...LOG_CHECKS, previous: aBoolean } satisfies OptionChecks<LogOptions>,
  logsOf: { ...LOG_CHECKS, fieldSelector: aSelector, matches: aFunction } satisfies OptionChecks<LogsOfOptions>,
  exec: ATTACH_CHECKS,
  attach: ATTACH_CHECKS,
  dial: CALL_CHECKS,
  portForward: { ...CALL_CHECKS, localPort: aNumber, address: aText } satisfies OptionChecks<PortForwardOptions>,
};
