import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defineResource } from '../api/resource.ts';
import { makeCertificate } from '../http/certificate-fixture.ts';
import { rejection, sendJson } from '../http/request-fixture.ts';
import { ScriptedServer } from '../http/scripted-server-fixture.ts';
import { silentLogger } from '../observe/logger.ts';
import { Cluster } from './cluster.ts';
import type { ConnectOptions } from './connect-options.ts';

const ca = makeCertificate({ name: 'CA', ca: true });
const served = makeCertificate({ name: 'server', issuer: ca, hosts: ['127.0.0.1'] });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const pods = defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' });

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-given-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Answers who asks; with 401 when the token is `bad`. */
function serve() {
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = '' } = request.headers;
    const refused = authorization.includes('bad') || authorization === '';
    if (refused) sendJson(response, 401, { kind: 'Status', status: 'Failure', code: 401, message: 'Unauthorized' });
    else sendJson(response, 200, { authorization });
  };
  return ScriptedServer.http(handler, { cert: served.certificate, key: served.key });
}

async function ask(options: ConnectOptions): Promise<unknown> {
  await using cluster = await Cluster.connect({ env: {}, logger: silentLogger, ...options });
  return await cluster.client(pods).get('p');
}

const kubeconfig = (server: string, user = 'token: good') => `
current-context: main
contexts: [{name: main, context: {cluster: c, user: alice}}]
clusters: [{name: c, cluster: {server: "${server}", certificate-authority-data: ${base64(ca.certificate)}}}]
users: [{name: alice, user: {${user}}}]
`;

describe('a kubeconfig that is given itself', () => {
  it('may be text, JSON, or an object', async () => {
    await using server = await serve();
    const text = kubeconfig(server.url);
    for (const given of [text, JSON.stringify(parse(text)), parse(text)]) {
      expect(await ask({ kubeconfig: given })).toMatchObject({ authorization: 'Bearer good' });
    }
  });

  it('is named in messages, without what it says', async () => {
    const failure = await rejection(
      ask({ kubeconfig: 'current-context: none\nusers: [{name: a, user: {token: s3cret}}]' }),
    );
    expect(failure).toMatchObject({ kind: 'kubeconfig' });
    expect(String(failure)).toContain('the option `kubeconfig`');
    expect(String(failure)).not.toContain('s3cret');
  });

  it('sends users of client-node to the right door', async () => {
    const config = { getCurrentContext: () => 'x' };
    expect(String(await rejection(ask({ kubeconfig: config as never })))).toContain('Cluster.from(kubeConfig)');
  });
});

describe('certificateAuthority', () => {
  it('may be PEM, bytes, or the path of a file', async () => {
    await using server = await serve();
    const path = join(folder, 'ca.pem');
    await writeFile(path, ca.certificate);
    for (const certificateAuthority of [ca.certificate, Buffer.from(ca.certificate), path]) {
      expect(await ask({ server: server.url, token: 'good', certificateAuthority })).toBeDefined();
    }
  });

  it.each([
    ['/no/such/file.pem', '"/no/such/file.pem", which is not a file that can be read'],
    [base64(ca.certificate), 'PEM in base64: decode it first'],
    ['', 'empty'],
    ['two\nlines', 'a text without a certificate in PEM'],
    [new Uint8Array(5), '5 bytes without a certificate in PEM'],
    [5 as never, 'certificateAuthority is 5'],
    ['-----BEGIN CERTIFICATE-----\nabc\n', 'is PEM without a certificate that can be read'],
    ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n', 'is PEM without a certificate that can be read'],
    [Buffer.from(ca.certificate.slice(0, 300)), 'is PEM without a certificate that can be read'],
  ])('says what it is and what was expected: case %#', async (certificateAuthority, said) => {
    const failure = await rejection(ask({ server: 'https://127.0.0.1:1', certificateAuthority }));
    expect(String(failure)).toContain(said);
    expect(String(failure)).toContain('or the path of a file with it');
  });
});

describe('a login that cannot be sent', () => {
  it('is named, and not repeated', async () => {
    await using server = await serve();
    const options = { server: server.url, certificateAuthority: ca.certificate };
    const cases: [ConnectOptions, string][] = [
      [{ ...options, token: 's3cret\n' }, 'the option `token`'],
      [{ kubeconfig: kubeconfig(server.url, 'token: "s3\\ncret"') }, 'the user "alice" of the context "main"'],
      [{ ...options, token: 'good', impersonate: { user: 's3cret\0' } }, 'the option `token`'],
    ];
    for (const [given, named] of cases) {
      const failure = await rejection(ask(given));
      expect(failure).toMatchObject({ kind: 'credentials' });
      expect(String(failure)).toContain(`the login cannot be sent, because a header cannot have a line break`);
      expect(String(failure)).toContain(named);
      expect(String(failure)).not.toContain('s3');
    }
  });
});

describe('a 401', () => {
  it('says which context, user and source of the login was refused, and never the token', async () => {
    await using server = await serve();
    const failure = await rejection(ask({ kubeconfig: kubeconfig(server.url, 'token: bad-s3cret') }));
    expect(failure).toMatchObject({ kind: 'unauthorized' });
    expect(String(failure)).toContain(
      'refused was the user "alice" of the context "main" in the option `kubeconfig`, with its token',
    );
    expect(String(failure)).not.toContain('s3cret');
  });

  it('says that no login was sent to an address with http://, and which one it has', async () => {
    const unauthorized = { kind: 'Status', status: 'Failure', code: 401, message: 'Unauthorized' };
    await using server = await ScriptedServer.http((_request, response) => sendJson(response, 401, unauthorized));
    const unsent = 'refused was no login: the address begins with http://, so this was not sent: the ';
    expect(String(await rejection(ask({ kubeconfig: kubeconfig(server.url) })))).toContain(
      `${unsent}user "alice" of the context "main" in the option \`kubeconfig\`, with its token`,
    );
    await writeFile(join(folder, 'token'), 'good');
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1', HOME: folder };
    const inPod = ask({ env, server: server.url, serviceAccountFolder: folder });
    expect(String(await rejection(inPod))).toContain(`${unsent}service account of the pod`);
    expect(String(await rejection(ask({ server: server.url, token: 'bad' })))).toContain('refused was the option');
  });

  it('names token files, options and missing logins', async () => {
    await using server = await serve();
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'bad');
    const certificateAuthority = ca.certificate;
    const by = async (options: ConnectOptions) => String(await rejection(ask(options)));
    expect(await by({ kubeconfig: kubeconfig(server.url, `tokenFile: ${tokenFile}`) })).toContain(
      `with the token in the file ${tokenFile}`,
    );
    expect(await by({ server: server.url, certificateAuthority, token: 'bad' })).toContain(
      'refused was the option `token`',
    );
    expect(await by({ server: server.url, certificateAuthority, tokenFile })).toContain('the option `tokenFile`');
    expect(await by({ server: server.url, certificateAuthority })).toContain('no login: there is no user');
  });
});
