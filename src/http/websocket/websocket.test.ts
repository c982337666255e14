import { duplexPair } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../observe/clock.ts';
import { FakeClock } from '../../observe/fake-clock.ts';
import { rejection } from '../request-fixture.ts';
import { FrameReader } from './frame-reader.ts';
import { encodeFrame } from './frame-writer.ts';
import { webSocketHandshake } from './handshake.ts';
import { OPCODE } from './websocket.ts';
import { WebSocketConnection, type WebSocketOptions } from './websocket-connection.ts';

/** A frame of a server: not masked. */
function frame(opcode: number, payload: Uint8Array | string = '', fin = true): Buffer {
  const body = Buffer.from(payload);
  const head =
    body.length < 126 ? Buffer.from([0, body.length]) : Buffer.from([0, 126, body.length >> 8, body.length & 255]);
  head[0] = (fin ? 0x80 : 0) | opcode;
  return Buffer.concat([head, body]);
}

const closing = (code: number, why = '') =>
  frame(OPCODE.close, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(why)]));

function connect(options: Partial<WebSocketOptions> = {}) {
  const [ours, theirs] = duplexPair();
  theirs.on('error', () => {});
  const connection = new WebSocketConnection(ours, { server: 'the server', clock: systemClock, ...options });
  return { connection, server: theirs, socket: ours };
}

async function textOf(connection: WebSocketConnection): Promise<string[]> {
  const all: string[] = [];
  for await (const message of connection.messages()) all.push(message.toString());
  return all;
}

/** What a client sent, without its masks. */
function unmasked(bytes: Buffer): { opcode: number; payload: string } {
  const [first = 0, second = 0] = bytes;
  const length = second & 0x7f;
  const payload = Buffer.from(bytes.subarray(6, 6 + length));
  for (let index = 0; index < length; index++) payload[index] = (payload[index] ?? 0) ^ (bytes[2 + (index & 3)] ?? 0);
  return { opcode: first & 0x0f, payload: payload.toString() };
}

describe('a WebSocket', () => {
  it.each([1, 2, 3, 7, 10_000])('puts messages together from pieces of %i bytes', async (size) => {
    const { connection, server } = connect();
    const bytes = Buffer.concat([
      frame(OPCODE.binary, 'one'),
      frame(OPCODE.binary, 'tw', false),
      frame(OPCODE.ping, 'are you there'),
      frame(OPCODE.continuation, '', false),
      frame(OPCODE.continuation, 'o'),
      frame(OPCODE.binary, 'x'.repeat(300)),
      closing(1000),
    ]);
    for (let at = 0; at < bytes.length; at += size) server.write(bytes.subarray(at, at + size));
    expect(await textOf(connection)).toEqual(['one', 'two', 'x'.repeat(300)]);
    expect(unmasked(server.read() as Buffer)).toEqual({ opcode: OPCODE.pong, payload: 'are you there' });
  });

  it('masks what it sends, each time in another way', () => {
    const [one, two] = [
      encodeFrame(OPCODE.binary, Buffer.from('hello')),
      encodeFrame(OPCODE.binary, Buffer.from('hello')),
    ];
    expect(one[1]).toBe(0x80 | 5);
    expect(unmasked(one)).toEqual({ opcode: OPCODE.binary, payload: 'hello' });
    expect(one.equals(two)).toBe(false);
    expect(encodeFrame(OPCODE.binary, Buffer.alloc(126)).readUInt16BE(2)).toBe(126);
    expect(encodeFrame(OPCODE.binary, Buffer.alloc(70_000)).readBigUInt64BE(2)).toBe(70_000n);
  });

  it.each<[string, Buffer, string]>([
    ['a masked frame', Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0]), 'masked'],
    ['reserved bits', Buffer.from([0xc2, 0]), 'reserved bits'],
    ['an unknown opcode', Buffer.from([0x83, 0]), 'unknown opcode 3'],
    ['a control frame in pieces', Buffer.from([0x09, 0]), 'control frame'],
    ['a long control frame', Buffer.from([0x89, 126, 0, 126]), 'control frame'],
    ['text', frame(OPCODE.text, 'hi'), 'binary was agreed on'],
    ['a piece of nothing', frame(OPCODE.continuation, 'x'), 'out of order'],
    [
      'a message within another',
      Buffer.concat([frame(OPCODE.binary, 'a', false), frame(OPCODE.binary, 'b')]),
      'out of order',
    ],
    ['a frame that is too long', Buffer.from([0x82, 126, 0xff, 0xff]), '65535 bytes'],
    ['a length beyond 63 bits', Buffer.from([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 1]), '63 bits'],
    [
      'many pieces that are too long together',
      Buffer.concat([frame(OPCODE.binary, 'x'.repeat(900), false), frame(OPCODE.continuation, 'x'.repeat(900))]),
      '1000 bytes',
    ],
    ['half a close code', frame(OPCODE.close, 'x'), 'half a code'],
    ['a close code that nobody may send', closing(1005), 'the code 1005'],
  ])('refuses %s', async (_, bytes, said) => {
    const { connection, server, socket } = connect({ maxMessageBytes: 1000 });
    server.write(bytes);
    const failure = await rejection(textOf(connection));
    expect(failure).toMatchObject({ name: 'TransportError', kind: 'protocol' });
    expect(String(failure)).toContain(said);
    await new Promise((resolve) => (socket.destroyed ? resolve(undefined) : socket.once('close', resolve)));
  });

  it('stores nothing of a frame that announces too much', () => {
    const reader = new FrameReader(1000);
    reader.push(Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]));
    expect(() => reader.next()).toThrow('4294967296 bytes');
  });

  it('reports a close for a reason, and a connection that ends without one', async () => {
    const refused = connect();
    refused.server.write(closing(1011, 'the node is gone'));
    const failure = await rejection(textOf(refused.connection));
    expect(failure).toMatchObject({ kind: 'reset' });
    expect(String(failure)).toContain('code 1011: the node is gone');
    const cut = connect();
    cut.server.end(frame(OPCODE.binary, 'half').subarray(0, 3));
    expect(await rejection(textOf(cut.connection))).toMatchObject({ kind: 'reset' });
  });

  it('sends pings, and gives up a server that answers nothing', async () => {
    const clock = new FakeClock();
    const { connection, server } = connect({ clock });
    const ended = rejection(textOf(connection));
    await clock.advance(5_000);
    expect(unmasked(server.read() as Buffer).opcode).toBe(OPCODE.ping);
    await clock.advance(61_000);
    expect(await ended).toMatchObject({ kind: 'timeout' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no timer, and says goodbye, when its reader leaves', async () => {
    const clock = new FakeClock();
    const { connection, server, socket } = connect({ clock });
    server.write(frame(OPCODE.binary, 'one'));
    for await (const message of connection.messages()) {
      expect(message.toString()).toBe('one');
      break;
    }
    const sent = await new Promise<Buffer>((resolve) => server.once('data', resolve));
    expect(unmasked(sent).opcode).toBe(OPCODE.close);
    if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
    expect(clock.pendingTimers).toBe(0);
    expect(await connection.send(Buffer.from('late'))).toBe(false);
  });

  it('gives whoever waits the reason for which it is destroyed', async () => {
    const { connection } = connect();
    const ended = rejection(textOf(connection));
    const reason = new Error('enough');
    connection.destroy(reason);
    expect(await ended).toBe(reason);
  });
});

describe('the handshake', () => {
  it.each<[string, Record<string, string>]>([
    ['another key', { 'sec-websocket-accept': 'AAAA' }],
    ['another protocol than websocket', { upgrade: 'h2c' }],
    ['a subprotocol that was not offered', { 'sec-websocket-protocol': 'v1.channel.k8s.io' }],
    ['an extension that was not offered', { 'sec-websocket-extensions': 'permessage-deflate' }],
  ])('refuses an answer with %s', async (_, wrong) => {
    const { acceptKey } = await import('../../apiserver/kubelet/server-socket.ts');
    const handshake = webSocketHandshake(['v5.channel.k8s.io', 'v4.channel.k8s.io']);
    const right = {
      upgrade: 'WebSocket',
      'sec-websocket-accept': acceptKey(handshake.headers['sec-websocket-key'] ?? ''),
      'sec-websocket-protocol': 'v4.channel.k8s.io',
    };
    expect(handshake.accept(new Map(Object.entries(right)))).toBe('v4.channel.k8s.io');
    expect(() => handshake.accept(new Map(Object.entries({ ...right, ...wrong })))).toThrow('does not speak WebSocket');
  });
});
