import { createHash, randomBytes } from 'node:crypto';
import { TransportError } from '../../api/transport-error.ts';

/** What every WebSocket server appends to the key, by RFC 6455 §4.2.2. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export interface Handshake {
  readonly headers: Readonly<Record<string, string>>;
  /** The subprotocol that the server chose. Throws a `TransportError` when what it answered does not fit what it was asked. */
  accept(answer: ReadonlyMap<string, string>): string;
}

/** @param protocols that may be spoken, the best first. */
export function webSocketHandshake(protocols: readonly string[]): Handshake {
  const key = randomBytes(16).toString('base64');
  return {
    headers: {
      'sec-websocket-key': key,
      'sec-websocket-version': '13',
      'sec-websocket-protocol': protocols.join(', '),
    },
    accept(answer) {
      const expected = createHash('sha1').update(`${key}${GUID}`).digest('base64');
      if (answer.get('upgrade')?.toLowerCase() !== 'websocket' || answer.get('sec-websocket-accept') !== expected) {
        throw refused(
          'its answer to the handshake is not that of a WebSocket server; a proxy on the way may not know WebSockets',
        );
      }
      if (answer.get('sec-websocket-extensions')) throw refused('it uses an extension that was not offered');
      const chosen = answer.get('sec-websocket-protocol') ?? '';
      if (!protocols.includes(chosen)) {
        throw refused(`it chose the subprotocol "${chosen}"; offered were ${protocols.join(', ')}`);
      }
      return chosen;
    },
  };
}

function refused(said: string): TransportError {
  return new TransportError('protocol', `the server does not speak WebSocket as it should: ${said}`);
}
