import { connect as connectSocket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FakePage,
  type InspectedFactory,
  inspectedFactory,
  openSession,
  type PageSession,
  type RawRequest,
  rawRequest,
  tokenOf,
} from './inspector-fixture.ts';

let inspected: InspectedFactory;
let session: PageSession;
let port: number;
let own: string;

beforeAll(async () => {
  inspected = await inspectedFactory();
  session = await openSession(inspected.inspector);
  port = inspected.inspector.port;
  own = `http://127.0.0.1:${port}`;
});
afterAll(() => inspected[Symbol.asyncDispose]());

/** The three ways in, each as the page of the inspector goes it. */
const ways: readonly (readonly [string, () => RawRequest])[] = [
  ['the page', () => ({ path: '/' })],
  ['the stream', () => ({ path: `${session.base}stream`, headers: { Cookie: session.cookie } })],
  [
    'the token request',
    () => ({ method: 'POST', path: '/session', headers: { Origin: own }, body: tokenOf(inspected.inspector) }),
  ],
];

function withHeaders(request: RawRequest, headers: Readonly<Record<string, string>>): RawRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

describe.each(ways)('%s', (_name, way) => {
  it('is there for its own page', async () => {
    if (way().path.endsWith('stream')) {
      const page = await FakePage.open(inspected.inspector);
      expect(page.received).toContain('200 OK');
      page.close();
    } else expect((await rawRequest(port, way())).code).toBe(200);
    expect((await rawRequest(port, { path: '/', host: `localhost:${port}` })).code).toBe(200);
  });

  it.each([
    ['a name that was made to point here', () => 'evil.example'],
    ['the same with the port', () => `evil.example:${port}`],
    ['a name that begins as an own one', () => `localhost.evil.example:${port}`],
    ['an octal address', () => `0177.0.0.1:${port}`],
    ['a decimal address', () => `2130706433:${port}`],
    ['a short address', () => `127.1:${port}`],
    ['another port', () => `127.0.0.1:${port + 1}`],
    ['no port', () => '127.0.0.1'],
    ['a user', () => `x@127.0.0.1:${port}`],
    ['a dot at the end', () => `localhost.:${port}`],
  ])('refuses %s as Host', async (_what, host) => {
    const answer = await rawRequest(port, { ...way(), host: host() });
    expect(answer.code).toBe(403);
    expect(answer.headers.has('set-cookie')).toBe(false);
  });

  it('refuses two Hosts, and none', async () => {
    expect((await rawRequest(port, withHeaders(way(), { Host: 'evil.example' }))).code).toBe(403);
    expect((await rawRequest(port, { ...way(), host: null })).code).toBe(400);
  });

  it.each([
    ['another', () => 'http://evil.example'],
    ['null', () => 'null'],
    ['that of another port', () => `http://127.0.0.1:${port + 1}`],
    ['that of another scheme', () => `https://127.0.0.1:${port}`],
    ['one that begins as the own', () => `${own}.evil.example`],
  ])('refuses %s Origin', async (_what, origin) => {
    const answer = await rawRequest(port, withHeaders(way(), { Origin: origin() }));
    expect(answer.code).toBe(403);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
  });

  it('refuses what a browser calls a request of another site', async () => {
    const cross = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' };
    expect((await rawRequest(port, withHeaders(way(), cross))).code).toBe(403);
    const framed = { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' };
    expect((await rawRequest(port, withHeaders(way(), framed))).code).toBe(403);
  });

  it('refuses a head that is too long', async () => {
    const answer = await rawRequest(port, withHeaders(way(), { 'X-Long': 'x'.repeat(20_000) }));
    expect(answer.code).toBe(431);
  });

  it('refuses a body that is too long, told or in chunks', async () => {
    expect((await rawRequest(port, { ...way(), body: 'x'.repeat(100_000) })).code).toBe(413);
    const { body: _, ...chunked } = withHeaders(way(), { 'Transfer-Encoding': 'chunked' });
    const answer = await rawRequest(port, { ...chunked, chunks: `400\r\n${'x'.repeat(1024)}\r\n0\r\n\r\n` });
    expect(answer.code).toBe(413);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('refuses %s', async (method) => {
    const answer = await rawRequest(port, { ...withHeaders(way(), { Origin: own }), method });
    expect(answer.code).toBe(405);
    expect(answer.headers.has('access-control-allow-methods')).toBe(false);
  });

  it('does not leave its place', async () => {
    const { path } = way();
    for (const off of ['../package.json', '%2e%2e/package.json', '..%2fpackage.json', '/etc/passwd', '\\..\\x']) {
      const answer = await rawRequest(port, { ...withHeaders(way(), { Origin: own }), path: `${path}/${off}` });
      expect([404, 405, 401]).toContain(answer.code);
      expect(answer.body).not.toContain('tidewatch"');
    }
    const whole = await rawRequest(port, { ...way(), path: `http://evil.example${path}` });
    expect([404, 405]).toContain(whole.code);
  });

  it('says no to other protocols', async () => {
    const answer = await rawRequest(port, withHeaders(way(), { Connection: 'Upgrade', Upgrade: 'websocket' }));
    expect(answer.code).not.toBe(101);
  });
});

describe('the token', () => {
  const trade = (body: string, headers: Readonly<Record<string, string>> = { Origin: own }) =>
    rawRequest(port, { method: 'POST', path: '/session', headers, body });

  it('is traded for a cookie that no script reads and no other site sends, for the path of the session alone', async () => {
    const answer = await trade(tokenOf(inspected.inspector));
    const { base } = JSON.parse(answer.body) as { base: string };
    expect(base).toMatch(/^\/s\/[\w-]{22}\/$/);
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^tidewatch-inspector=[\\w-]{43}; Path=${base}; HttpOnly; SameSite=Strict$`),
    );
  });

  it('must be there, and must be the right one', async () => {
    expect((await trade('')).code).toBe(401);
    const token = tokenOf(inspected.inspector);
    expect((await trade(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).code).toBe(401);
    expect((await trade(`${token} `)).code).toBe(401);
    expect((await trade(token.slice(1))).code).toBe(401);
  });

  it('is of no use to another origin, or to a request that names none', async () => {
    const token = tokenOf(inspected.inspector);
    for (const headers of [{ Origin: 'http://evil.example' }, { Origin: 'null' }, {}]) {
      const answer = await trade(token, headers);
      expect(answer.code).toBe(403);
      expect(answer.headers.has('set-cookie')).toBe(false);
    }
  });

  it('is not a way in by itself: not as a query, not as a header', async () => {
    const token = tokenOf(inspected.inspector);
    const { base } = session;
    expect((await rawRequest(port, { path: `${base}stream?token=${token}` })).code).toBe(401);
    expect(
      (await rawRequest(port, { path: `${base}stream`, headers: { Authorization: `Bearer ${token}` } })).code,
    ).toBe(401);
    const cookie = { Cookie: `tidewatch-inspector=${token}` };
    expect((await rawRequest(port, { path: `${base}stream`, headers: cookie })).code).toBe(401);
  });

  it('stands in no file, and in no header', async () => {
    const token = tokenOf(inspected.inspector);
    for (const path of ['/', '/inspector.js', '/inspector.css', '/icon.svg']) {
      const answer = await rawRequest(port, { path });
      expect(answer.code).toBe(200);
      expect(`${[...answer.headers].join()}${answer.body}`).not.toContain(token);
    }
  });

  it('is refused with a body that is too long, told or sent in chunks', async () => {
    const token = tokenOf(inspected.inspector);
    expect((await trade(`${token}${'x'.repeat(1_000)}`)).code).toBe(413);
    const answer = await new Promise<string>((resolve) => {
      const socket = connectSocket(port, '127.0.0.1', () => {
        socket.write(
          `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${own}\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n${'x'.repeat(1024)}\r\n`,
        );
      });
      socket.once('data', (chunk) => {
        resolve(chunk.toString());
        socket.destroy();
      });
    });
    expect(answer).toContain('413');
  });
});

describe('what lies behind it', () => {
  const withCookie = (cookie: string) => ({ headers: { Cookie: cookie } });

  it.each(['stream', 'rows', 'object'])('%s needs the cookie of its session', async (what) => {
    const path = `${session.base}${what}`;
    expect((await rawRequest(port, { path })).code).toBe(401);
    expect((await rawRequest(port, { path, ...withCookie('tidewatch-inspector=') })).code).toBe(401);
    expect((await rawRequest(port, { path, ...withCookie(`${session.cookie}x`) })).code).toBe(401);
    const other = await openSession(inspected.inspector);
    expect((await rawRequest(port, { path, ...withCookie(other.cookie) })).code).toBe(401);
    expect((await rawRequest(port, { path, ...withCookie(`${other.cookie}; ${session.cookie}`) })).code).toBe(401);
  });

  it('is nowhere else', async () => {
    for (const path of ['/stream', '/rows', '/s/', '/s/x/stream', '/s//stream', `${session.base}`, '/S/x/stream']) {
      const answer = await rawRequest(port, { path, ...withCookie(session.cookie) });
      expect([401, 404]).toContain(answer.code);
    }
    expect((await rawRequest(port, { path: `${session.base}other`, ...withCookie(session.cookie) })).code).toBe(404);
  });

  it('is lost to the oldest of more sessions than anybody needs', async () => {
    const first = await openSession(inspected.inspector);
    for (let more = 0; more < 64; more++) await openSession(inspected.inspector);
    expect((await rawRequest(port, { path: `${first.base}rows`, ...withCookie(first.cookie) })).code).toBe(401);
    session = await openSession(inspected.inspector);
  });
});

describe('every answer', () => {
  it.each(['/', '/inspector.js', '/inspector.css', '/icon.svg', '/nothing', '/session'])(
    'of %s says what a browser must not do with it',
    async (path) => {
      const { headers } = await rawRequest(port, { path });
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; /);
      for (const source of policy.matchAll(/(?:script|style|img|connect)-src ([^;]*)/g))
        expect(source[1]).toBe("'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.has('server')).toBe(false);
    },
  );

  it('of the page names its own files alone, and holds no script and no style of its own', async () => {
    const { body } = await rawRequest(port, { path: '/' });
    expect([...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file]) => file)).toEqual([
      '/icon.svg',
      '/inspector.css',
      '/inspector.js',
    ]);
    expect(body).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/);
    const { body: script } = await rawRequest(port, { path: '/inspector.js' });
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
    expect([...script.matchAll(/https?:\/\/[^"'`]*/g)].map(([address]) => address)).toEqual([
      'http://www.w3.org/2000/svg',
    ]);
  });
});
