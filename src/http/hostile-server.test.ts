import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_RESPONSES } from './hostile-responses-fixture.ts';
import { get, type RawServer, rejection, startRaw, textOf, until } from './request-fixture.ts';

describe('a transport whose server is hostile', () => {
  let answer: (socket: Socket) => unknown = () => {};
  let server: RawServer;
  beforeAll(async () => {
    server = await startRaw((socket) => answer(socket));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const gets = HOSTILE_RESPONSES.filter(({ method }) => method === 'GET');

  it.each(gets)('gives or refuses a response of $name, and has no connection left', async ({ bytes, expected }) => {
    // What is malformed is refused on its own account, also when the server stays.
    answer = (socket) => ('malformed' in expected ? socket.write(bytes, 'latin1') : socket.end(bytes, 'latin1'));
    const asked = server.requests.length;
    const text = async () => Buffer.from((await get(server.transport)).text, 'utf8').toString('latin1');
    if ('body' in expected) expect(await text()).toBe(expected.body);
    else expect(await rejection(text())).toMatchObject({ kind: 'malformed' in expected ? 'protocol' : 'reset' });
    await until(() => server.sockets.size === 0);
    expect(server.requests.length).toBe(asked + 1);
  });

  const text = 'the quick brown fox '.repeat(20);
  const zipped = gzipSync(text);
  const send = (body: Buffer) => (socket: Socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body);
  };

  it.each<[string, Buffer]>([
    ['text', Buffer.from(text)],
    ['half of a header', zipped.subarray(0, 5)],
    ['half of a body', zipped.subarray(0, 30)],
    ['no checksum', zipped.subarray(0, -8)],
    ['half of a length', zipped.subarray(0, -2)],
    ['another checksum', Buffer.from(zipped.map((byte, i) => (i === zipped.length - 6 ? byte ^ 1 : byte)))],
    ['another length', Buffer.from(zipped.map((byte, i) => (i === zipped.length - 1 ? byte ^ 1 : byte)))],
    ['another method', Buffer.from(zipped.map((byte, i) => (i === 2 ? 9 : byte)))],
    ['a second member that is cut', Buffer.concat([zipped, zipped.subarray(0, 30)])],
  ])('refuses gzip with %s', async (_what, body) => {
    answer = send(body);
    expect(await rejection(get(server.transport))).toMatchObject({ kind: 'protocol' });
  });

  it('never takes damaged gzip for another text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: zipped.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        answer = send(Buffer.from(zipped.map((byte, i) => (i === at ? byte ^ flip : byte))));
        const response = await server.transport.request({ method: 'GET', path: '/' });
        const read = await textOf(response).catch((error: { kind?: string }) => error.kind);
        expect([text, 'protocol']).toContain(read);
      }),
      { numRuns: 100 },
    );
  });
});
