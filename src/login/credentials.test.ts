import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { basicCredentials, tokenCredentials } from '../http/fixed-credentials.ts';
import type { Credentials } from '../http/http.ts';
import { HttpTransport } from '../http/http-transport.ts';
import { get, readBody, rejection, sendJson, until } from '../http/request-fixture.ts';
import { ScriptedServer } from '../http/scripted-server-fixture.ts';
import { Secret } from '../http/secret.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { combineCredentials } from './combined-credentials.ts';
import { impersonationCredentials } from './impersonation.ts';
import { OidcCredentials } from './oidc-credentials.ts';
import { TokenFileCredentials } from './token-file-credentials.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-login-'));
});
afterEach(() => rm(folder, { recursive: true }));

const headersOf = async (credentials: Credentials) => (await credentials.login()).headers.reveal();

describe('token and password', () => {
  it('become headers', async () => {
    expect(await headersOf(tokenCredentials(new Secret('abc')))).toEqual({ authorization: 'Bearer abc' });
    const basic = basicCredentials('jörg', new Secret('pa:ss'));
    expect(await headersOf(basic)).toEqual({ authorization: `Basic ${Buffer.from('jörg:pa:ss').toString('base64')}` });
  });
});

describe('TokenFileCredentials', () => {
  const open = (clock = new FakeClock(), warnings: string[] = []) =>
    new TokenFileCredentials(join(folder, 'token'), {
      clock,
      logger: { ...silentLogger, warn: (message) => void warnings.push(message) },
    });

  it('reads the token again when the file changes, and gives the same login while it does not', async () => {
    await writeFile(join(folder, 'token'), '  one\n');
    const credentials = open();
    const first = await credentials.login();
    expect(first.headers.reveal()).toEqual({ authorization: 'Bearer one' });
    expect(await credentials.login()).toBe(first);
    await writeFile(join(folder, 'token'), 'another');
    expect(await headersOf(credentials)).toEqual({ authorization: 'Bearer another' });
  });

  it('says after a 401 whether the file holds another token by now', async () => {
    await writeFile(join(folder, 'token'), 'one');
    const credentials = open();
    const login = await credentials.login();
    expect(await credentials.renew(login)).toBe(false);
    await writeFile(join(folder, 'token'), 'two');
    expect(await credentials.renew(login)).toBe(true);
  });

  it('keeps the last token when the file becomes empty or is gone, and warns once', async () => {
    await writeFile(join(folder, 'token'), 'one');
    const warnings: string[] = [];
    const credentials = open(new FakeClock(), warnings);
    const login = await credentials.login();
    await writeFile(join(folder, 'token'), '');
    expect(await credentials.login()).toBe(login);
    await rm(join(folder, 'token'));
    expect(await credentials.login()).toBe(login);
    expect(await credentials.login()).toBe(login);
    expect(warnings).toEqual([expect.stringContaining('token')]);
  });

  it('names the file when there never was a token', async () => {
    expect(await rejection(open().login())).toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining(folder),
    });
    await writeFile(join(folder, 'token'), ' \n');
    expect(await rejection(open().login())).toMatchObject({ message: expect.stringContaining('is empty') });
  });
});

describe('impersonation', () => {
  it('sends user, uid, groups and extras, escaped as client-go does', async () => {
    let seen: string[] = [];
    await using server = await ScriptedServer.http((request, response) => {
      seen = request.rawHeaders;
      response.end();
    });
    const credentials = impersonationCredentials({
      user: 'jane',
      uid: 'u-1',
      groups: ['dev', 'ops'],
      extra: { 'Example.org/Scopes%': ['view', 'edit'], plain: ['x'] },
    });
    const transport = new HttpTransport({ server: server.url, credentials, logger: silentLogger });
    await get(transport);
    await transport.close();
    const sent: string[] = [];
    for (let i = 0; i < seen.length; i += 2) {
      if (seen[i]?.startsWith('impersonate')) sent.push(`${seen[i]}: ${seen[i + 1]}`);
    }
    expect(sent).toEqual([
      'impersonate-user: jane',
      'impersonate-uid: u-1',
      'impersonate-group: dev',
      'impersonate-group: ops',
      'impersonate-extra-example.org%2Fscopes%25: view',
      'impersonate-extra-example.org%2Fscopes%25: edit',
      'impersonate-extra-plain: x',
    ]);
  });
});

describe('combined credentials', () => {
  it('join headers, keep their identity while no part changes, and are renewed when one is', async () => {
    await writeFile(join(folder, 'token'), 'one');
    const file = new TokenFileCredentials(join(folder, 'token'), { clock: new FakeClock(), logger: silentLogger });
    const credentials = combineCredentials([file, impersonationCredentials({ user: 'jane' })]);
    const login = await credentials.login();
    expect(login.headers.reveal()).toEqual({ authorization: 'Bearer one', 'impersonate-user': 'jane' });
    expect(await credentials.login()).toBe(login);
    expect(await credentials.renew(login)).toBe(false);
    await writeFile(join(folder, 'token'), 'two');
    expect(await credentials.renew(login)).toBe(true);
    const next = await credentials.login();
    expect(next.headers.reveal()).toMatchObject({ authorization: 'Bearer two' });
    expect(await credentials.renew(login)).toBe(true);
  });
});

describe('OidcCredentials', () => {
  const jwt = (name: string, expiresAtMs: number) => {
    const claims = Buffer.from(JSON.stringify({ sub: name, exp: Math.floor(expiresAtMs / 1000) })).toString(
      'base64url',
    );
    return `${Buffer.from('{}').toString('base64url')}.${claims}.signature-of-${name}`;
  };

  /** Answers with a number as a status, and with everything else as its document. */
  async function provider(
    answer: (form: URLSearchParams, authorization: string | undefined) => unknown,
    discovery: Record<string, unknown> = {},
  ) {
    const seen: string[] = [];
    const server = await ScriptedServer.http(async (request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url === '/realm/.well-known/openid-configuration') {
        return sendJson(response, 200, { token_endpoint: `${server.url}/realm/token`, ...discovery });
      }
      const result = answer(new URLSearchParams(await readBody(request)), request.headers.authorization);
      return typeof result === 'number'
        ? sendJson(response, result, { error: 'invalid_client' })
        : sendJson(response, 200, result);
    });
    return Object.assign(server, { seen });
  }

  const open = (issuer: string, clock: FakeClock, config: Record<string, string>) =>
    new OidcCredentials(
      new Secret(new Map(Object.entries({ 'idp-issuer-url': issuer, 'client-id': 'kube', ...config }))),
      {
        where: 'the user "u" in f',
        clock,
        transport: () => ({ logger: silentLogger }),
      },
    );

  it('asks a provider that does not answer no longer, and no more, when it is closed', async () => {
    await using idp = await ScriptedServer.http(() => {});
    const credentials = open(`${idp.url}/realm`, new FakeClock(), { 'refresh-token': 'r1' });
    const waiting = rejection(credentials.login());
    await until(() => idp.sockets.size === 1);
    credentials.close();
    expect(await waiting).toMatchObject({ kind: 'credentials' });
    await until(() => idp.sockets.size === 0);
    expect(await rejection(credentials.login())).toMatchObject({
      message: expect.stringContaining('the cluster was closed'),
    });
  });

  it('uses the id-token while it is valid, and renews it with the refresh-token once for all who wait', async () => {
    const clock = new FakeClock();
    const fresh = jwt('fresh', clock.now() + 7_200_000);
    await using idp = await provider((form) => {
      expect(Object.fromEntries(form)).toEqual({ grant_type: 'refresh_token', refresh_token: 'r1', client_id: 'kube' });
      return { id_token: fresh, refresh_token: 'r2' };
    });
    const old = jwt('old', clock.now() + 60_000);
    const credentials = open(`${idp.url}/realm/`, clock, { 'id-token': old, 'refresh-token': 'r1' });
    expect(await headersOf(credentials)).toEqual({ authorization: `Bearer ${old}` });
    expect(idp.seen).toEqual([]);
    await clock.advance(51_000);
    const logins = await Promise.all([credentials.login(), credentials.login(), credentials.login()]);
    expect(new Set(logins).size).toBe(1);
    expect(logins[0]?.headers.reveal()).toEqual({ authorization: `Bearer ${fresh}` });
    expect(idp.seen).toEqual(['GET /realm/.well-known/openid-configuration', 'POST /realm/token']);
  });

  it('sends the new refresh-token next time, and renews after a 401', async () => {
    const clock = new FakeClock();
    const used: Array<string | null> = [];
    await using idp = await provider((form) => {
      used.push(form.get('refresh_token'));
      return { id_token: jwt(`t${used.length}`, clock.now() + 3_600_000), refresh_token: `r${used.length + 1}` };
    });
    const credentials = open(`${idp.url}/realm`, clock, { 'refresh-token': 'r1' });
    const first = await credentials.login();
    expect(await credentials.renew(first)).toBe(true);
    expect(await credentials.login()).not.toBe(first);
    expect(used).toEqual(['r1', 'r2']);
  });

  it.each([
    [undefined, `Basic ${Buffer.from('kube:s%26s').toString('base64')}`],
    [['client_secret_post', 'client_secret_basic'], `Basic ${Buffer.from('kube:s%26s').toString('base64')}`],
    [['client_secret_post'], 'form s&s'],
  ])('sends the client secret once, as a provider that supports %j wants it', async (methods, expected) => {
    const clock = new FakeClock();
    const ways: string[] = [];
    await using idp = await provider(
      (form, authorization) => {
        ways.push(authorization === undefined ? `form ${form.get('client_secret')}` : authorization);
        return { id_token: jwt('x', clock.now() + 3_600_000) };
      },
      { token_endpoint_auth_methods_supported: methods },
    );
    await open(`${idp.url}/realm`, clock, { 'refresh-token': 'r', 'client-secret': 's&s' }).login();
    expect(ways).toEqual([expected]);
  });

  it.each([400, 401, 500, 502])('never sends a refresh-token again that was answered with %i', async (status) => {
    const used: Array<string | null> = [];
    await using idp = await provider((form) => {
      used.push(form.get('refresh_token'));
      return status;
    });
    const config = { 'refresh-token': 'r1', 'client-secret': 's' };
    const credentials = open(`${idp.url}/realm`, new FakeClock(), config);
    expect(await rejection(credentials.login())).toMatchObject({ message: expect.stringContaining(String(status)) });
    expect(await rejection(credentials.login())).toMatchObject({ message: expect.stringContaining('log in again') });
    expect(used).toEqual(['r1']);
  });

  it('sends it again when the provider did not look at it, or gave no other one', async () => {
    const clock = new FakeClock();
    const used: Array<string | null> = [];
    const answers: unknown[] = [503, 429, { id_token: jwt('a', clock.now() + 60_000) }, 400];
    await using idp = await provider((form) => {
      used.push(form.get('refresh_token'));
      return answers[used.length - 1];
    });
    const credentials = open(`${idp.url}/realm`, clock, { 'refresh-token': 'r1' });
    for (const status of ['503', '429']) {
      expect(await rejection(credentials.login())).toMatchObject({ message: expect.stringContaining(status) });
    }
    const login = await credentials.login();
    expect(await rejection(credentials.renew(login))).toMatchObject({ message: expect.stringContaining('400') });
    expect(await credentials.renew(login)).toBe(false);
    expect(used).toEqual(['r1', 'r1', 'r1', 'r1']);
  });

  it('keeps the new refresh-token of an answer that has no id_token', async () => {
    const clock = new FakeClock();
    const used: Array<string | null> = [];
    await using idp = await provider((form) => {
      used.push(form.get('refresh_token'));
      return used.length === 1 ? { refresh_token: 'r2' } : { id_token: jwt('a', clock.now() + 60_000) };
    });
    const credentials = open(`${idp.url}/realm`, clock, { 'refresh-token': 'r1' });
    await rejection(credentials.login());
    await credentials.login();
    expect(used).toEqual(['r1', 'r2']);
  });

  it('sends nothing over http, except on this machine', async () => {
    const clock = new FakeClock();
    await using idp = await provider(() => ({ id_token: jwt('a', clock.now() + 60_000) }), {
      token_endpoint: 'http://idp.example.com/token',
    });
    const said = 'http://idp.example.com/token is not https';
    expect(await rejection(open(`${idp.url}/realm`, clock, { 'refresh-token': 'r' }).login())).toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining(said),
    });
    expect(idp.seen).toEqual(['GET /realm/.well-known/openid-configuration']);
    for (const issuer of ['http://idp.example.com/realm', 'http://127.example.com', 'ftp://127.0.0.1']) {
      expect(await rejection(open(issuer, clock, { 'refresh-token': 'r' }).login())).toMatchObject({
        message: expect.stringContaining('is not https'),
      });
    }
  });

  it('says what is wrong without showing a token', async () => {
    const clock = new FakeClock();
    await using idp = await provider(() => ({ access_token: 'hunter2' }));
    const expired = jwt('hunter2', clock.now() - 1);
    const cases: Array<[Record<string, string>, string]> = [
      [{ 'id-token': expired }, 'no refresh-token; log in again'],
      [{ 'id-token': 'hunter2' }, 'not a JWT'],
      [{ 'refresh-token': 'hunter2' }, 'without an id_token'],
    ];
    for (const [config, said] of cases) {
      const error = (await rejection(open(`${idp.url}/realm`, clock, config).login())) as Error;
      expect(error).toMatchObject({ kind: 'credentials', message: expect.stringContaining('the user "u" in f') });
      expect(error.message).toContain(said);
      expect(error.message).not.toContain('hunter2');
    }
    expect(() => open('', clock, {})).toThrow('auth-provider.config.idp-issuer-url is missing');
  });

  it('says which provider cannot be reached', async () => {
    const issuer = `http://127.0.0.1:${await ScriptedServer.unusedPort()}`;
    const error = await rejection(open(issuer, new FakeClock(), { 'refresh-token': 'r' }).login());
    expect(error).toMatchObject({ kind: 'credentials', message: expect.stringContaining(issuer) });
  });
});
