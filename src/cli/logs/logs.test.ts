import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pods } from '../../generated/api/core/v1.ts';
import { ApiServer } from '../../testing/api-server.ts';
import { Interrupted } from '../cli-io.ts';
import { type RunOptions, run } from '../run-cli-fixture.ts';
import { Painter } from '../terminal/style.ts';
import { LinePrefix } from './line-prefix.ts';

let folder = '';
let server: ApiServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-logs-'));
  server = await ApiServer.start({
    kubelet: {
      async *log({ pod, container, follow, sinceSeconds, tailLines, signal }) {
        yield `hello from ${container} since ${sinceSeconds} tail ${tailLines}\x1b[2J\n`;
        if (follow && pod === 'web-0')
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
  });
  await writeFile(join(folder, 'config'), server.kubeconfig());
  await using cluster = server.cluster();
  const client = cluster.client(pods);
  for (const [name, app] of [
    ['web-0', 'web'],
    ['web-1', 'web'],
    ['db-0', 'db'],
  ] as const) {
    await client.create({ metadata: { name, labels: { app } }, spec: { containers: [{ name: 'main', image: 'x' }] } });
    const status = { name: 'main', restartCount: 0, ready: true, image: 'x', imageID: 'x', state: { running: {} } };
    await client.patch(name, { status: { containerStatuses: [status] } }, { subresource: 'status' });
  }
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const logs = (args: string[], options: RunOptions = {}) =>
  run(['logs', ...args], { env: { KUBECONFIG: join(folder, 'config'), LANG: 'C.UTF-8' }, ...options });

describe('tidewatch logs', () => {
  it('shows each line with its pod and container, by the beginning of a name or by selector', async () => {
    const byName = await logs(['web', '--since', '5m', '--tail', '3']);
    expect(byName.code).toBe(0);
    const lines = byName.stdout.trim().split('\n').sort();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^web-0 main hello from main since 300 tail 3/);
    expect(byName.stdout).not.toContain('\x1b');
    const bySelector = await logs(['-l', 'app=db', '--no-prefix', '-c', 'main']);
    expect(bySelector.stdout).toMatch(/^hello from main/);
    const everywhere = await logs(['-A', 'db']);
    expect(everywhere.stdout).toMatch(/^default\/db-0 main hello/);
  });

  it('says when there is nothing, and what is wrong with the command line', async () => {
    expect(await logs(['nobody'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No lines found in namespace "default".\n',
    });
    expect(await logs(['--tail', 'many'])).toMatchObject({ code: 2 });
    expect(await logs(['pod/web'])).toMatchObject({ code: 2 });
    expect((await logs(['--help'])).stdout).toContain('--follow');
  });

  it('follows until Ctrl-C', async () => {
    const stop = new AbortController();
    let seen = '';
    const result = await logs(['-f'], {
      signal: stop.signal,
      onOutput: (text) => {
        seen += text;
        if (seen.split('\n').length > 3) stop.abort(new Interrupted('SIGINT'));
      },
    });
    expect(result.code).toBe(130);
  });

  it('gives each pod a colour that it keeps', () => {
    const prefix = new LinePrefix(new Painter({ color: true, unicode: true }), { namespaces: false });
    const of = (pod: string) => prefix.of({ namespace: 'default', pod, container: 'main', line: '' });
    expect(of('a')).not.toBe(of('b').replace('b', 'a'));
    expect(of('a')).toBe(of('a'));
  });
});
