import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cluster } from '../../cluster/cluster.ts';
import { namespaces } from '../../generated/api/core/v1.ts';
import { ScriptedServer } from '../../http/scripted-server-fixture.ts';
import { Interrupted } from '../cli-io.ts';
import { type RunResult, run } from '../run-cli-fixture.ts';
import { shellWord } from './serve.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-serve-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs it until `meanwhile` has ended. */
async function serving(flags: readonly string[], meanwhile: (output: string) => Promise<void>): Promise<RunResult> {
  const stop = new AbortController();
  let output = '';
  let problem: unknown;
  const result = run(['serve', ...flags], {
    cwd: folder,
    signal: stop.signal,
    onOutput: (text) => {
      output += text;
      if (!output.endsWith('Press Ctrl-C to stop it.\n')) return;
      meanwhile(output)
        .catch((error: unknown) => {
          problem = error;
        })
        .finally(() => stop.abort(new Interrupted('SIGINT')));
    },
  });
  const ended = await result;
  if (problem !== undefined) throw problem;
  return ended;
}

describe('tidewatch serve', () => {
  it('serves what its kubeconfig leads to, and leaves nothing behind', async () => {
    const file = join(folder, 'tidewatch.kubeconfig');
    const result = await serving([], async (output) => {
      expect(output).toContain(`export KUBECONFIG=${file}\n`);
      expect(output).toContain('Nothing runs pods');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await using cluster = await Cluster.connect({ kubeconfig: file, env: {} });
      expect(output).toContain(cluster.server.replace(/\/$/, ''));
      expect((await cluster.client(namespaces).get('default')).metadata?.name).toBe('default');
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('takes a token, or none over plain HTTP', async () => {
    await serving(['--insecure-http', '--kubeconfig', 'plain'], async (output) => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      await using cluster = await Cluster.connect({ server: url ?? '', env: {} });
      expect((await cluster.client(namespaces).list()).items).toHaveLength(4);
    });
    await serving(['--token', 's3cret'], async () => {
      expect(await readFile(join(folder, 'tidewatch.kubeconfig'), 'utf8')).toContain('token: s3cret');
    });
  });

  it('overwrites no file that it did not write, unless it must', async () => {
    const file = join(folder, 'mine');
    await writeFile(file, 'precious');
    const refused = await run(['serve', '--kubeconfig', 'mine'], { cwd: folder });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: .*mine exists and was not written by "tidewatch serve"\. Name another file.*\n$/,
    );
    expect(await readFile(file, 'utf8')).toBe('precious');
    await serving(['--kubeconfig', 'mine', '--force'], async () => {
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
  });

  it('replaces what a server that has died left behind, also when others may read it, but not a living one’s', async () => {
    const file = join(folder, 'tidewatch.kubeconfig');
    const left = (pid: number) => `# Written by "tidewatch serve" of process ${pid}, which removes it when it ends.\n`;
    await writeFile(file, left(2 ** 22 + 1));
    await chmod(file, 0o644);
    await serving([], async () => {
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
    await writeFile(file, left(process.ppid));
    const refused = await run(['serve'], { cwd: folder });
    expect(refused.stderr).toContain(`belongs to a "tidewatch serve" that still runs (process ${process.ppid})`);
  });

  it('replaces a link, and not what it leads to', async () => {
    const victim = join(folder, 'victim');
    await writeFile(victim, 'precious');
    await symlink(victim, join(folder, 'link'));
    await serving(['--kubeconfig', 'link', '--force'], async () => {});
    expect(await readFile(victim, 'utf8')).toBe('precious');
  });

  it('says so when the port is taken, or the file cannot be written', async () => {
    await using other = await ScriptedServer.raw();
    const taken = await run(['serve', '--port', String(other.port)], { cwd: folder });
    expect(taken).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`port ${other.port} is already in use`),
    });
    const nowhere = await run(['serve', '--kubeconfig', 'no/such/folder/x'], { cwd: folder });
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be written') });
  });
});

describe('a word for a shell', () => {
  it('is quoted where it needs to be', () => {
    expect(shellWord('/home/me/x.kubeconfig')).toBe('/home/me/x.kubeconfig');
    expect(shellWord("it's $HOME")).toBe("'it'\\''s $HOME'");
  });
});
