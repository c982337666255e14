import { readdirSync, readFileSync } from 'node:fs';
import { configMaps, pods } from 'tidewatch/api/core/v1';
import { describe, expect, it } from 'vitest';
import * as firstInformer from './01-first-informer.ts';
import * as indexers from './02-indexers-and-listers.ts';
import * as slowHandlers from './03-slow-handlers.ts';
import * as asyncIteration from './04-async-iteration.ts';
import * as customResources from './05-custom-resources.ts';
import * as derivedInformers from './06-derived-informers.ts';
import * as manyNamespaces from './07-many-namespaces.ts';
import * as ownWrites from './08-read-your-own-writes.ts';
import * as testingYourCode from './09-testing-your-code.ts';
import * as fromClientNode from './10-from-client-node.ts';
import * as fromClientGo from './11-from-client-go.ts';
import * as controlLoop from './12-control-loop.ts';
import * as controller from './13-controller.ts';
import * as seed000 from './seeds/000-shared-informer.ts';
import * as seed001 from './seeds/001-raw-watch.ts';
import * as seed002 from './seeds/002-namespace-and-resync.ts';
import * as seed003 from './seeds/003-two-ways-to-start.ts';
import * as byHand from './seeds/004-by-hand.ts';
import * as seed004 from './seeds/004-index-and-lister.ts';
import { type Performance, perform } from './transcript-fixture.ts';

const has = (count: number) => (lines: readonly string[]) => lines.length >= count;

/** Two resyncs, a pod that goes away, and another resync. */
async function resyncsAndDelete({ transcript, others }: Performance): Promise<void> {
  const updatesOf = (name: string) => (lines: readonly string[]) =>
    lines.filter((line) => /update/i.test(line) && line.includes(name)).length;
  await transcript.until((lines) => updatesOf('wordpress')(lines) >= 2 && updatesOf('mysql')(lines) >= 2);
  await others.client(pods).delete('wordpress');
  await transcript.until((lines) => lines.some((line) => /delete/i.test(line)));
  const before = updatesOf('mysql')(transcript.lines);
  await transcript.until((lines) => updatesOf('mysql')(lines) > before);
}

/** What was printed of each pod, in order, without uids; lines that repeat each other, as those of resyncs do, count once. */
function storyOf(lines: readonly string[], name: string): string[] {
  const plain = lines.map((line) => line.replace(/ with UID [\da-f-]+| with [\da-f-]{36}/g, ''));
  return plain.filter((line) => line.includes(name)).filter((line, index, all) => line !== all[index - 1]);
}

describe.concurrent('the examples that follow the seeds', () => {
  it('000: add for the existing pods, update at each resync, delete', async () => {
    const lines = await perform(seed000.main, { story: resyncsAndDelete });
    expect(storyOf(lines, 'mysql')).toEqual(['New Pod Added to Store: mysql', 'mysql has been updated to mysql']);
    expect(storyOf(lines, 'wordpress')).toEqual([
      'New Pod Added to Store: wordpress',
      'wordpress has been updated to wordpress',
      'Resource wordpress has been deleted.',
    ]);
  });

  it('001: the frames of a watch', async () => {
    const lines = await perform(seed001.main, {
      story: async ({ transcript, others }) => {
        await transcript.until(has(2));
        await others.client(pods).patch('mysql', { metadata: { labels: { tier: 'data' } } });
        await others.client(pods).delete('mysql');
        await transcript.until((printed) => printed.some((line) => line.includes('DELETED')));
      },
    });
    const frames = lines.map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } });
    expect(frames.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED mysql',
      'ADDED wordpress',
      'MODIFIED mysql',
      'MODIFIED mysql', // marked as deleted
      'DELETED mysql',
    ]);
    expect(frames[0]).toMatchObject({ object: { kind: 'Pod', apiVersion: 'v1' } });
  });

  it('002: one namespace, and the same again at each resync', async () => {
    const lines = await perform(seed002.main, { story: resyncsAndDelete });
    expect(storyOf(lines, 'mysql')).toEqual(['add a pod: mysql', 'update a pod: mysql mysql']);
    expect(storyOf(lines, 'wordpress')).toEqual([
      'add a pod: wordpress',
      'update a pod: wordpress wordpress',
      'delete a pod: wordpress',
    ]);
  });

  it.each(['informer', 'factory'] as const)('003: started by the %s, then listed', async (way) => {
    const main: typeof seed002.main = (context) => seed003.main(context, way);
    const lines = await perform(main, { story: resyncsAndDelete });
    const heard = lines.filter((line) => !line.startsWith('list pods'));
    expect(storyOf(heard, 'mysql')).toEqual(['add: mysql', 'update: mysql']);
    expect(storyOf(heard, 'wordpress')).toEqual(['add: wordpress', 'update: wordpress', 'delete: wordpress']);
    expect(lines.filter((line) => line.startsWith('list pods')).sort()).toEqual([
      'list pods: mysql',
      'list pods: wordpress',
    ]);
  });

  it('004: the namespace index and the lister agree', async () => {
    const lines = await perform(seed004.main, { story: resyncsAndDelete });
    expect(storyOf(lines, 'mysql')).toEqual(['Pod Added: default/mysql', 'Pod Updated: default/mysql']);
    expect(storyOf(lines, 'wordpress')).toEqual([
      'Pod Added: default/wordpress',
      'Pod Updated: default/wordpress',
      'Pod Deleted: default/wordpress',
    ]);
    expect(lines.filter((line) => line.includes('by lister'))).toEqual(['2 pods by index, 2 by lister']);
  });

  it('004, by hand: reflector, queue and indexer, on functions and on a cluster', async () => {
    const lines = await perform(byHand.main, {
      story: async ({ transcript, others }) => {
        await transcript.until(has(4));
        await others.client(pods).delete('wordpress');
        await transcript.until(has(5));
      },
    });
    expect(lines.slice(0, 2)).toEqual([
      'Replaced default/own; default has own',
      'Deleted default/own; default has nothing',
    ]);
    expect(lines.slice(2, 5)).toEqual([
      'Replaced default/mysql; default has mysql',
      'Replaced default/wordpress; default has mysql, wordpress',
      expect.stringMatching(/^(Updated|Deleted) default\/wordpress; default has mysql/),
    ]);
  });
});

describe.concurrent('the examples', () => {
  it('01: the first informer', async () => {
    expect(await perform(firstInformer.main, { until: has(6) })).toEqual([
      'was there mysql',
      'was there wordpress',
      '1 pods of wordpress in the cache',
      'update mysql Pending -> Running',
      'update wordpress Pending -> Pending',
      'delete wordpress',
    ]);
  });

  it('02: indexers and listers', async () => {
    expect(await perform(indexers.main, {})).toEqual([
      'app=web: web-1,web-2,web-3',
      'app in (web, mysql): mysql,web-1,web-2,web-3',
      'default/mysql: mysql',
      'nobody: undefined',
      'on node-a: web-1,web-3',
      'keys with nginx:1.29: default/web-1,default/web-2,default/web-3',
      'nodes in use: node-a,node-b',
    ]);
  });

  it('03: a slow handler gets everything, or the latest, and holds up nobody', async () => {
    const lines = await perform(slowHandlers.main, {});
    expect(lines.map((line) => line.replace(/\d+ ms/, 'some ms'))).toEqual([
      'every: 100 wait, the oldest for some ms',
      expect.stringMatching(/^latest: [23] wait, the oldest for some ms$/),
      expect.stringMatching(/^calls: quick 100, every 100, latest [23]$/),
    ]);
  });

  it('04: async iteration', async () => {
    expect(await perform(asyncIteration.main, {})).toEqual([
      'add mysql (was there)',
      'add wordpress (was there)',
      'update mysql: tier undefined -> data',
      'update mysql: tier data -> data', // marked as deleted
      'delete mysql',
    ]);
  });

  it('05: a custom resource that comes later', async () => {
    expect(await perform(customResources.main, { until: has(5) })).toEqual([
      'the informer is gone',
      'the informer has synced',
      'add backup 0 3 * * *',
      'update backup 0 3 * * * -> 0 4 * * *',
      'delete backup',
    ]);
  });

  it('06: selections of one informer', async () => {
    const lines = await perform(derivedInformers.main, { until: has(6) });
    expect(lines.filter((line) => !line.includes('Running]'))).toEqual([
      'pods.v1[default app in (mysql,postgres)]: add mysql',
      '1 databases, 0 running',
      'pods.v1[default app in (mysql,postgres)]: update mysql',
      'pods.v1[default app in (mysql,postgres)]: update mysql',
    ]);
    expect(lines.filter((line) => line.includes('Running]'))).toEqual([
      'pods.v1[status.phase=Running]: add mysql',
      'pods.v1[status.phase=Running]: delete mysql',
    ]);
  });

  it('07: many namespaces', async () => {
    expect(await perform(manyNamespaces.main, { until: has(2) })).toEqual([
      'add default/settings',
      'add kube-system/settings',
      'in the cache: 2, of kube-public: 0',
    ]);
  });

  it('08: read your own writes, and remove them', async () => {
    let left = -1;
    const lines = await perform(async (context) => {
      await ownWrites.main(context);
      left = (await context.cluster.client(configMaps).list()).items.length;
    }, {});
    expect(lines).toEqual(['created, and in the cache with step 1', 'changed, and in the cache with step 2']);
    expect(left).toBe(0);
  });

  it('09: code that has tests of its own', async () => {
    expect(await perform(testingYourCode.main, { until: has(1) })).toEqual(['wordpress has been pending for 1 s']);
  });

  it('10: client-node and tidewatch side by side', { timeout: 60_000 }, async () => {
    const lines = await perform(fromClientNode.main, { until: has(10), listen: true });
    const of = (prefix: string) =>
      lines.flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
    const expected = ['add mysql', 'add wordpress', 'update mysql', 'update wordpress', 'delete wordpress'];
    expect(of('before: ')).toEqual(expected);
    expect(of('after: ')).toEqual(expected);
  });

  it('11: a client-go program', async () => {
    expect(await perform(fromClientGo.main, { until: has(7) })).toEqual([
      'add mysql (initial list)',
      'add wordpress (initial list)',
      'list: 2, get: mysql, nobody: undefined',
      'by index: 1',
      'update mysql',
      'update wordpress',
      'delete wordpress',
    ]);
  });

  it('12: the control loop by hand', async () => {
    expect(await perform(controlLoop.main, { until: has(3) })).toEqual([
      'default/mysql is done after 1 retry',
      'default/wordpress is done after 1 retry',
      'default/wordpress is gone',
    ]);
  });

  it('13: a controller', async () => {
    const lines = await perform(controller.main, {
      until: has(3),
      story: async ({ transcript, others }) => {
        await transcript.until(has(1));
        await others.client(configMaps).patch('page', { metadata: { labels: { copies: '1' } } });
        await transcript.until(has(2));
        await others.client(configMaps).delete('page');
        await transcript.until(has(3));
      },
    });
    expect(lines.slice(0, 3)).toEqual([
      'default/page: made 3 copies',
      'default/page: deleted 2 copies',
      'default/page is gone',
    ]);
  });
});

it('the README of the examples names each of them', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const files = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' });
  const examples = files.filter((file) => /(^|[/\\])\d+-[\w-]+\.ts$/.test(file));
  expect(examples.length).toBeGreaterThan(10);
  expect(examples.filter((file) => !readme.includes(`](${file.replaceAll('\\', '/')})`))).toEqual([]);
});
