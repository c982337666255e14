import type { Duplex } from 'node:stream';

/** Which container somebody asks for. */
export interface KubeletTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Somebody asks for the log of a container. */
export interface KubeletLogRequest extends KubeletTarget {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds: number | undefined;
  readonly tailLines: number | undefined;
}

/** A program that somebody runs, or is attached to. */
export interface KubeletSession extends KubeletTarget {
  /** Empty when somebody attaches. */
  readonly command: readonly string[];
  readonly tty: boolean;
  /** What the client sends; ends when it says so. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** The sizes of the terminal, as the client tells them. */
  readonly sizes: AsyncIterable<{ readonly columns: number; readonly rows: number }>;
  stdout(chunk: string | Uint8Array): Promise<void>;
  stderr(chunk: string | Uint8Array): Promise<void>;
}

/** Somebody connects to a port of a pod. */
export interface KubeletPort extends Omit<KubeletTarget, 'container'> {
  readonly port: number;
}

/**
 * What runs the pods of the embedded server, as far as a test needs it: the server speaks the protocols, and hands the rest over. What is
 * unset, the server answers with 501. What a function throws is what the client is told: before a stream has begun a 500, after that the
 * end of the stream.
 */
export interface Kubelet {
  /** The text of a log, in pieces of any size. */
  log?:
    | ((
        request: KubeletLogRequest,
      ) =>
        | string
        | Iterable<string>
        | AsyncIterable<string>
        | Promise<string | Iterable<string> | AsyncIterable<string>>)
    | undefined;
  /** Runs until it returns; a number is the exit code. */
  exec?: ((session: KubeletSession) => Promise<number | undefined> | Promise<void> | number | void) | undefined;
  attach?: ((session: KubeletSession) => Promise<number | undefined> | Promise<void> | number | void) | undefined;
  /** The connection is the pod's side of it. It ends when it returns, or is destroyed. */
  portForward?: ((request: KubeletPort, connection: Duplex) => Promise<void> | void) | undefined;
}
