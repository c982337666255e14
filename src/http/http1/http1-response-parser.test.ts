import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConnectionClosedError, MalformedResponseError } from './http1-error.ts';
import type { Http1Head } from './http1-head.ts';
import { Http1ResponseParser } from './http1-response-parser.ts';

interface Parsed {
  head?: Http1Head;
  body: string;
  /** How many bytes belonged to the response. */
  used: number;
  ended: boolean;
  parser: Http1ResponseParser;
}

/** Parses pieces as a connection would: nothing is written any more after the end. */
function parse(pieces: readonly (string | Buffer)[], method = 'GET'): Parsed {
  const body: Buffer[] = [];
  let head: Http1Head | undefined;
  const parser = new Http1ResponseParser(method, {
    onHead(found) {
      expect(head).toBeUndefined();
      head = found;
    },
    onData(bytes) {
      expect(head).toBeDefined();
      expect(bytes.length).toBeGreaterThan(0);
      body.push(bytes);
    },
  });
  let used = 0;
  for (const piece of pieces) {
    if (parser.ended) break;
    used += parser.write(Buffer.from(piece as string, 'latin1'));
  }
  const text = Buffer.concat(body).toString('latin1');
  return { ...(head ? { head } : {}), body: text, used, ended: parser.ended, parser };
}

function headOf(lines: string[], method?: string): Http1Head {
  const { head } = parse([`HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`], method);
  if (head === undefined) throw new Error('no head');
  return head;
}

function chunked(body: string): Parsed {
  return parse([`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`]);
}

describe('the head of a response', () => {
  it('has names in lower case, values without white space around them, and repeated ones joined', () => {
    const { headers } = headOf(['X-A:  1 \t', 'x-B:', 'X-a:\t2', 'content-length: 0']);
    expect([...headers]).toEqual([
      ['x-a', '1, 2'],
      ['x-b', ''],
      ['content-length', '0'],
    ]);
  });

  it('may name a header as a property that every object has', () => {
    expect(headOf(['__proto__: x', 'content-length: 0']).headers.get('__proto__')).toBe('x');
  });

  it('is read as UTF-8', () => {
    const warning = Buffer.from('warning: 299 - "größer"', 'utf8').toString('latin1');
    expect(headOf([warning]).headers.get('warning')).toBe('299 - "größer"');
  });

  it('needs no reason phrase', () => {
    for (const line of ['HTTP/1.1 404', 'HTTP/1.1 404 ', 'HTTP/1.1 404 Not Found', 'HTTP/1.0 404 x\ty']) {
      expect(parse([`${line}\r\n\r\n`]).head?.status).toBe(404);
    }
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['another protocol that sends no line', '\x15\x03\x01\x00\x02'],
    ['HTTP/2', 'HTTP/2 200\r\n'],
    ['another version', 'HTTP/1.2 200 OK\r\n'],
    ['an empty line first', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n'],
    ['two blanks', 'HTTP/1.1  200 OK\r\n'],
    ['a bare LF after the status line', 'HTTP/1.1 200 OK\nx: y\r\n\r\n'],
    ['a bare LF after a header', 'HTTP/1.1 200 OK\r\nx: y\n\r\n'],
    ['a bare LF as the end', 'HTTP/1.1 200 OK\r\nx: y\r\n\n'],
    ['a bare CR', 'HTTP/1.1 200 OK\r\nx: y\rz: 1\r\n\r\n'],
    ['NUL in a value', 'HTTP/1.1 200 OK\r\nx: \0\r\n\r\n'],
    ['NUL in the reason', 'HTTP/1.1 200 \0\r\n\r\n'],
    ['a folded line', 'HTTP/1.1 200 OK\r\nx: y\r\n z\r\n\r\n'],
    ['a folded first line', 'HTTP/1.1 200 OK\r\n x: y\r\n\r\n'],
    ['a blank before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 1\r\n\r\n'],
    ['no colon', 'HTTP/1.1 200 OK\r\nxy\r\n\r\n'],
    ['no name', 'HTTP/1.1 200 OK\r\n: y\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['different lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['a list of different lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1, 2\r\n\r\n'],
    ['a length that is empty', 'HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n'],
    ['a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a length with a sign', 'HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\n'],
    ['a length in hex', 'HTTP/1.1 200 OK\r\ncontent-length: 0x1\r\n\r\n'],
    ['a length beyond all numbers', 'HTTP/1.1 200 OK\r\ncontent-length: 9007199254740993\r\n\r\n'],
    ['a malformed length beside chunks', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n'],
    ['another coding under chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['chunks of chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['an empty coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding:\r\n\r\n'],
  ])('is refused with %s, in one piece and byte by byte', (_what, text) => {
    expect(() => parse([text])).toThrow(MalformedResponseError);
    expect(() => parse([...text])).toThrow(MalformedResponseError);
  });

  it('is refused beyond 64 KiB, the interim responses before it included', () => {
    const fits = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_000)}\r\n\r\n`;
    expect(parse([fits]).head?.headers.get('x')).toHaveLength(65_000);
    const endless = (line: string) => () => parse(Array.from({ length: 70_000 }, () => line));
    expect(() => parse([`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_536)}`])).toThrow('larger than 65536 bytes');
    expect(() => parse(['HTTP/1.1 200 ', 'y'.repeat(65_536)])).toThrow('larger than 65536 bytes');
    expect(endless('HTTP/1.1 100 Continue\r\n\r\n')).toThrow('larger than 65536 bytes');
    expect(() => parse(['HTTP/1.1 200 OK\r\n', ...Array.from({ length: 70_000 }, () => 'a: b\r\n')])).toThrow(
      'larger than 65536 bytes',
    );
  });

  it('comes after interim responses, which are skipped', () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\ncontent-length: 5\r\n\r\n';
    const { head, body, ended } = parse([`${early}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`]);
    expect(head?.status).toBe(200);
    expect(head?.headers.has('link')).toBe(false);
    expect({ body, ended }).toEqual({ body: 'ok', ended: true });
  });
});

describe('the end of a response', () => {
  it('comes with the head when there is no body, whatever the headers say', () => {
    for (const status of [204, 304]) {
      const text = `HTTP/1.1 ${status} x\r\ncontent-length: 5\r\n\r\n`;
      expect(parse([`${text}next`])).toMatchObject({ ended: true, body: '', used: text.length });
    }
    const text = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    expect(parse([`${text}next`], 'HEAD')).toMatchObject({ ended: true, body: '', used: text.length });
    expect(parse(['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'])).toMatchObject({ ended: true, body: '' });
  });

  it('comes after as many bytes as were announced, also when they were announced twice', () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\nContent-Length: 4\r\n\r\nbody';
    expect(parse([`${text}HTTP`])).toMatchObject({ ended: true, body: 'body', used: text.length });
  });

  it('comes with the connection when nothing was announced', () => {
    const { parser, body } = parse(['HTTP/1.1 200 OK\r\n\r\nbody', ' and more']);
    expect(body).toBe('body and more');
    expect(parser.ended).toBe(false);
    parser.close();
    expect(parser.ended).toBe(true);
  });

  it('is not the end of the connection anywhere else', () => {
    const cut = [
      '',
      'HTTP/1.1 200',
      'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbod',
      'HTTP/1.1 100 Continue\r\n\r\n',
    ];
    const whole = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4;x=y\r\nbody\r\n0\r\nt: v\r\n\r\n';
    for (let end = 0; end < whole.length; end++) cut.push(whole.slice(0, end));
    for (const text of cut) expect(() => parse([text]).parser.close(), text).toThrow(ConnectionClosedError);
    expect(() => parse([whole]).parser.close()).not.toThrow();
  });

  it('leaves a connection that can be used again, unless either side says otherwise', () => {
    const persistent = (...lines: string[]) => headOf(lines).persistent;
    expect(persistent('content-length: 1')).toBe(true);
    expect(persistent('transfer-encoding: Chunked')).toBe(true);
    expect(persistent('content-length: 1', 'connection: Keep-Alive')).toBe(true);
    expect(persistent('content-length: 1', 'connection: x, Close')).toBe(false);
    expect(persistent('content-length: 1', 'connection: x', 'connection: close')).toBe(false);
    expect(persistent()).toBe(false);
    const old = (lines: string) => parse([`HTTP/1.0 200 OK\r\n${lines}\r\n\r\n`]).head?.persistent;
    expect(old('content-length: 1')).toBe(false);
    expect(old('content-length: 1\r\nconnection: keep-alive')).toBe(true);
  });

  it.each([
    ['a length beside chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked'],
    ['chunks beside a length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3'],
    ['both without a body', 'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\ncontent-length: 0'],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked'],
  ])('is refused where others may see another one: %s', (_what, head) => {
    expect(() => parse([`${head}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`])).toThrow(MalformedResponseError);
  });
});

describe('a body in chunks', () => {
  it('is handed on in one piece for each piece of bytes, also where its end is damaged', () => {
    const pieces: string[] = [];
    const parser = new Http1ResponseParser('GET', { onHead() {}, onData: (bytes) => pieces.push(String(bytes)) });
    parser.write(Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n3;x\r\nbcd\r\n4\r\nef'));
    expect(pieces).toEqual(['abcdef']);
    expect(() => parser.write(Buffer.from('gh\r\n2\r\nij\r\nrubbish'))).toThrow(MalformedResponseError);
    expect(pieces).toEqual(['abcdef', 'ghij']);
  });

  it('is handed on without sizes, extensions and trailers', () => {
    expect(chunked('3\r\nabc\r\n00A;name="v;w"\r\n0123456789\r\n0;x\r\nt: 1\r\nu: 2\r\n\r\nrest')).toMatchObject({
      body: 'abc0123456789',
      ended: true,
    });
  });

  it.each(['no colon', ' folded: 1', 'a b: 1', ': 1', 'x: \x01', 't: 1\n'])(
    'may not have the trailer %j',
    (trailer) => {
      expect(() => chunked(`3\r\nabc\r\n0\r\nok: 1\r\n${trailer}\r\n\r\n`)).toThrow(MalformedResponseError);
    },
  );

  it('is not copied', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n');
    const seen: Buffer[] = [];
    new Http1ResponseParser('GET', { onHead() {}, onData: (data) => seen.push(data) }).write(bytes);
    expect(seen.map((data) => data.buffer === bytes.buffer)).toEqual([true]);
  });

  it.each([
    ['a size that is missing', '\r\n'],
    ['a size with a sign', '-1\r\n'],
    ['a size in another notation', '0x1\r\n'],
    ['a size that is not a number', 'g\r\n'],
    ['a blank before the size', ' 1\r\n'],
    ['a blank after the size', '1 \r\n'],
    ['an underscore in the size', '1_0\r\n'],
    ['an extension alone', ';x\r\n'],
    ['a size beyond all numbers', 'fffffffffffffff\r\n'],
    ['a size with endless zeros', '0'.repeat(2000)],
    ['an extension without end', `1;${'x'.repeat(2000)}`],
    ['a bare LF after the size', '1\nx\r\n'],
    ['a bare CR after the size', '1\rx\r\n'],
    ['a bare LF in an extension', '1;x\nx\r\n'],
    ['NUL in an extension', '1;\0\r\n'],
    ['more data than announced', '1\r\nxy\r\n'],
    ['a bare LF after the data', '1\r\nx\n1\r\n'],
    ['a bare LF in the trailers', '0\r\nx: y\n\r\n'],
    ['trailers without end', `0\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['a trailer without end', `0\r\n${'x'.repeat(20_000)}`],
  ])('is refused with %s', (_what, body) => {
    expect(() => chunked(body)).toThrow(MalformedResponseError);
    expect(() => parse(['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', ...body])).toThrow(
      MalformedResponseError,
    );
  });

  it('may have small chunks and trailers forever without being taken for an endless head', () => {
    expect(chunked(`${'1\r\nx\r\n'.repeat(100_000)}0\r\n\r\n`).body).toHaveLength(100_000);
  });
});

describe('Http1ResponseParser, by property', () => {
  const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).map((name) => `x-${name}`);
  const headers = fc.array(fc.tuple(token, fc.stringMatching(/^([!-~]([ -~]{0,10}[!-~])?)?$/)), { maxLength: 5 });
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString('latin1'));
  const response = fc
    .record({
      status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
      headers,
      interim: fc.integer({ min: 0, max: 2 }),
      framing: fc.constantFrom('length', 'chunked', 'close'),
      parts: fc.array(
        bytes.filter((part) => part !== ''),
        { maxLength: 6 },
      ),
      extension: fc.constantFrom('', ';a', ';a=b;c="d"'),
      after: fc.constantFrom('', 'HTTP/1.1 200 OK\r\n\r\n', '\r\n', 'x'),
    })
    .map((made) => {
      const body = made.parts.join('');
      const framing = {
        length: `content-length: ${body.length}\r\n`,
        chunked: 'Transfer-Encoding: chunked\r\n',
        close: '',
      };
      const lines = made.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const chunks = made.parts.map((part) => `${part.length.toString(16)}${made.extension}\r\n${part}\r\n`).join('');
      const wireBody = made.framing === 'chunked' ? `${chunks}0\r\nx-trailer: 1\r\n\r\n` : body;
      const interim = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(made.interim);
      const text = `${interim}HTTP/1.1 ${made.status} Some Reason\r\n${lines}${framing[made.framing]}\r\n${wireBody}`;
      return { ...made, body, text };
    });

  function cut(text: string, places: readonly number[]): string[] {
    const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
    const pieces: string[] = [];
    let from = 0;
    for (const end of [...ends, text.length]) {
      pieces.push(text.slice(from, end));
      from = end;
    }
    return pieces;
  }

  it('reads what was written, wherever it is cut, and nothing of what comes after', () => {
    fc.assert(
      fc.property(response, fc.array(fc.nat()), (made, places) => {
        const after = made.framing === 'close' ? '' : made.after;
        const parsed = parse(cut(made.text + after, places));
        if (made.framing === 'close') parsed.parser.close();
        expect(parsed.parser.ended).toBe(true);
        expect(parsed.used).toBe(made.text.length);
        expect(parsed.body).toBe(made.body);
        expect(parsed.head?.status).toBe(made.status);
        const expected = new Map<string, string>();
        for (const [name, value] of made.headers) {
          const before = expected.get(name);
          expected.set(name, before === undefined ? value : `${before}, ${value}`);
        }
        const found = [...(parsed.head?.headers ?? [])].filter(([name]) => name.startsWith('x-'));
        expect(found).toEqual([...expected]);
      }),
      { numRuns: 500 },
    );
  });

  it('comes to the same end with damaged bytes, wherever they are cut', () => {
    const outcome = (pieces: string[]) => {
      try {
        const { head, body, used, ended } = parse(pieces);
        return { head, body, used, ended };
      } catch (error) {
        if (error instanceof MalformedResponseError) return 'refused';
        throw error;
      }
    };
    const damage = fc.record({
      at: fc.nat(),
      remove: fc.integer({ min: 0, max: 3 }),
      insert: fc.constantFrom('', '\n', '\r', '\0', ' ', ':', '0', 'f', ';', '\r\n', '\r\n\r\n', ' \t', '\xff'),
    });
    fc.assert(
      fc.property(
        response,
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat()),
        (made, damages, places) => {
          let { text } = made;
          for (const { at, remove, insert } of damages) {
            const place = at % (text.length + 1);
            text = text.slice(0, place) + insert + text.slice(place + remove);
          }
          expect(outcome(cut(text, places))).toEqual(outcome([text]));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
