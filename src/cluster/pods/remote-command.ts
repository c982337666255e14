import { ApiError } from '../../api/api-error.ts';
import { shown } from '../../api/option-check.ts';
import type { Status } from '../../api/status.ts';
import { TransportError } from '../../api/transport-error.ts';
import type { WebSocketConnection } from '../../http/websocket/websocket-connection.ts';
import { guarded } from '../../observe/guarded.ts';
import { interruptible } from '../../observe/interruption.ts';
import type { Logger } from '../../observe/logger.ts';
import { type ChannelSource, openChannels } from './open-channels.ts';
import { Output } from './output.ts';
import type { AttachOptions, ExecResult } from './pod-options.ts';

/** The first byte of each message. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
const V5 = 'v5.channel.k8s.io';
const PROTOCOLS = [V5, 'v4.channel.k8s.io'];
const MAX_INPUT_BYTES = 32 * 1024;
const MAX_COLLECTED_BYTES = 16 * 1024 * 1024;
/** How long the rest of the output may take when the program has ended. */
const REST_MS = 10_000;

export interface RemoteCommand extends AttachOptions {
  path: string;
  /** Hears of input whose end cannot be said. */
  logger: Logger;
  /** Unset: attached to what runs. */
  command?: readonly string[];
}

/** Runs a program in a container, or attaches to the one that runs there, until it ends. */
export async function remoteCommand(source: ChannelSource, options: RemoteCommand): Promise<ExecResult> {
  const { path, signal, maxOutputBytes = MAX_COLLECTED_BYTES } = options;
  const { socket, protocol } = await openChannels(source, {
    path,
    query: queryOf(options),
    protocols: PROTOCOLS,
    signal,
  });
  const stdout = new Output(options.stdout, maxOutputBytes);
  const stderr = new Output(options.stderr, maxOutputBytes);
  const feeds = [feedInput(socket, protocol, options), feedSizes(socket, options.sizes)];
  for (const feed of feeds) feed.done.catch((error: unknown) => socket.destroy(asError(error)));
  const rest = { timer: undefined as { clear(): void } | undefined };
  let status: Status | undefined;
  try {
    for await (const message of socket.messages()) {
      const data = message.subarray(1);
      if (message[0] === CHANNEL.stdout) await interruptible(() => stdout.write(data), signal);
      else if (message[0] === CHANNEL.stderr) await interruptible(() => stderr.write(data), signal);
      else if (message[0] === CHANNEL.error && data.length > 0) {
        status = statusOf(data);
        rest.timer ??= source.clock.setTimeout(() => socket.destroy(), REST_MS, { keepAlive: false });
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    // With the status all is said.
    if (status === undefined || !(error instanceof TransportError)) throw error;
  } finally {
    rest.timer?.clear();
    socket.destroy();
    for (const feed of feeds) feed.leave();
    stdout.end();
    stderr.end();
  }
  if (status === undefined) {
    throw new TransportError('reset', `GET ${path}: the connection ended before the program said how it ended`);
  }
  return { exitCode: exitCodeOf(status, path), stdout: stdout.text, stderr: stderr.text };
}

function queryOf({ command = [], container, stdin, sizes, tty = false, stdout, stderr }: RemoteCommand): string {
  if (!isInput(stdin)) throw new TypeError('stdin must be text, bytes, or an async iterable of them');
  if (![stdout, stderr].every(isSink)) throw new TypeError('stdout and stderr must be functions or writable streams');
  if (!isItems(sizes)) throw new TypeError('sizes must be an async iterable of { columns, rows }');
  const query = new URLSearchParams();
  for (const word of command) query.append('command', word);
  if (container !== undefined) query.set('container', container);
  if (stdin !== undefined) query.set('stdin', 'true');
  query.set('stdout', 'true');
  // A terminal has one stream.
  if (!tty) query.set('stderr', 'true');
  else if (stderr !== undefined) throw new TypeError('with tty, stderr comes on stdout: leave the option stderr out');
  if (tty) query.set('tty', 'true');
  return query.toString();
}

function isInput(stdin: unknown): boolean {
  return typeof stdin === 'string' || stdin instanceof Uint8Array || isItems(stdin);
}

function isSink(sink: unknown): boolean {
  if (sink === undefined || typeof sink === 'function') return true;
  const { write, on } = Object(sink) as { write?: unknown; on?: unknown };
  return typeof write === 'function' && typeof on === 'function';
}

function isItems(items: unknown): boolean {
  return items === undefined || (typeof items === 'object' && items !== null && Symbol.asyncIterator in items);
}

interface Feed {
  done: Promise<void>;
  /** Nobody wants more of it. */
  leave(): void;
}

function feedInput(socket: WebSocketConnection, protocol: string, { stdin, path, logger }: RemoteCommand): Feed {
  if (stdin === undefined) return { done: Promise.resolve(), leave() {} };
  const whole = typeof stdin === 'string' || stdin instanceof Uint8Array;
  return feed(
    whole ? once(stdin) : stdin,
    async (chunk) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (!(bytes instanceof Uint8Array)) throw new TypeError(`stdin brought ${shown(bytes)}, and not text or bytes`);
      for (let at = 0; at < bytes.length; at += MAX_INPUT_BYTES) {
        await socket.send(Uint8Array.of(CHANNEL.stdin), bytes.subarray(at, at + MAX_INPUT_BYTES));
      }
    },
    async () => {
      if (protocol === V5) await socket.send(Uint8Array.of(CHANNEL.close, CHANNEL.stdin));
      else
        logger.warn(
          `GET ${path}: the server speaks ${protocol}, in which the end of the input cannot be said: a program that reads to its end waits until the signal aborts.`,
        );
    },
  );
}

function feedSizes(socket: WebSocketConnection, sizes: AttachOptions['sizes']): Feed {
  if (sizes === undefined) return { done: Promise.resolve(), leave() {} };
  return feed(sizes, async ({ columns, rows }) => {
    await socket.send(Uint8Array.of(CHANNEL.resize), Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
  });
}

/** Reads what the user hands in until it ends or nobody wants more; it may hang or throw anywhere, and nobody waits for it. */
function feed<T>(items: AsyncIterable<T>, take: (item: T) => Promise<void>, end = async () => {}): Feed {
  let iterator: AsyncIterator<T> | undefined;
  let isLeft = false;
  const pump = async () => {
    iterator = items[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await iterator.next();
      if (isLeft) return;
      if (done) return end();
      await take(value);
    }
  };
  return {
    done: pump(),
    leave() {
      isLeft = true;
      guarded(
        () => iterator?.return?.(),
        () => {},
      );
    },
  };
}

async function* once<T>(item: T): AsyncGenerator<T, void, undefined> {
  yield item;
}

function statusOf(data: Buffer): Status {
  try {
    const parsed: unknown = JSON.parse(data.toString('utf8'));
    // Without kind and apiVersion, which the server leaves out here.
    if (typeof parsed === 'object' && parsed !== null && 'status' in parsed) return parsed as Status;
  } catch {
    // Reported below.
  }
  throw new TransportError('protocol', 'how the program ended is not said as a Status');
}

/** 0 for success, the code of a program that failed; that it could not be run is an error. */
function exitCodeOf(status: Status, path: string): number {
  if (status.status === 'Success') return 0;
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status.reason === 'NonZeroExitCode' && code !== undefined && /^\d{1,3}$/.test(code)) return Number(code);
  throw new ApiError({ ...status, code: status.code ?? 500 }, { request: `GET ${path}` });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new TypeError(`the input failed: ${String(thrown)}`);
}
