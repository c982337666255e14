import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../api/transport.ts';
import { makeCertificate } from '../certificate-fixture.ts';
import { startRaw } from '../request-fixture.ts';
import { ReadBuffer } from './read-buffer.ts';

/** A server whose answer to each request is a body of this many bytes, in which every byte tells its place. */
async function startServer(scheme: 'http' | 'https') {
  const { certificate, key } = makeCertificate({ name: 'server', hosts: ['127.0.0.1'] });
  const server = await startRaw(
    (socket, request) => {
      const [, length = '0', seed = '0'] = /GET \/(\d+)\/(\d+)/.exec(request) ?? [];
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
      socket.write(pattern(Number(length), Number(seed)));
    },
    { tls: { ca: certificate } },
    scheme === 'http' ? undefined : { cert: certificate, key },
  );
  return Object.assign(server, {
    async body(length: number, seed: number, options: Partial<TransportRequest> = {}) {
      return (await server.transport.request({ method: 'GET', path: `/${length}/${seed}`, ...options })).body;
    },
  });
}

function pattern(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + seed * 7 + (i >> 8)) & 0xff;
  return bytes;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 2));

describe.each(['http', 'https'] as const)('the chunks of a body over %s', (scheme) => {
  it('stay as they are for a reader that keeps them', async () => {
    await using server = await startServer(scheme);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await server.body(3_000_000, 1)) chunks.push(chunk);
    for await (const _ of await server.body(3_000_000, 2));
    expect(Buffer.concat(chunks).equals(pattern(3_000_000, 1))).toBe(true);
  });

  it('are whole until the next is asked for, however long the reader takes, in few pieces of memory', async () => {
    await using server = await startServer(scheme);
    const expected = pattern(3_000_000, 3);
    const memory = new Set<ArrayBufferLike>();
    let at = 0;
    for await (const chunk of await server.body(3_000_000, 3, { reuseChunks: true })) {
      memory.add(chunk.buffer);
      await pause();
      expect(expected.subarray(at, at + chunk.length).equals(chunk)).toBe(true);
      at += chunk.length;
    }
    expect(at).toBe(expected.length);
    expect(memory.size).toBeLessThan(8);
  });

  it('are those of many records of TLS, or of many small reads, in one piece', async () => {
    await using server = await startServer(scheme);
    let chunks = 0;
    for await (const _ of await server.body(3_000_000, 3, { reuseChunks: true })) chunks++;
    expect(chunks).toBeLessThan(3_000_000 / 16_384);
  });

  it('are whole also while their connection serves another request', async () => {
    await using server = await startServer(scheme);
    for await (const chunk of await server.body(1_000, 4, { reuseChunks: true })) {
      for (let other = 0; other < 4; other++) {
        for await (const _ of await server.body(50_000, 5 + other, { reuseChunks: true }));
      }
      expect(pattern(1_000, 4).equals(chunk)).toBe(true);
    }
  });

  it('wait unread until somebody asks for them', async () => {
    await using server = await startServer(scheme);
    const first = await server.body(400_000, 20, { reuseChunks: true });
    const second = await server.body(400_000, 21, { reuseChunks: true });
    await pause();
    for (const [body, seed] of [
      [second, 21],
      [first, 20],
    ] as const) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(Buffer.from(chunk));
      expect(Buffer.concat(chunks).equals(pattern(400_000, seed))).toBe(true);
    }
  });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A socket that reads into the buffer, and what it was handed on. */
function reading(buffer: ReadBuffer) {
  const { onread } = buffer;
  const pieces: Buffer[] = [];
  let room = onread.buffer();
  buffer.receive((bytes) => pieces.push(bytes));
  return {
    pieces,
    texts: () => pieces.map(String),
    room: () => room.length,
    memory: () => room.buffer,
    read(text: string) {
      room.set(Buffer.from(text));
      onread.callback(text.length);
      room = onread.buffer();
    },
  };
}

describe('ReadBuffer', () => {
  it('grows while reads fill it, and shrinks when they have become small', async () => {
    const buffer = new ReadBuffer();
    const socket = reading(buffer);
    const sizes = [socket.room()];
    for (let read = 0; read < 4; read++) {
      socket.read('x'.repeat(socket.room()));
      await nextTurn();
      sizes.push(socket.room());
    }
    expect(sizes).toEqual([16, 64, 256, 256, 256].map((kilobytes) => kilobytes * 1024));
    for (let read = 0; read < 64; read++) {
      expect(socket.room()).toBeGreaterThan(16 * 1024);
      socket.read('small');
      await nextTurn();
    }
    expect(socket.room()).toBe(16 * 1024);
  });

  it('has no memory of its own while little is read, and mixes nothing up with others of which that is true', async () => {
    const buffers = Array.from({ length: 3 }, () => new ReadBuffer());
    const sockets = buffers.map(reading);
    const rooms = () => new Set(sockets.map((socket) => socket.memory()));
    for (let turn = 0; turn < 100; turn++) {
      for (const [at, socket] of sockets.entries()) socket.read(`turn ${turn} of ${at}.`);
      await nextTurn();
      expect(rooms().size).toBe(1);
    }
    const texts = sockets.map((socket) => socket.texts());
    expect(texts).toEqual(sockets.map((_, at) => texts[at]?.map((_text, turn) => `turn ${turn} of ${at}.`)));
    expect(buffers.map((buffer) => buffer.isLent)).toEqual([false, false, false]);
    // Several reads in a turn, or a long one, take a page of their own, until it has been quiet for a while.
    sockets[0]?.read('a');
    sockets[0]?.read('b');
    sockets[1]?.read('x'.repeat(5_000));
    expect(rooms().size).toBe(3);
    expect(buffers.map((buffer) => buffer.isLent)).toEqual([true, true, false]);
    for (let turn = 0; turn < 100; turn++) {
      await nextTurn();
      for (const socket of sockets) socket.read('quiet');
    }
    expect(rooms().size).toBe(1);
    expect(buffers.map((buffer) => buffer.isLent)).toEqual([false, false, false]);
    expect(sockets.map((socket) => socket.texts().slice(100).join(''))).toEqual(
      ['ab', 'x'.repeat(5_000), ''].map((text) => text + 'quiet'.repeat(100)),
    );
  });

  it('hands on the first read of a turn at once, and the others together', async () => {
    const socket = reading(new ReadBuffer());
    for (const text of ['a', 'b', 'c']) socket.read(text);
    expect(socket.texts()).toEqual(['a']);
    await nextTurn();
    expect(socket.texts()).toEqual(['a', 'bc']);
    socket.read('d');
    expect(socket.texts()).toEqual(['a', 'bc', 'd']);
  });

  it('does not wait when there is much, or when it is told so', () => {
    const buffer = new ReadBuffer();
    const socket = reading(buffer);
    for (let read = 0; read < 40; read++) socket.read('x'.repeat(4_000));
    expect(socket.pieces.length).toBeGreaterThan(2);
    socket.read('last');
    buffer.handOn();
    expect(socket.texts().join('')).toBe(`${'x'.repeat(160_000)}last`);
  });

  it('leaves what was handed on as it is until it is done, and fills it again then', async () => {
    const buffer = new ReadBuffer();
    const socket = reading(buffer);
    const memory = new Set<ArrayBufferLike>();
    for (let round = 0; round < 20; round++) {
      const letter = String.fromCharCode(97 + round);
      const from = socket.pieces.length;
      for (let read = 0; read < 30; read++) socket.read(letter.repeat(Math.min(9_000, socket.room())));
      await nextTurn();
      const pieces = socket.pieces.slice(from);
      for (const piece of pieces) expect(String(piece)).toBe(letter.repeat(piece.length));
      if (round > 2) for (const piece of pieces) memory.add(piece.buffer);
      buffer.done();
    }
    // Each round fills two pages and begins a third.
    expect(memory.size).toBeLessThan(40);
    buffer.giveUp();
    const kept = socket.pieces.at(-1) as Buffer;
    const before = String(kept);
    for (let read = 0; read < 100; read++) {
      socket.read('z'.repeat(1_000));
      buffer.done();
    }
    expect(String(kept)).toBe(before);
  });

  it('tells of bytes that came before anybody wanted them', () => {
    const buffer = new ReadBuffer();
    expect(buffer.isUsed).toBe(false);
    buffer.onread.buffer();
    expect(buffer.isUsed).toBe(true);
    buffer.onread.callback(1);
    expect(buffer.receive(() => {})).toBe(false);
  });
});
