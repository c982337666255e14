import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIFFERENCES, HOSTILE_RESPONSES, type HostileResponse, type Outcome } from './hostile-responses-fixture.ts';
import { ConnectionClosedError, MalformedResponseError } from './http1/http1-error.ts';
import { Http1ResponseParser } from './http1/http1-response-parser.ts';
import { ScriptedServer } from './scripted-server-fixture.ts';

interface Result {
  status?: number;
  headers?: Record<string, string>;
  outcome: Outcome;
}

/** What our parser makes of a response that comes in these pieces. */
function parsed(pieces: readonly Buffer[], method: string): Result {
  const body: Buffer[] = [];
  const result: Partial<Result> = {};
  const parser = new Http1ResponseParser(method, {
    onHead: ({ status, headers }) => Object.assign(result, { status, headers: Object.fromEntries(headers) }),
    onData: (bytes) => body.push(bytes),
  });
  const text = () => Buffer.concat(body).toString('latin1');
  try {
    for (const piece of pieces) if (!parser.ended) parser.write(piece);
    parser.close();
    return { ...result, outcome: { body: text() } };
  } catch (error) {
    if (error instanceof MalformedResponseError) return { ...result, outcome: { malformed: text() } };
    if (error instanceof ConnectionClosedError) return { ...result, outcome: { cut: text() } };
    throw error;
  }
}

/** How many bytes it takes until this much of the body is there. */
function bytesUntil({ bytes, method }: HostileResponse, text: string): number {
  const all = Buffer.from(bytes, 'latin1');
  if (text === '') return all.length;
  let body = '';
  const parser = new Http1ResponseParser(method, {
    onHead: () => {},
    onData: (data) => {
      body += data.toString('latin1');
    },
  });
  let length = 0;
  while (body !== text) length += parser.write(all.subarray(length, length + 1));
  return length;
}

const whole = ({ bytes, method }: HostileResponse) => parsed([Buffer.from(bytes, 'latin1')], method);

describe('a hostile response', () => {
  it('has a name of its own, and there are more than a hundred', () => {
    expect(new Set(HOSTILE_RESPONSES.map(({ name }) => name)).size).toBe(HOSTILE_RESPONSES.length);
    expect(HOSTILE_RESPONSES.length).toBeGreaterThan(100);
  });

  it.each(HOSTILE_RESPONSES)('of $name comes to the right end', (response) => {
    expect(whole(response).outcome).toEqual(response.expected);
  });

  it.each(HOSTILE_RESPONSES)('of $name comes to the same end byte by byte, and wherever it is cut', (response) => {
    const bytes = Buffer.from(response.bytes, 'latin1');
    const expected = whole(response);
    expect(
      parsed(
        [...bytes].map((byte) => Buffer.from([byte])),
        response.method,
      ),
    ).toEqual(expected);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: bytes.length }), { maxLength: 8 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
        expect(parsed(pieces, response.method)).toEqual(expected);
      }),
      { numRuns: bytes.length > 10_000 ? 3 : 20 },
    );
  });
});

describe("our parser beside Node's", () => {
  let server: ScriptedServer;
  let current = { first: '', rest: '' };
  let sendRest = () => {};
  beforeAll(async () => {
    server = await ScriptedServer.raw((socket) => {
      const { first, rest } = current;
      sendRest = () => socket.end(rest, 'latin1');
      if (rest === '') socket.end(first, 'latin1');
      else socket.write(first, 'latin1');
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /**
   * What Node's own client makes of the same bytes. The rest comes when it has seen `text` of the body, since it drops what it read
   * together with an error.
   */
  function byNode(response: HostileResponse, text: string): Promise<Result> {
    const cut = bytesUntil(response, text);
    current = { first: response.bytes.slice(0, cut), rest: response.bytes.slice(cut) };
    return new Promise((resolve) => {
      const result: Partial<Result> = {};
      let body = '';
      const settle = (outcome: Outcome) => resolve({ ...result, outcome });
      const fail = ({ code = '' }: NodeJS.ErrnoException) =>
        settle(code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? { malformed: body } : { cut: body });
      const { method } = response;
      const sent = request({ host: '127.0.0.1', port: server.port, method, agent: false, maxHeaderSize: 65_536 });
      sent.on('error', fail);
      sent.on('upgrade', (_response, socket) => {
        socket.destroy();
        settle({ body });
      });
      sent.on('response', (incoming) => {
        result.status = incoming.statusCode ?? 0;
        result.headers = joined(incoming.rawHeaders);
        incoming.on('data', (data: Buffer) => {
          body += data.toString('latin1');
          if (body === text) sendRest();
        });
        incoming.on('end', () => settle({ body }));
        incoming.on('error', fail);
      });
      sent.end();
    });
  }

  it.each(HOSTILE_RESPONSES)('comes to the same end for $name, unless the table says why not', async (response) => {
    const ours = whole(response);
    const isListed = Object.hasOwn(DIFFERENCES, response.name);
    // Where Node sees another body, waiting for ours would be waiting forever.
    const theirs = await byNode(response, isListed ? '' : (Object.values(ours.outcome)[0] ?? ''));
    if (!isListed) expect(theirs).toEqual(ours);
    else if (process.versions.node.startsWith('20.')) expect(theirs).not.toEqual(ours);
  });

  it('has a table of differences without rows about nothing', () => {
    const names = new Set(HOSTILE_RESPONSES.map(({ name }) => name));
    expect(Object.keys(DIFFERENCES).filter((name) => !names.has(name))).toEqual([]);
  });
});

/** As our own heads are: names in lower case, values in UTF-8, repeated ones joined. */
function joined(rawHeaders: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = Buffer.from(rawHeaders[i + 1] ?? '', 'latin1').toString('utf8');
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}
