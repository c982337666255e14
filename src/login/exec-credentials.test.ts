import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rejection } from '../http/request-fixture.ts';
import { Secret } from '../http/secret.ts';
import { systemClock } from '../observe/clock.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { ExecCredentials, type ExecCredentialsOptions } from './exec-credentials.ts';
import type { KubeconfigExec } from './kubeconfig.ts';

const V1 = 'client.authentication.k8s.io/v1';
const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-exec-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A plugin in JavaScript. `log(text)` leaves a line that `runs()` gives; `answer(status)` prints an ExecCredential. */
async function plugin(body: string, exec: Partial<KubeconfigExec> = {}): Promise<KubeconfigExec> {
  const file = join(folder, 'plugin');
  await writeFile(
    file,
    `#!${process.execPath}
const log = (text) => require('fs').appendFileSync(${JSON.stringify(join(folder, 'log'))}, text + '\\n');
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const answer = (status) => console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: info.apiVersion, status }));
${body}
`,
  );
  await chmod(file, 0o755);
  return {
    command: file,
    args: new Secret([]),
    env: new Secret([]),
    apiVersion: V1,
    installHint: '',
    provideClusterInfo: false,
    interactiveMode: 'Never',
    ...exec,
  };
}

async function runs(): Promise<string[]> {
  return (await readFile(join(folder, 'log'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
}

function open(exec: KubeconfigExec, options: Partial<ExecCredentialsOptions> = {}): ExecCredentials {
  return new ExecCredentials(exec, {
    where: 'the user "u" in f',
    env: process.env,
    clock: systemClock,
    stdinIsTerminal: () => false,
    ...options,
  });
}

describe('ExecCredentials', () => {
  it('runs the command without a shell, with arguments and variables, and uses its token', async () => {
    const exec = await plugin(
      `log(JSON.stringify({ args: process.argv.slice(2), one: process.env.ONE, two: process.env.TWO, info }));
       answer({ token: 'abc' });`,
      { args: new Secret(['$HOME; echo', '*']), env: new Secret([{ name: 'TWO', value: '2' }]) },
    );
    const credentials = open(exec, { env: { ...process.env, ONE: '1', TWO: 'overridden' } });
    expect((await credentials.login()).headers.reveal()).toEqual({ authorization: 'Bearer abc' });
    expect(JSON.parse((await runs())[0] ?? '')).toEqual({
      args: ['$HOME; echo', '*'],
      one: '1',
      two: '2',
      info: { kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } },
    });
  });

  it('tells the plugin about the cluster when it wants to know', async () => {
    const exec = await plugin(`log(JSON.stringify(info.spec)); answer({ token: 'abc' });`, {
      provideClusterInfo: true,
    });
    const cluster = { server: 'https://c', 'certificate-authority-data': 'Y2E=', config: { audience: 'x' } };
    await open(exec, { cluster: new Secret(cluster) }).login();
    expect(JSON.parse((await runs())[0] ?? '')).toEqual({ cluster, interactive: false });
  });

  it('takes a client certificate, and gives the same one again while it is the same', async () => {
    const exec = await plugin(`answer({ clientCertificateData: 'CERT', clientKeyData: 'KEY' });`, {
      apiVersion: V1BETA1,
    });
    const credentials = open(exec);
    const first = await credentials.login();
    expect(first.certificate?.certificate.reveal()).toBe('CERT');
    expect(first.certificate?.key.reveal()).toBe('KEY');
    expect(first.headers.reveal()).toEqual({});
    expect(await credentials.renew(first)).toBe(true);
    const second = await credentials.login();
    expect(second).not.toBe(first);
    expect(second.certificate).toBe(first.certificate);
  });

  it('runs once for all who wait, and again only when the credential has expired', async () => {
    const clock = new FakeClock(Date.UTC(2030, 0, 1));
    const exec = await plugin(`log('run'); answer({ token: 'abc', expirationTimestamp: '2030-01-01T00:10:00Z' });`);
    const credentials = open(exec, { clock });
    const logins = await Promise.all(Array.from({ length: 5 }, () => credentials.login()));
    expect(new Set(logins).size).toBe(1);
    await clock.advance(600_000);
    await credentials.login();
    expect(await runs()).toEqual(['run']);
    await clock.advance(1);
    expect(await credentials.login()).not.toBe(logins[0]);
    expect(await runs()).toEqual(['run', 'run']);
  });

  it('runs again after a 401, once for all requests that got it', async () => {
    const exec = await plugin(`log('run'); answer({ token: String(Math.random()) });`);
    const credentials = open(exec);
    const login = await credentials.login();
    expect(await Promise.all([credentials.renew(login), credentials.renew(login)])).toEqual([true, true]);
    expect(await credentials.renew(login)).toBe(true);
    expect(await credentials.login()).not.toBe(login);
    expect(await runs()).toEqual(['run', 'run']);
  });

  it('shows the install hint, without control characters, when the command is not found', async () => {
    const exec = await plugin('', { command: 'no-such-plugin', installHint: 'run \u001b[1mget-plugin' });
    const error = (await rejection(open(exec).login())) as Error;
    expect(error).toMatchObject({ kind: 'credentials' });
    expect(error.message).toBe(
      'the credential plugin "no-such-plugin" of the user "u" in f cannot be used: the command was not found, or may not be executed\n\nrun U+001B[1mget-plugin',
    );
  });

  it('finds a bare name through PATH', async () => {
    const exec = await plugin(`answer({ token: 'abc' });`);
    const credentials = open({ ...exec, command: 'plugin' }, { env: { PATH: folder } });
    expect((await credentials.login()).headers.reveal()).toEqual({ authorization: 'Bearer abc' });
  });

  it('respects the interactive mode', async () => {
    const exec = await plugin(
      `log(String(info.spec.interactive)); require('fs').readFileSync(0); answer({ token: 'abc' });`,
      { interactiveMode: 'IfAvailable' },
    );
    await open(exec).login();
    await open({ ...exec, interactiveMode: 'Never' }, { stdinIsTerminal: () => true }).login();
    expect(await runs()).toEqual(['false', 'false']);
    const always: KubeconfigExec = { ...exec, interactiveMode: 'Always' };
    expect(await rejection(open(always).login())).toMatchObject({ message: expect.stringContaining('not a terminal') });
    expect(await rejection(open({ ...exec, interactiveMode: '' }).login())).toMatchObject({
      message: expect.stringContaining('must be Never, IfAvailable or Always'),
    });
  });

  it('says what was wrong with the answer, and shows nothing of it', async () => {
    const cases: Array<[string, string]> = [
      [`console.log('hunter2');`, 'not JSON'],
      [`console.log('"hunter2"');`, 'not an ExecCredential'],
      [
        `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${V1BETA1}', status: { token: 'hunter2' } }));`,
        `configured for apiVersion ${V1} and answered with ${V1BETA1}`,
      ],
      [`answer(undefined);`, 'neither a token nor a client certificate'],
      [`answer({ clientCertificateData: 'hunter2' });`, 'without its key'],
      [`answer({ token: 'hunter2', expirationTimestamp: 'soon' });`, 'not an RFC 3339 time'],
      [`console.log('hunter2'); process.exit(3);`, 'exit code 3'],
      [`process.stdout.write('hunter2'.repeat(200000));`, 'printed more than'],
    ];
    for (const [body, said] of cases) {
      const exec = await plugin(body, {
        args: new Secret(['hunter2']),
        env: new Secret([{ name: 'A', value: 'hunter2' }]),
      });
      const error = (await rejection(open(exec).login())) as Error;
      expect(error.message).toContain(said);
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('hunter2');
    }
    const unknown = await plugin('', { apiVersion: 'client.authentication.k8s.io/v1alpha1' });
    expect(await rejection(open(unknown).login())).toMatchObject({
      message: expect.stringContaining('v1alpha1" is unknown'),
    });
  });

  it('runs again after a failure', async () => {
    const exec = await plugin(
      `if (require('fs').existsSync(${JSON.stringify(join(folder, 'ready'))})) answer({ token: 'x' }); else process.exit(1);`,
    );
    const credentials = open(exec);
    await rejection(credentials.login());
    await writeFile(join(folder, 'ready'), '');
    expect((await credentials.login()).headers.reveal()).toEqual({ authorization: 'Bearer x' });
  });

  it('gives up a plugin that takes too long', async () => {
    const exec = await plugin('setInterval(() => {}, 1000);');
    const error = await rejection(open(exec, { execTimeoutMs: 300 }).login());
    expect(error).toMatchObject({ message: expect.stringContaining('did not finish within 300 ms') });
  });

  it('kills a plugin that runs when it is closed, and starts none then', async () => {
    const exec = await plugin(`log(process.pid); setInterval(() => {}, 1000);`);
    const credentials = open(exec);
    const waiting = rejection(credentials.login());
    await vi.waitUntil(async () => (await runs()).length === 1, { timeout: 10_000 });
    credentials.close();
    expect(await waiting).toMatchObject({ message: expect.stringContaining('the cluster was closed while it ran') });
    const [pid] = await runs();
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    expect(await rejection(credentials.login())).toMatchObject({ kind: 'credentials' });
    expect(await runs()).toHaveLength(1);
  });
});

describe('the option exec', () => {
  it('cannot be got round by a kubeconfig that changes PATH for the plugin', async () => {
    const trusted = await plugin(`answer({ token: 'trusted' });`);
    const evil = await mkdtemp(join(tmpdir(), 'tidewatch-evil-'));
    await writeFile(join(evil, 'plugin'), '#!/bin/sh\nexit 7\n', { mode: 0o755 });
    const exec = { ...trusted, command: 'plugin', env: new Secret([{ name: 'PATH', value: evil }]) };
    const credentials = open(exec, { exec: { allow: ['plugin'] }, env: { ...process.env, PATH: folder } });
    expect((await credentials.login()).headers.reveal()).toEqual({ authorization: 'Bearer trusted' });
    await rm(evil, { recursive: true });
  });

  it('forbids all plugins, or all but the listed ones, by path or by name', async () => {
    const exec = await plugin(`log('run'); answer({ token: 'abc' });`);
    const byName = { ...exec, command: 'plugin' };
    const env = { ...process.env, PATH: folder };
    const refused = { message: expect.stringContaining('does not allow') };
    expect(await rejection(open(exec, { exec: 'forbid' }).login())).toMatchObject(refused);
    expect(await rejection(open(exec, { exec: { allow: [] } }).login())).toMatchObject(refused);
    expect(
      await rejection(open(exec, { exec: { allow: ['other', join(dirname(folder), 'plugin')] }, env }).login()),
    ).toMatchObject(refused);
    expect(await runs()).toEqual([]);
    await open(exec, { exec: { allow: [exec.command] } }).login();
    await open(exec, { exec: { allow: ['plugin'] }, env }).login();
    await open(byName, { exec: { allow: [exec.command] }, env }).login();
    await open(byName, { exec: { allow: ['plugin'] }, env }).login();
    expect(await runs()).toHaveLength(4);
  });

  it('does not take a path for the command of the same name', async () => {
    const exec = await plugin(`log('run'); answer({ token: 'abc' });`);
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const command of ['./plugin', './/plugin', 'x/../plugin', exec.command]) {
        const credentials = open({ ...exec, command }, { exec: { allow: ['plugin', 'x'] } });
        expect(await rejection(credentials.login()), command).toMatchObject({
          message: expect.stringContaining('does not allow'),
        });
      }
      expect(await runs()).toEqual([]);
      for (const entry of ['./plugin', exec.command]) {
        await open({ ...exec, command: './plugin' }, { exec: { allow: [entry] } }).login();
      }
      expect(await runs()).toHaveLength(2);
    } finally {
      process.chdir(before);
    }
  });
});
