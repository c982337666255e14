import { afterEach, expect, it } from 'vitest';
import { configMaps, pods } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { serveInspector } from './inspector.ts';
import { FakePage, type InspectedFactory, inspectedFactory, rawRequest, tokenOf } from './inspector-fixture.ts';
import type { InspectorOptions } from './inspector-options.ts';

let inspected: InspectedFactory;

afterEach(() => inspected[Symbol.asyncDispose]());

it('rejects for a port that is taken, and says what to do', async () => {
  inspected = await inspectedFactory();
  const { factory, inspector } = inspected;
  await expect(serveInspector({ factories: [factory], port: inspector.port })).rejects.toThrow(
    `the inspector cannot listen on 127.0.0.1:${inspector.port}, because the port is taken`,
  );
});

it('rejects with a TypeError for options that will not do', async () => {
  inspected = await inspectedFactory();
  const factories = [inspected.factory];
  for (const options of [
    {},
    { port: 0 },
    { port: 0, factories: [] },
    { port: -1, factories },
    { port: 70_000, factories },
    { factories },
    { port: 0, factories: [{}] },
    { port: 0, factories, host: '' },
    { port: 0, factories, show: ['pods'] },
    { port: 0, factories, showAll: true },
  ]) {
    await expect(serveInspector(options as unknown as InspectorOptions), JSON.stringify(options)).rejects.toThrow(
      TypeError,
    );
  }
});

it('shows a factory that has been shut down as one without informers', async () => {
  inspected = await inspectedFactory();
  inspected.factory.for(pods).informer();
  inspected.factory.start();
  await inspected.factory.shutdown();
  const page = await FakePage.open(inspected.inspector);
  const tick = await page.tick(() => true);
  expect(tick.informers.filter(({ phase }) => phase !== 'stopped')).toEqual([]);
  page.close();
});

it('is one of several on the same factory, each with its own token, pages and history', async () => {
  inspected = await inspectedFactory();
  const { factory, inspector: first, cluster } = inspected;
  const informer = factory.for(configMaps).informer();
  factory.start();
  await factory.waitForCacheSync();
  const second = await serveInspector({ factories: [factory], port: 0, logger: silentLogger });
  expect(tokenOf(second)).not.toBe(tokenOf(first));
  const pages = [await FakePage.open(first), await FakePage.open(second)];
  expect([first.pages, second.pages]).toEqual([1, 1]);
  const stolen = await rawRequest(second.port, {
    path: `${pages[0]?.session.base}stream`,
    headers: { Cookie: pages[0]?.session.cookie ?? '' },
  });
  expect(stolen.code).toBe(401);
  await first.stop();
  await informer.waitFor(await cluster.client(configMaps).create({ metadata: { name: 'c' } }));
  await pages[1]?.tick(({ informers: [one] }) => one?.objects === 1 && one.changes > 0);
  pages[1]?.close();
  await second.stop();
});

it('warns when it is told to listen elsewhere, and answers under the addresses of the machine alone', async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
  inspected = await inspectedFactory({ host: '0.0.0.0', logger });
  const { port } = inspected.inspector;
  expect(warnings).toEqual([expect.stringContaining(`listens on 0.0.0.0:${port}: everybody who can reach it`)]);
  expect((await rawRequest(port, { path: '/' })).code).toBe(200);
  expect((await rawRequest(port, { path: '/', host: `0.0.0.0:${port}` })).code).toBe(403);
  expect((await rawRequest(port, { path: '/', host: `evil.example:${port}` })).code).toBe(403);
});
