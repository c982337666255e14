import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HealthServer } from '../../controller/health-server.ts';
import { type LeaseSpec, leases } from '../../generated/api/coordination/v1.ts';
import { ScriptedServer } from '../../http/scripted-server-fixture.ts';
import { ApiServer } from '../../testing/api-server.ts';
import { run } from '../run-cli-fixture.ts';
import { topRows } from './top-table.ts';

let folder = '';
let server: ApiServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-top-'));
  server = await ApiServer.start();
  await writeFile(join(folder, 'config'), server.kubeconfig());
  await using cluster = server.cluster();
  const client = cluster.client(leases, { namespace: 'default' });
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const create = (name: string, labels: Record<string, string>, spec: LeaseSpec) =>
    client.create({ metadata: { name, labels }, spec: { leaseDurationSeconds: 15, renewTime, ...spec } });
  await create('scheduler', {}, { holderIdentity: 'sched-1' });
  await create('old', {}, { holderIdentity: 'gone', renewTime: '2020-01-01T00:00:00.000000Z' });
  const sharding = (role: string) => ({ 'tidewatch.dev/sharding': 'shop', 'tidewatch.dev/role': role });
  for (const [shard, holderIdentity] of ['web-1', 'web-1', 'web-2', 'web-1', ''].entries()) {
    await create(`shop-shard-${shard}`, sharding('shard'), { holderIdentity });
  }
  for (const name of ['web-1', 'web-2', 'web-3'])
    await create(`shop-member-${name}`, sharding('member'), { holderIdentity: name });
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const top = (...args: string[]) =>
  run(['top', ...args], { env: { KUBECONFIG: join(folder, 'config'), LANG: 'C.UTF-8' } });
const words = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ \d+s/, ' 0s').split(/ {2,}/).join(' '));

describe('tidewatch top', () => {
  it('shows who leads and who owns which shard', async () => {
    const { code, stdout } = await top();
    expect(code).toBe(0);
    expect(words(stdout)).toEqual([
      'LEASE HOLDER SHARDS RENEWED WAITING RUNNING FAILING',
      'old -',
      'scheduler sched-1 0s',
      'shop - 4',
      'shop web-1 0-1,3 0s',
      'shop web-2 2 0s',
      'shop web-3 none 0s',
    ]);
  });

  it('shows one by its name, with what waits in the processes whose health servers are named', async () => {
    const controllers = [
      { name: 'a', started: true, waiting: 12, running: 1, failing: 0 },
      { name: 'b', started: true, waiting: 3, running: 1, failing: 2 },
    ];
    const election = { lease: 'default/shop', identity: 'web-2', holds: [2] };
    const health = new HealthServer({
      port: 0,
      healthz: () => [],
      readyz: () => [],
      status: () => ({ election, controllers }),
    });
    await health.start();
    const { stdout, stderr } = await top(
      'shop',
      '--health',
      `http://127.0.0.1:${health.port}`,
      '--health',
      'http://127.0.0.1:1',
    );
    await health.stop();
    expect(words(stdout).slice(1)).toEqual([
      'shop - 4',
      'shop web-1 0-1,3 0s',
      'shop web-2 2 0s 15 2 2',
      'shop web-3 none 0s',
    ]);
    expect(stderr).toMatch(/^http:\/\/127.0.0.1:1\/debug\/status does not answer/);
  });

  it('says when nothing is there, when a URL is wrong, and when it is not a manager that answers', async () => {
    expect((await top('nothing')).stderr).toBe('No Leases found in namespace "default".\n');
    expect(await top('--health', 'file:///etc')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not the URL of a health server'),
    });
    await using other = await ScriptedServer.http((_, response) => response.end('{}'));
    const { stderr } = await top('--health', other.url);
    expect(stderr).toContain('is not the health server of a manager');
  });

  it('reads ages and holders that are missing or odd without failing', () => {
    expect(topRows([{ metadata: { name: 'a' } }, {}], [], { nowMs: 0 })).toEqual([
      ['', '-', '', '', '', '', ''],
      ['a', '-', '', '', '', '', ''],
    ]);
  });
});
