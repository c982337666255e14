import { refusalOf } from '../../api/response-body.ts';
import type { Transport } from '../../api/transport.ts';
import { TransportError } from '../../api/transport-error.ts';
import { webSocketHandshake } from '../../http/websocket/handshake.ts';
import { WebSocketConnection } from '../../http/websocket/websocket-connection.ts';
import type { Clock } from '../../observe/clock.ts';

/** Whose WebSockets they are. */
export interface ChannelSource {
  transport: Transport;
  clock: Clock;
  /** What messages call it. */
  server: string;
}

export interface ChannelRequest {
  path: string;
  query: string;
  /** The best first. */
  protocols: readonly string[];
  signal?: AbortSignal | undefined;
}

export interface Channels {
  readonly socket: WebSocketConnection;
  /** The one that the server chose. */
  readonly protocol: string;
}

/** A WebSocket to a container, through the API server. Its refusal is an `ApiError`, in the words of the server. */
export async function openChannels(
  { transport, clock, server }: ChannelSource,
  request: ChannelRequest,
): Promise<Channels> {
  const { path, query, protocols, signal } = request;
  if (transport.upgrade === undefined) {
    throw new TransportError('protocol', `the transport to ${server} has no WebSockets: it has no method \`upgrade\``);
  }
  const handshake = webSocketHandshake(protocols);
  const { headers } = handshake;
  const answer = await transport.upgrade({
    path,
    query,
    headers,
    protocol: 'websocket',
    clock,
    ...(signal && { signal }),
  });
  const { connection } = answer;
  if (connection === undefined) throw await refusalOf(answer, `GET ${path}`, signal);
  try {
    signal?.throwIfAborted();
    const protocol = handshake.accept(answer.headers);
    return { socket: new WebSocketConnection(connection, { server, clock }), protocol };
  } catch (error) {
    connection.on('error', () => {});
    connection.destroy();
    throw error;
  }
}
