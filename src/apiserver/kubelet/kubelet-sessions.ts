import { Duplex } from 'node:stream';
import { ItemQueue } from './item-queue.ts';
import type { Kubelet, KubeletPort, KubeletSession, KubeletTarget } from './kubelet.ts';
import type { ServerSocket } from './server-socket.ts';

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export interface SessionRequest extends KubeletTarget {
  command: readonly string[];
  tty: boolean;
  /** Whether the client sends input. */
  hasInput: boolean;
}

type Program = NonNullable<Kubelet['exec']>;

/** One program on the channels of one WebSocket: its output, its input, and last how it ended. */
export async function serveProgram(socket: ServerSocket, request: SessionRequest, program: Program): Promise<void> {
  const stdin = new ItemQueue<Uint8Array>();
  const sizes = new ItemQueue<{ columns: number; rows: number }>();
  const { hasInput, ...target } = request;
  if (!hasInput) stdin.end();
  void receive(socket, stdin, sizes);
  const write = (channel: number) => (chunk: string | Uint8Array) =>
    socket.send(channel, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  const session: KubeletSession = {
    ...target,
    stdin,
    sizes,
    stdout: write(CHANNEL.stdout),
    stderr: write(CHANNEL.stderr),
  };
  const status = await programStatus(program, session);
  await socket.send(CHANNEL.error, Buffer.from(JSON.stringify(status)));
  await socket.close();
}

async function receive(
  socket: ServerSocket,
  stdin: ItemQueue<Uint8Array>,
  sizes: ItemQueue<{ columns: number; rows: number }>,
): Promise<void> {
  for await (const message of socket.messages()) {
    const data = message.subarray(1);
    if (message[0] === CHANNEL.stdin) stdin.push(data);
    else if (message[0] === CHANNEL.close && data[0] === CHANNEL.stdin) stdin.end();
    else if (message[0] === CHANNEL.resize) {
      const { Width, Height } = JSON.parse(data.toString('utf8')) as { Width: number; Height: number };
      sizes.push({ columns: Width, rows: Height });
    }
  }
  stdin.end();
  sizes.end();
}

async function programStatus(program: Program, session: KubeletSession): Promise<Record<string, unknown>> {
  const base = { metadata: {} };
  try {
    const exitCode = (await program(session)) ?? 0;
    if (exitCode === 0) return { ...base, status: 'Success' };
    return {
      ...base,
      status: 'Failure',
      message: `command terminated with non-zero exit code: exit status ${exitCode}`,
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
    };
  } catch (error) {
    const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
    return { ...base, status: 'Failure', message, reason: 'InternalError', code: 500 };
  }
}

/** One port on a pair of channels, each of which begins with the number of the port. */
export async function servePort(
  socket: ServerSocket,
  request: KubeletPort,
  forward: NonNullable<Kubelet['portForward']>,
): Promise<void> {
  const greeting = Buffer.alloc(2);
  greeting.writeUInt16LE(request.port);
  await socket.send(0, greeting);
  await socket.send(1, greeting);
  const written = new ItemQueue<Buffer>();
  // Each write is handed over at once: leaving a loop over the connection destroys it, and what was written before must still be sent.
  const connection = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  connection.on('error', () => {});
  connection.once('finish', () => written.end());
  connection.once('close', () => written.end());
  const sent = (async () => {
    for await (const chunk of written) await socket.send(0, chunk);
  })().catch(() => {});
  void (async () => {
    for await (const message of socket.messages()) if (message[0] === 0) connection.push(message.subarray(1));
    connection.push(null);
  })();
  try {
    await forward(request, connection);
    if (!connection.destroyed) connection.end();
    await sent;
    await socket.close();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    await socket.send(1, Buffer.from(`error forwarding port ${request.port} to pod ${request.pod}, uid : ${said}`));
    await socket.close();
  }
}
