import { describe, expect, it } from 'vitest';
import { refusalOf, retryAfterSeconds } from './response-body.ts';

async function* breaking(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
  throw new Error('the connection broke');
}

const asked = 'GET /x';
const said = async (body: AsyncIterable<Uint8Array>, signal?: AbortSignal) =>
  (await refusalOf({ status: 500, headers: new Map(), body }, asked, signal, (bytes) => ({ message: String(bytes) })))
    .status.message;

describe('the text of a refusal', () => {
  it('is what there is of a body that breaks', async () => {
    expect(await said(breaking('{"ki', 'nd"'))).toBe('{"kind"');
    expect(await said(breaking(), new AbortController().signal)).toBe('');
  });

  it('ends with the reason of an abort', async () => {
    const reason = new Error('stopped');
    await expect(said(breaking('part'), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('ends after 64 KiB, and leaves the rest', async () => {
    let chunks = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks += 1;
        yield Buffer.alloc(40_000, 'x');
      }
    }
    expect(await said(endless())).toBe('x'.repeat(65_536));
    expect(chunks).toBe(2);
  });

  it('stays as it came when the memory of a chunk is used again', async () => {
    async function* reusing(): AsyncGenerator<Uint8Array> {
      const memory = Buffer.alloc(1);
      for (const letter of 'abc') {
        memory.write(letter);
        yield memory;
      }
    }
    expect(await said(reusing())).toBe('abc');
  });

  it('comes with the login that was refused, and with Retry-After in seconds', async () => {
    const headers = new Map([['retry-after', ' 7 ']]);
    const response = { status: 401, headers, body: breaking('no'), refusedLogin: 'that of alice' };
    expect(await refusalOf(response, asked)).toMatchObject({
      code: 401,
      retryAfterSeconds: 7,
      message: 'GET /x: 401 Unauthorized: no; refused was that of alice',
    });
    for (const value of ['', '-1', '1.5', '1234567', 'Fri, 31 Dec 1999 23:59:59 GMT'])
      expect(retryAfterSeconds({ headers: new Map([['retry-after', value]]) })).toBeUndefined();
  });
});

describe('a redirect', () => {
  const to = async (status: number, location?: string) => {
    const headers = new Map(location === undefined ? [] : [['location', location]]);
    return refusalOf({ status, headers, body: breaking('<a href="?token=s3cret">Found</a>') }, asked);
  };

  it.each([301, 302, 303, 307, 308])('with the status %i says where to, and what to do', async (status) => {
    const error = await to(status, 'https://login.example.com/auth');
    expect(error).toMatchObject({ kind: 'rejected', code: status });
    expect(error.message).toMatch(
      /^GET \/x: 30\d \w+: the server redirects to https:\/\/login\.example\.com\/auth, and redirects are not followed/,
    );
    expect(error.message).not.toContain('Unknown');
    expect(error.message).toContain('make that its address');
  });

  it.each([
    ['https://user:s3cret@api:6443/x?token=s3cret#s3cret', 'https://api:6443/x'],
    ['//user:s3cret@api/x?token=s3cret', 'https://api/x'],
    ['/login?token=s3cret', '/login'],
    ['?token=s3cret', 'an address that is not a URL'],
    ['', 'an address that is not a URL'],
    [`/${'x'.repeat(300)}`, `/${'x'.repeat(199)}…`],
    ['/a\u001b[31m', '/aU+001B[31m'],
  ])('to %j is one to %s', async (location, shown) => {
    const { message } = await to(302, location);
    expect(message).toContain(`redirects to ${shown}, and`);
    expect(message).not.toContain('s3cret');
  });

  it('without a location is any other no', async () => {
    expect((await to(304)).message).toContain('304 Unknown: <a href');
  });
});
