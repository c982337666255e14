import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../api/metadata.ts';
import { defineResource } from '../../api/resource.ts';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { Cluster } from '../../cluster/cluster.ts';
import { customResourceDefinitions } from '../../generated/api/apiextensions/v1.ts';
import { configMaps, type Pod, pods } from '../../generated/api/core/v1.ts';
import { Interrupted } from '../cli-io.ts';
import { type RunResult, run } from '../run-cli-fixture.ts';

let server: ApiServer;
let cluster: Cluster;
beforeEach(async () => {
  server = await ApiServer.start({ http: true });
  cluster = Cluster.over(server.transport());
});
afterEach(() => server.stop());

function pod(name: string, labels: Record<string, string> = { app: 'web' }): Pod {
  return { metadata: { name, labels }, spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'nginx' }] } };
}

function watch(...args: string[]): Promise<RunResult> {
  return run(['watch', ...args, '-s', server.url]);
}

interface Watching {
  result: Promise<RunResult>;
  /** Resolves when this many lines of output are there. */
  lines(count: number): Promise<string[]>;
  stop(): Promise<RunResult>;
}

function watching(...args: string[]): Watching {
  const stop = new AbortController();
  let output = '';
  let wake = () => {};
  const result = run(['watch', ...args, '-s', server.url], {
    signal: stop.signal,
    onOutput: (text) => {
      output += text;
      wake();
    },
  });
  const present = () => output.split('\n').slice(0, -1);
  return {
    result,
    async lines(count) {
      while (present().length < count) {
        await Promise.race([
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
          result.then(({ code, stderr }) => Promise.reject(new Error(`it ended with ${code}: ${stderr}`))),
        ]);
      }
      return present();
    },
    stop() {
      stop.abort(new Interrupted('SIGINT'));
      return result;
    },
  };
}

describe('tidewatch watch, through a pipe', () => {
  it('prints the rows of kubectl get, and then one for each change', async () => {
    const client = cluster.client(pods);
    await client.create(pod('web-1'));
    await client.create(pod('web-0'));
    const watched = watching('po');
    expect(await watched.lines(3)).toEqual([
      expect.stringMatching(/^NAME {4}READY {3}STATUS {4}RESTARTS {3}AGE$/),
      expect.stringMatching(/^web-0 {3}0\/1 {5}Pending {3}0 {10}\d+s$/),
      expect.stringMatching(/^web-1 {3}0\/1 {5}Pending {3}0 {10}\d+s$/),
    ]);
    await client.patch('web-1', { status: { phase: 'Running' } }, { subresource: 'status' });
    expect((await watched.lines(4))[3]).toMatch(/^web-1 {3}0\/1 {5}Running/);
    await client.create(pod('a-much-longer-name'));
    expect((await watched.lines(5))[4]).toMatch(/^a-much-longer-name {3}0\/1 {5}Pending/);
    await client.delete('web-0', { gracePeriodSeconds: 0 });
    expect((await watched.lines(6))[5]).toMatch(/^web-0 {16}0\/1/);
    expect(await watched.stop()).toMatchObject({ code: 130, stderr: '' });
  });

  it('prints events as words, a key and a version', async () => {
    const client = cluster.client(configMaps);
    const made = await client.create({ metadata: { name: 'one' } });
    const watched = watching('configmaps', '-o', 'events');
    const added = `ADD default/one ${made.metadata?.resourceVersion}`;
    expect(await watched.lines(1)).toEqual([added]);
    const changed = await client.patch('one', { data: { a: 'b' } });
    await watched.lines(2);
    server.disconnectWatches({ abruptly: true });
    const other = await client.create({ metadata: { name: 'two' } });
    await watched.lines(3);
    await client.delete('one');
    expect(await watched.lines(4)).toEqual([
      added,
      `UPDATE default/one ${changed.metadata?.resourceVersion}`,
      `ADD default/two ${other.metadata?.resourceVersion}`,
      expect.stringMatching(/^DELETE default\/one \d+$/),
    ]);
    await watched.stop();
  });

  it('shows several resources, and categories, as events with their type', async () => {
    const client = cluster.client(pods);
    await client.create(pod('web-0'));
    await cluster.client(configMaps).create({ metadata: { name: 'c' } });
    const { stdout, code } = await watch('pods,configmaps', '--exit-after-sync');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').sort()).toEqual([
      expect.stringMatching(/^ADD configmap default\/c \d+$/),
      expect.stringMatching(/^ADD pod default\/web-0 \d+$/),
    ]);
    const all = await watch('all', '--exit-after-sync', '-o', 'name');
    expect(all.stdout).toBe('pod/web-0\n');
    expect(await watch('pods,nothing', '--exit-after-sync')).toMatchObject({ code: 1 });
    expect(await watch('pods,configmaps', '-o', 'wide')).toMatchObject({ code: 2 });
    const followed = watching('pods,configmaps', '--watch-only');
    await client.create(pod('web-1'));
    expect((await followed.stop()).code).toBe(130);
  });

  it('leaves out what is forbidden of several resources, with a warning', async () => {
    await cluster.client(pods).create(pod('web-0'));
    server.access.deny({ resources: ['secrets'] });
    const { stdout, stderr, code } = await watch('pods,secrets', '--exit-after-sync');
    expect(code).toBe(0);
    expect(stdout).toContain('ADD pod default/web-0');
    expect(stderr).toContain('secrets is left out');
  });

  it('prints events as JSON, one a line, whatever is in the object', async () => {
    const data = { 'a.txt': 'line\none \x1b[31m\x9b \u202e', constructor: 'x' };
    const made = await cluster.client(configMaps).create({ metadata: { name: 'one' }, data });
    const { code, stdout } = await watch('cm', '-A', '-o', 'json', '--exit-after-sync');
    expect(code).toBe(0);
    const [line = '', ...rest] = stdout.trimEnd().split('\n');
    expect(rest).toEqual([]);
    expect(line).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line)).toEqual({
      type: 'ADD',
      key: 'default/one',
      resourceVersion: made.metadata?.resourceVersion,
      object: expect.objectContaining({ kind: 'ConfigMap', apiVersion: 'v1', data }),
    });
  });

  it('prints names as kubectl does', async () => {
    await cluster.client(pods).create(pod('web-0'));
    expect(await watch('pods', '-o', 'name', '--exit-after-sync')).toMatchObject({ stdout: 'pod/web-0\n' });
    expect(await watch('roles', '-o', 'name', '--exit-after-sync')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No resources found in namespace "default".\n',
    });
  });

  it('finds a resource by each of its names', async () => {
    await cluster.client(configMaps).create({ metadata: { name: 'one' } });
    for (const name of ['cm', 'configmaps', 'configmap', 'ConfigMap', 'configmaps.v1', 'cm/one']) {
      expect(await watch(name, '-o', 'name', '--exit-after-sync'), name).toMatchObject({ stdout: 'configmap/one\n' });
    }
    expect(await watch('deployments.apps', '-o', 'name', '--exit-after-sync')).toMatchObject({ code: 0 });
  });

  it('selects by name, labels, fields and namespace', async () => {
    const client = cluster.client(pods);
    await client.create(pod('web-0', { app: 'web' }));
    await client.create(pod('api-0', { app: 'api' }));
    const names = async (...args: string[]) =>
      (await watch('pods', ...args, '-o', 'name', '--exit-after-sync')).stdout.trimEnd().split('\n');
    expect(await names('web-0')).toEqual(['pod/web-0']);
    expect(await names('-l', 'app in (api, db)')).toEqual(['pod/api-0']);
    expect(await names('--field-selector', 'metadata.name!=api-0')).toEqual(['pod/web-0']);
    expect(await names('-n', 'kube-system')).toEqual(['']);
    expect(await names('-A')).toHaveLength(2);
  });

  it('shows namespaces, wide columns, labels and events where they are asked for', async () => {
    await cluster.client(pods).create(pod('web-0', { app: 'web', 'example.com/tier': 'front' }));
    const { stdout } = await watch(
      'po',
      '-A',
      '-o',
      'wide',
      '-L',
      'example.com/tier,none',
      '--show-labels',
      '--output-watch-events',
      '--exit-after-sync',
    );
    const [head = '', row = ''] = stdout.split('\n');
    expect(head.split(/ {2,}/)).toEqual(
      'EVENT,NAMESPACE,NAME,READY,STATUS,RESTARTS,AGE,IP,NODE,NOMINATED NODE,READINESS GATES,TIER,NONE,LABELS'.split(
        ',',
      ),
    );
    expect(row).toMatch(/^ADDED {3}default {5}web-0 .* node-a .* front .* app=web,example.com\/tier=front$/);
    expect((await watch('po', '--no-headers', '--exit-after-sync')).stdout).toMatch(/^web-0/);
  });

  it('repeats what it knows with --resync, and leaves the start out with --watch-only', async () => {
    const made = await cluster.client(configMaps).create({ metadata: { name: 'one' } });
    const version = made.metadata?.resourceVersion;
    const watched = watching('cm', '-o', 'events', '--resync', '1s', '--watch-only');
    expect(await watched.lines(1)).toEqual([`UPDATE default/one ${version}`]);
    await watched.stop();
  });

  it('waits for an object that does not exist, unless it shall end', async () => {
    expect(await watch('cm', 'later', '--exit-after-sync')).toMatchObject({
      code: 1,
      stderr: 'error: configmaps "later" does not exist in namespace "default".\n',
    });
    const watched = watching('cm', 'later', '-o', 'events');
    setTimeout(() => void cluster.client(configMaps).create({ metadata: { name: 'later' } }), 300);
    expect(await watched.lines(1)).toEqual([expect.stringMatching(/^ADD default\/later \d+$/)]);
    const { stderr } = await watched.stop();
    expect(stderr).toBe('configmaps "later" does not exist in namespace "default"; waiting for it.\n');
  });

  it('lets no control character of the cluster through', async () => {
    const client = cluster.client<KubernetesObject & { status?: object }>(pods as never);
    await client.create(pod('web-0') as KubernetesObject);
    const reason = 'Bad\x1b[2J\x9b31m\u202eness';
    await client.patch('web-0', { status: { phase: 'Failed', reason } }, { subresource: 'status' });
    const { stdout } = await watch('po', '--exit-after-sync');
    expect(stdout).toContain('Bad\\x1b[2J\\x9b31m\\u202eness');
    expect(stdout.replaceAll('\n', '')).toMatch(/^[\x20-\x7e]*$/);
  });

  it('follows custom resources, with the columns that their definition names', async () => {
    await cluster.client(customResourceDefinitions).create({
      metadata: { name: 'crontabs.stable.example.com' },
      spec: {
        group: 'stable.example.com',
        scope: 'Namespaced',
        names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            additionalPrinterColumns: [{ name: 'Schedule', type: 'string', jsonPath: '.spec.cronSpec' }],
          },
        ],
      },
    });
    const cronTabs = defineResource({
      group: 'stable.example.com',
      version: 'v1',
      plural: 'crontabs',
      kind: 'CronTab',
    });
    const cronTab = { metadata: { name: 'nightly' }, spec: { cronSpec: '0 3 * * *' } };
    await expect
      .poll(() =>
        cluster
          .client(cronTabs)
          .create(cronTab)
          .then(
            () => true,
            () => false,
          ),
      )
      .toBe(true);
    expect((await watch('ct', '--exit-after-sync')).stdout).toBe('NAME      SCHEDULE\nnightly   0 3 * * *\n');
    expect(await watch('crontab.stable.example.com', '-o', 'name', '--exit-after-sync')).toMatchObject({
      stdout: 'crontab.stable.example.com/nightly\n',
    });
  });
});

describe('tidewatch watch, refused', () => {
  it.each([
    [['podz'], 'error: the cluster has no resource "podz"; did you mean "pods"? See "kubectl api-resources".\n'],
    [
      ['crontabs.example.com'],
      'error: the cluster has no resource "crontabs.example.com". See "kubectl api-resources".\n',
    ],
    [
      ['tokenreviews'],
      expect.stringMatching(/^error: tokenreviews\.v1\.authentication\.k8s\.io cannot be watched: .*\n$/),
    ],
    [
      ['pods', '--field-selector', 'spec.color=red'],
      expect.stringMatching(/^error: the server finds the request wrong: .*field label not supported.*\n$/),
    ],
  ])('explains %j in one sentence', async (args, stderr) => {
    expect(await watch(...args)).toEqual({ code: 1, stdout: '', stderr });
  });

  it('says who may not do what', async () => {
    server.access.deny({ resources: ['secrets'] });
    const { code, stderr } = await watch('secrets');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: secrets is forbidden: User .* cannot list resource "secrets".*"kubectl auth can-i --list".*\n$/,
    );
  });

  it('ends when lists are allowed and watches are not, unless a list is all that is wanted', async () => {
    await cluster.client(configMaps).create({ metadata: { name: 'one' } });
    server.access.deny({ resources: ['configmaps'], verbs: ['watch'] });
    for (const output of [[], ['-o', 'events']]) {
      const { code, stderr } = await watch('cm', ...output);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^error: .*cannot watch resource.*\n$/),
      });
      expect(await watch('cm', ...output, '--exit-after-sync')).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('warns on stderr while the server is away, and goes on when it is back', async () => {
    const client = cluster.client(configMaps);
    await client.create({ metadata: { name: 'one' } });
    const watched = watching('cm', '-o', 'events');
    await watched.lines(1);
    const outage = server.faults.add(
      { resource: 'configmaps', verb: ['list', 'watch'] },
      { kind: 'drop' },
      { times: 2 },
    );
    server.disconnectWatches({ abruptly: true });
    await client.create({ metadata: { name: 'two' } });
    await watched.lines(2);
    expect(outage.hits).toBe(2);
    const { stderr } = await watched.stop();
    expect(stderr).toMatch(/^warning: configmaps: .*; trying again.*\.\n/);
  });

  it('gives up after the --timeout', async () => {
    server.faults.add(
      { resource: 'configmaps', verb: ['list', 'watch'] },
      { kind: 'stall' },
      { skip: 1, times: Number.POSITIVE_INFINITY },
    );
    const { code, stderr } = await watch('cm', '-o', 'events', '--exit-after-sync', '--timeout', '500ms');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: configmaps in default could not be listed within the --timeout.\n',
    });
  });
});
