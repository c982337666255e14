import { existsSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ApiServer } from '../testing/api-server.ts';
import { Interrupted } from './cli-io.ts';
import { visibleCommands } from './commands.ts';
import { runCli } from './run-cli.ts';
import { run } from './run-cli-fixture.ts';

describe('tidewatch', () => {
  it('lists its commands when it is asked nothing, or for help', async () => {
    for (const argv of [[], ['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await run(argv);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const { name, summary } of visibleCommands) expect(stdout).toMatch(new RegExp(`  ${name} +${summary}`));
    }
  });

  it.each(visibleCommands.map(({ name }) => name))('explains %s, with an example', async (name) => {
    const asked = await Promise.all([
      run([...name.split(' '), '--help']),
      run([...name.split(' '), '--no-such-flag', '-h']),
      run(['help', ...name.split(' ')]),
    ]);
    for (const { code, stdout, stderr } of asked) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`tidewatch ${name}`);
      expect(stdout).toMatch(/\nExamples?:\n {2}# /);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    }
  });

  it.each(visibleCommands.map(({ name }) => name))('has a section on %s in docs/cli.md, with its picture', (name) => {
    const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
    const section = page.split(/^## /m).find((one) => one.startsWith(`${name}\n`)) ?? '';
    const [, picture = ''] = /^!\[.+\]\((images\/.+\.svg)\)$/m.exec(section) ?? [];
    expect(picture, `a section "## ${name}" with a picture`).not.toBe('');
    expect(existsSync(new URL(`../../docs/${picture}`, import.meta.url)), picture).toBe(true);
  });

  it('tells its version', async () => {
    for (const argv of [['version'], ['--version']]) {
      expect(await run(argv)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^tidewatch \d+\.\d+\.\d+ \(node /),
      });
    }
  });

  it.each([
    [['wach', 'pods'], 'error: there is no command "wach". Did you mean "watch"? See "tidewatch help".\n'],
    [
      ['generate'],
      'error: "tidewatch generate" needs to know what. Try "tidewatch generate crd" or "tidewatch generate api".\n',
    ],
    [
      ['--verbose', 'watch'],
      'error: tidewatch has no flag --verbose of its own. Put flags after the command: see "tidewatch help".\n',
    ],
    [['watch'], 'error: "tidewatch watch" needs a RESOURCE, such as pods. See "tidewatch watch --help".\n'],
    [
      ['watch', 'pods', '--watch-onyl'],
      'error: "tidewatch watch" has no flag --watch-onyl. Did you mean "--watch-only"? See "tidewatch watch --help".\n',
    ],
    [['watch', 'pods', '-x'], 'error: "tidewatch watch" has no flag -x. See "tidewatch watch --help".\n'],
    [['watch', 'pods', '-n'], 'error: -n needs a value (NAME). See "tidewatch watch --help".\n'],
    [['watch', 'pods', '-n', ''], 'error: -n needs a value (NAME). See "tidewatch watch --help".\n'],
    [['logs', '--namespace='], 'error: --namespace needs a value (NAME). See "tidewatch logs --help".\n'],
    [['watch', 'pods', '-n', '-A'], 'error: -n needs a value (NAME). See "tidewatch watch --help".\n'],
    [
      ['watch', 'pods', '-o', 'jsn'],
      'error: -o must be one of wide, json, name, events, not "jsn". Did you mean "json"?\n',
    ],
    [['watch', 'pods', '-A=maybe'], 'error: "tidewatch watch" has no flag -=. See "tidewatch watch --help".\n'],
    [
      ['watch', 'pods', '--all-namespaces=maybe'],
      'error: --all-namespaces takes no value, but was given "maybe". See "tidewatch watch --help".\n',
    ],
    [
      ['watch', 'a', 'b', 'c'],
      'error: "tidewatch watch" takes at most 2 arguments, so "c" is too many. See "tidewatch watch --help".\n',
    ],
    [
      ['watch', 'pods,services', 'web'],
      'error: "pods,services" names several resources, so no single object can be named. See "tidewatch watch --help".\n',
    ],
    [
      ['watch', 'pods', '--resync', 'often'],
      'error: --resync "often" is not a duration. Write it as 30s, 1m30s or 500ms.\n',
    ],
    [['watch', 'pods', '--resync', '10ms'], 'error: --resync 10ms is too short. The shortest is 1s; 0 means never.\n'],
    [
      ['watch', 'pods', '--timeout', '1s'],
      'error: --timeout needs --exit-after-sync. Without it, a watch goes on until it is interrupted.\n',
    ],
    [['watch', 'pods', '-l', 'a in (b'], expect.stringMatching(/^error: "a in \(b" is not a label selector: .*\n$/)],
    [['watch', 'pods', '--field-selector', 'x'], expect.stringMatching(/^error: "x" is not a field selector: .*\n$/)],
    [['watch', 'pods/../x'], 'error: "../x" cannot be the name of an object.\n'],
    [['serve', '--port', '70000'], 'error: --port must be a number from 0 to 65535, not "70000".\n'],
    [
      ['serve', 'now'],
      'error: "tidewatch serve" takes no arguments, so "now" is too many. See "tidewatch serve --help".\n',
    ],
    [['demo', '--rate', 'fast'], 'error: --rate must be a number, not "fast".\n'],
    [['completion'], 'error: "tidewatch completion" needs the name of a shell. Try one of bash, zsh, fish.\n'],
    [['completion', 'tcsh'], 'error: "tidewatch completion" knows no shell "tcsh". Try one of bash, zsh, fish.\n'],
  ])('refuses %j in one sentence', async (argv, stderr) => {
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr });
  });

  it('finds no cluster where there is none, and says what to do', async () => {
    const { code, stdout, stderr } = await run(['watch', 'pods']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: no cluster to connect to: .*\. Name a cluster with --kubeconfig FILE.*\n$/);
    expect(stderr).not.toContain('{ kubeconfig }');
  });

  it('says which cluster cannot be reached', async () => {
    const { code, stderr } = await run(['watch', 'pods', '-s', 'http://127.0.0.1:1']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: the cluster cannot be reached: http:\/\/127\.0\.0\.1:1: nothing listens there.*\n$/,
    );
  });

  it('says so when the scheme of the address is wrong', async () => {
    await using tls = await ApiServer.start();
    const secure = await run(['watch', 'pods', '-s', tls.url.replace('https:', 'http:')]);
    expect(secure).toMatchObject({ code: 1, stdout: '' });
    expect(secure.stderr).toMatch(/^error: .*its address begins with https:\/\/.*\n$/);
    await using plain = await ApiServer.start({ http: true });
    const clear = await run(['watch', 'pods', '-s', plain.url.replace('http:', 'https:')]);
    expect(clear).toMatchObject({ code: 1, stdout: '' });
    expect(clear.stderr).toMatch(/^error: .*does not speak TLS on this port; is it an http:\/\/ address\?.*\n$/);
  });

  it('ends with the code of the signal when it is interrupted', async () => {
    const signal = AbortSignal.abort(new Interrupted('SIGTERM'));
    expect(await run(['watch', 'pods', '-s', 'http://127.0.0.1:1'], { signal })).toMatchObject({
      code: 143,
      stderr: '',
    });
  });

  it('ends quietly when nobody reads its output', async () => {
    const closed = () =>
      new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })) });
    const stdout = closed();
    const stderr = closed();
    expect(await runCli(['help'], { stdin: process.stdin, stdout, stderr, env: {} })).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('helps with a group of commands', async () => {
    for (const line of [
      ['generate', '--help'],
      ['help', 'generate'],
      ['generate', '-h'],
    ]) {
      const { code, stdout } = await run(line);
      expect(code).toBe(0);
      expect(stdout).toContain('tidewatch generate crd');
    }
  });
});
