import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { Cluster } from '../../cluster/cluster.ts';
import { configMaps } from '../../generated/api/core/v1.ts';
import { run } from '../run-cli-fixture.ts';

const exec = promisify(execFile);

async function candidates(words: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const { code, stdout, stderr } = await run(['__complete', '--', ...words], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0] ?? '');
}

describe('what a shell may complete', () => {
  it('is a command, in one word or two', async () => {
    expect(await candidates([''])).toEqual([
      'demo',
      'watch',
      'inspect',
      'logs',
      'top',
      'serve',
      'generate',
      'init',
      'completion',
      'version',
      'help',
    ]);
    expect(await candidates(['wa'])).toEqual(['watch']);
    expect(await candidates(['generate', ''])).toEqual(['crd', 'api']);
    expect(await candidates(['nonsense', ''])).toEqual([]);
  });

  it('is a flag, its value, or a file', async () => {
    expect(await candidates(['watch', 'pods', '--exit'])).toEqual(['--exit-after-sync']);
    expect(await candidates(['watch', 'pods', '-o', ''])).toEqual(['wide', 'json', 'name', 'events']);
    expect(await candidates(['watch', 'pods', '--output=j'])).toEqual(['--output=json']);
    expect(await candidates(['watch', '--kubeconfig', ''])).toEqual([':files']);
    expect(await candidates(['generate', 'crd', ''])).toEqual([':files']);
    expect(await candidates(['completion', ''])).toEqual(['bash', 'zsh', 'fish']);
    expect(await candidates(['completion', 'bash', ''])).toEqual([]);
  });

  it('says what a command or a flag is for', async () => {
    const { stdout } = await run(['__complete', '--', 'ser']);
    expect(stdout).toBe('serve\trun the embedded API server, for kubectl and any client\n');
  });

  it('is nothing where there is no cluster to ask', async () => {
    expect(await candidates(['watch', ''])).toEqual([]);
    expect(await candidates(['watch', '-s', 'http://127.0.0.1:1', 'po'])).toEqual([]);
    expect(await candidates(['watch', 'pods', '-n', ''], { KUBECONFIG: '/nowhere' })).toEqual([]);
  });

  describe('on a cluster', () => {
    let server: ApiServer;
    let folder: string;
    let env: Record<string, string>;
    beforeEach(async () => {
      server = await ApiServer.start();
      folder = await mkdtemp(join(tmpdir(), 'tidewatch-complete-'));
      env = { KUBECONFIG: join(folder, 'config') };
      await writeFile(join(folder, 'config'), server.kubeconfig());
      await Cluster.over(server.transport())
        .client(configMaps)
        .create({ metadata: { name: 'settings' } });
    });
    afterEach(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('is a resource, a name, a namespace or a context', async () => {
      expect(await candidates(['watch', 'deploy'], env)).toEqual(['deployments']);
      expect(await candidates(['watch', 'ev'], env)).toEqual(['events', 'events.events.k8s.io']);
      expect(await candidates(['watch', '-A', 'cm', ''], env)).toEqual(['settings']);
      expect(await candidates(['watch', 'cm', '-n', 'kube-system', ''], env)).toEqual([]);
      expect(await candidates(['watch', 'cm', '-n', 'kube-'], env)).toEqual([
        'kube-node-lease',
        'kube-public',
        'kube-system',
      ]);
      expect(await candidates(['watch', '--context', ''], env)).toEqual(['tidewatch']);
      expect(await candidates(['watch', '--kubeconfig', env.KUBECONFIG ?? '', '--context', ''])).toEqual(['tidewatch']);
    });
  });
});

describe('the script of bash', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidewatch-bash-'));
    // Stands for the program: answers with the words that it was asked with.
    await writeFile(
      join(folder, 'tidewatch'),
      '#!/bin/sh\nshift 2\nprintf "asked(%s)\\n" "$@"\necho "--output=wide\tabout"\n',
    );
    await chmod(join(folder, 'tidewatch'), 0o755);
    await writeFile(join(folder, 'script'), (await run(['completion', 'bash'])).stdout);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function completed(words: readonly string[]): Promise<string[]> {
    const script = `
      source ${folder}/script
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _tidewatch
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await exec('bash', ['--norc', '-c', script, 'bash', ...words], {
      env: { PATH: `${folder}:/usr/bin:/bin` },
    });
    return stdout.split('\n').slice(0, -1);
  }

  it('asks with the words so far, as the user typed them', async () => {
    expect(await completed(['tidewatch', 'watch', 'po d', ''])).toEqual([
      'asked(watch)',
      'asked(po d)',
      'asked()',
      '--output=wide',
    ]);
  });

  it('puts together what bash has split, and gives back only the rest', async () => {
    expect(await completed(['tidewatch', 'watch', '--output', '=', 'wi'])).toEqual([
      'asked(watch)',
      'asked(--output=wi)',
      'wide',
    ]);
    expect(await completed(['tidewatch', 'watch', '--output', '='])).toEqual([
      'asked(watch)',
      'asked(--output=)',
      'wide',
    ]);
    expect(await completed(['tidewatch', 'watch', '--context', 'arn', ':', 'aws'])).toContain('asked(arn:aws)');
  });
});

describe('the scripts of the other shells', () => {
  it.each(['zsh', 'fish'])('are for %s', async (shell) => {
    const { stdout } = await run(['completion', shell]);
    expect(stdout).toContain('tidewatch __complete --');
  });
});
