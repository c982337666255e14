import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../api/transport.ts';
import { silentLogger } from '../../observe/logger.ts';
import { HttpTransport } from '../http-transport.ts';
import { ReadBuffer } from './read-buffer.ts';

/** A server whose answer to each request is a body of this many bytes, in which every byte tells its place. */
async function startServer() {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (request) => {
      const [, length = '0', seed = '0'] = /GET \/(\d+)\/(\d+)/.exec(String(request)) ?? [];
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
      socket.write(pattern(Number(length), Number(seed)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new HttpTransport({ server: `http://127.0.0.1:${port}`, logger: silentLogger });
  return {
    async body(length: number, seed: number, options: Partial<TransportRequest> = {}) {
      return (await transport.request({ method: 'GET', path: `/${length}/${seed}`, ...options })).body;
    },
    async [Symbol.asyncDispose]() {
      await transport.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pattern(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + seed * 7 + (i >> 8)) & 0xff;
  return bytes;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 2));

describe('the chunks of a body', () => {
  it('stay as they are for a reader that keeps them', async () => {
    await using server = await startServer();
    const chunks: Uint8Array[] = [];
    for await (const chunk of await server.body(3_000_000, 1)) chunks.push(chunk);
    for await (const _ of await server.body(3_000_000, 2));
    expect(Buffer.concat(chunks).equals(pattern(3_000_000, 1))).toBe(true);
  });

  it('are whole until the next is asked for, however long the reader takes, in few pieces of memory', async () => {
    await using server = await startServer();
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

  it('are whole also while their connection serves another request', async () => {
    await using server = await startServer();
    for await (const chunk of await server.body(1_000, 4, { reuseChunks: true })) {
      for (let other = 0; other < 4; other++) {
        for await (const _ of await server.body(50_000, 5 + other, { reuseChunks: true }));
      }
      expect(pattern(1_000, 4).equals(chunk)).toBe(true);
    }
  });

  it('wait unread until somebody asks for them', async () => {
    await using server = await startServer();
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

describe('ReadBuffer', () => {
  it('grows while reads fill it, and shrinks when they have become small', () => {
    const buffer = new ReadBuffer();
    const { onread } = buffer;
    const sizes = [onread.buffer().length];
    expect(buffer.receive(() => {})).toBe(true);
    for (let read = 0; read < 4; read++) {
      onread.callback(onread.buffer().length);
      sizes.push(onread.buffer().length);
    }
    expect(sizes).toEqual([16, 64, 256, 256, 256].map((kilobytes) => kilobytes * 1024));
    for (let read = 0; read < 63; read++) onread.callback(100);
    expect(onread.buffer()).toHaveLength(256 * 1024);
    onread.callback(100);
    expect(onread.buffer()).toHaveLength(16 * 1024);
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
