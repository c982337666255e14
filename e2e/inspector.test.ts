import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DemoWorld } from '../src/cli/demo/demo-world.ts';
import { seededRandom } from '../src/cli/demo/seeded-random.ts';
import { Manager } from '../src/controller/manager.ts';
import { configMaps, secrets } from '../src/generated/api/core/v1.ts';
import { type Inspector, serveInspector } from '../src/inspector/inspector.ts';
import { type InspectedFactory, inspectedFactory } from '../src/inspector/inspector-fixture.ts';
import { systemClock } from '../src/observe/clock.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { launchBrowser } from './browser-fixture.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = ['pipeline', 'timeline', 'objects', 'queues', 'memory'] as const;

let browser: Browser;
const leaving: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const leave of leaving.splice(0).reverse()) await leave();
});

/** A page, and every complaint of the browser about it: a broken policy, a script that threw, a request to elsewhere. */
async function open(inspector: Inspector, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A filter that cannot be understood is answered with a 400, which the browser reports and the page shows.
    if (message.type() === 'error' && !message.text().includes('status of 400')) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`http://127.0.0.1:${inspector.port}/`)) complaints.push(`asks ${request.url()}`);
  });
  leaving.push(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  await page.goto(inspector.url);
  await page.locator('.state[data-state=live]').waitFor();
  return page;
}

/** For the docs, with TIDEWATCH_PICTURES=1: each run would make others. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.TIDEWATCH_PICTURES === undefined) return;
  await page.setViewportSize({ width: 1000, height: 600 });
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: fileURLToPath(new URL(`../docs/images/inspector-${name}.png`, import.meta.url)) });
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function show(page: Page, view: (typeof VIEWS)[number]): Promise<void> {
  await page
    .getByRole('navigation')
    .getByRole('link', { name: new RegExp(view, 'i') })
    .click();
}

describe('on the demo', () => {
  let world: DemoWorld;
  let inspector: Inspector;

  beforeEach(async () => {
    world = await DemoWorld.start({ clock: systemClock, random: seededRandom(7), rate: 20 });
    inspector = await world.inspect(0, silentLogger);
    leaving.push(
      () => world.stop(),
      () => inspector.stop(),
    );
    world.begin();
  });

  const lane = (page: Page, name: string) => page.locator('.lane', { hasText: name }).first();
  const event = (page: Page, text: RegExp) => page.locator('.events tr', { hasText: text }).first();

  it('shows the pipeline, without the token in the address, and again when it is loaded again', async () => {
    const page = await open(inspector);
    await lane(page, 'pods.v1').getByText('watching').waitFor();
    for (const stage of ['Reflector', 'Queue', 'Store', 'Handlers']) {
      expect(await lane(page, 'pods.v1').getByRole('heading', { name: stage }).count()).toBe(1);
    }
    await lane(page, 'pods.v1').locator('.arrow.flowing').first().waitFor();
    expect(page.url()).toMatch(/#\/pipeline$/);
    await page.reload();
    await lane(page, 'nodes.v1').waitFor();
    await takePicture(page, 'pipeline');
  });

  it('shows each fault of the demo as it happens', async () => {
    const page = await open(inspector);
    await lane(page, 'pods.v1').getByText('watching').waitFor();
    await world.toggleSlowHandler();
    await lane(page, 'pods.v1')
      .getByText(/waiting, .* behind/)
      .waitFor();
    await show(page, 'timeline');
    world.cutWatches();
    await event(page, /watch broke/).waitFor();
    await world.compactHistory();
    await event(page, /expired/).waitFor();
    await event(page, /list.*objects at version/).waitFor();
    await world.toggleServer();
    await event(page, /→ backoff/).waitFor();
    // One line for each event, with all its cells under their titles.
    const shapes = (await page.evaluate(
      "[...document.querySelectorAll('.events tbody tr')].map((row) => getComputedStyle(row).display + ' ' + getComputedStyle(row, '::before').content)",
    )) as string[];
    expect(new Set(shapes)).toEqual(new Set(['table-row none']));
    await show(page, 'pipeline');
    await page.locator('.lane.bad .problem', { hasText: 'next attempt in' }).first().waitFor();
    await world.toggleServer();
    await lane(page, 'pods.v1').getByText('watching').waitFor();
    await show(page, 'timeline');
    await takePicture(page, 'timeline');
  });

  it('sorts and filters objects, and opens one by the keyboard alone', async () => {
    const page = await open(inspector);
    await page.keyboard.press('3');
    const grid = page.getByRole('grid');
    const names = async () =>
      (await grid
        .locator('.grid-body .grid-row:not([hidden])')
        .evaluateAll((rows) =>
          rows
            .toSorted((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
            .map((row) => row.children[1]?.textContent ?? ''),
        )) as string[];
    await grid.getByText('web-').first().waitFor();
    await page.getByLabel('Informer').selectOption({ label: 'nodes.v1' });
    await expect.poll(names).toEqual(['node-a', 'node-b', 'node-c']);
    const byName = page.getByRole('button', { name: 'Sort by Name', exact: true });
    await byName.press('Enter');
    await expect.poll(() => byName.locator('..').getAttribute('aria-sort')).toBe('ascending');
    await byName.press('Enter');
    await expect.poll(names).toEqual(['node-c', 'node-b', 'node-a']);
    await page.getByLabel('Name', { exact: true }).fill('NODE-B');
    await expect.poll(names).toEqual(['node-b']);
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByLabel('Informer').selectOption({ label: 'deployments.v1.apps' });
    await page.getByLabel('Labels').fill('app=web');
    await expect.poll(async () => (await names()).every((name) => name.startsWith('web'))).toBe(true);
    await page.getByLabel('Labels').fill('app in (');
    await page.locator('.note.bad').waitFor();
    await page.getByLabel('Labels').fill('');
    /** Undefined while the rows have not come. */
    const hasWeb = async () => {
      const found = await names();
      const areThere = found.length > 0 && found.every((name) => !name.endsWith('…'));
      return areThere ? found.includes('web') : undefined;
    };
    await page.getByLabel('Fields').fill('metadata.name!=web');
    await expect.poll(hasWeb).toBe(false);
    await page.getByLabel('Fields').fill('');
    await expect.poll(hasWeb).toBe(true);
    await takePicture(page, 'objects');
    await grid.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => grid.locator('.active:not([hidden])').getAttribute('aria-rowindex')).toBe('3');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'As it is' }).waitFor();
    await page.locator('pre', { hasText: '"kind": "Deployment"' }).waitFor();
    await page.keyboard.press('Escape');
    await grid.waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('filter-name');
  });

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' }],
  ] as const)('has nothing that keeps people out, %s', async (_how, options) => {
    const page = await open(inspector, options);
    await lane(page, 'pods.v1').waitFor();
    for (const view of VIEWS) {
      await show(page, view);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expectAccessible(page, view);
    }
    await show(page, 'objects');
    // Pods of the demo come and go; its Deployments stay, and their status changes.
    await page.getByLabel('Informer').selectOption({ label: 'deployments.v1.apps' });
    await page.getByRole('grid').getByText('web', { exact: true }).click();
    await page.locator('pre', { hasText: '"kind": "Deployment"' }).waitFor();
    await page.locator('.change').first().waitFor();
    await expectAccessible(page, 'object');
    const whole = 'document.documentElement';
    const isWide = await page.evaluate(`${whole}.scrollWidth > ${whole}.clientWidth`);
    expect(isWide).toBe(false);
  });
});

async function expectAccessible(page: Page, view: string): Promise<void> {
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => `${view}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual([]);
}

describe('on a factory and a manager', () => {
  let inspected: InspectedFactory;

  beforeEach(async () => {
    inspected = await inspectedFactory({ show: [configMaps] });
    leaving.push(async () => inspected[Symbol.asyncDispose]());
  });

  it('shows one object with its changes as they come', async () => {
    const { cluster, factory, inspector } = inspected;
    const client = cluster.client(configMaps, { namespace: 'default' });
    await client.create({ metadata: { name: 'settings' }, data: { mode: 'calm' } });
    const informer = factory.for(configMaps).informer();
    informer.addEventHandler({ onUpdate: () => {} }, { name: 'reader' });
    factory.start();
    await factory.waitForCacheSync();
    const page = await open(inspector);
    await show(page, 'objects');
    await page.getByRole('grid').getByText('settings').click();
    await page.getByText('It has not changed since the page was opened.').waitFor();
    await client.patch('settings', { data: { mode: '<img src=x onerror=alert(1)>' } });
    await page.locator('.before', { hasText: 'calm' }).waitFor();
    await page.locator('.after', { hasText: '<img src=x onerror=alert(1)>' }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await client.patch('settings', { data: { mode: 'busy', size: '3' } });
    await page.locator('.after', { hasText: 'busy' }).waitFor();
    await takePicture(page, 'object');
  });

  it('shows work queues, runs and what fails, of a manager', async () => {
    const { cluster } = inspected;
    const manager = new Manager(cluster, { logger: silentLogger });
    manager
      .controller('settings')
      .for(configMaps)
      .reconcile(async ({ name }) => {
        if (name === 'broken') throw new Error('there is no such mode');
      });
    const stop = new AbortController();
    const running = manager.run({ signal: stop.signal });
    const inspector = await serveInspector({ managers: [manager], port: 0, logger: silentLogger });
    leaving.push(async () => {
      stop.abort();
      await running;
      await inspector.stop();
    });
    const page = await open(inspector);
    const client = cluster.client(configMaps, { namespace: 'default' });
    await client.create({ metadata: { name: 'broken' } });
    await show(page, 'queues');
    await page.locator('.card td', { hasText: 'there is no such mode' }).first().waitFor();
    await page.locator('.card td', { hasText: 'default/broken' }).first().waitFor();
    await show(page, 'pipeline');
    await page
      .locator('.lane', { hasText: 'settings: ConfigMap' })
      .getByText('keys')
      .or(page.getByText('attempt'))
      .first()
      .waitFor();
  });

  it('says why when it was opened without the token, with a wrong one, and when the program has gone', async () => {
    const { inspector, factory } = inspected;
    factory.for(secrets).informer();
    const context = await browser.newContext();
    leaving.push(() => context.close());
    const page = await context.newPage();
    const address = inspector.url.slice(0, inspector.url.indexOf('#'));
    await page.goto(address);
    await page.getByText('This page has no session.').first().waitFor();
    await page.goto(`${address}#token=wrong`);
    await page.reload();
    await page.goto('about:blank');
    await page.goto(`${address}#token=wrong`);
    await page.getByText('That is not the token.').first().waitFor();
    expect(inspector.pages).toBe(0);
    const good = await context.newPage();
    await good.goto(inspector.url);
    await good.locator('.state[data-state=live]').waitFor();
    await inspector.stop();
    await good.locator('.state[data-state=lost]').waitFor();
  });

  it('is not read from a page of another origin, by a frame, a request or a handle on its window', async () => {
    const { inspector } = inspected;
    await open(inspector);
    const context = await browser.newContext();
    leaving.push(() => context.close());
    const page = await context.newPage();
    await page.route('http://evil.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>evil</h1>' }),
    );
    await page.goto('http://evil.example/');
    const url = inspector.url;
    const token = url.slice(url.indexOf('=') + 1);
    const address = url.slice(0, url.indexOf('#'));
    const got = await page.evaluate(`(async () => {
      const [address, token] = ${JSON.stringify([address, token])};
      const textOf = (answer) => answer.text();
      const results = await Promise.allSettled([
        fetch(address).then(textOf),
        fetch(address + 'session', { method: 'POST', body: token, credentials: 'include' }).then(textOf),
        fetch(address + 'session', { method: 'POST', body: token, mode: 'no-cors' }).then(textOf),
      ]);
      const frame = document.body.appendChild(document.createElement('iframe'));
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      frame.src = address;
      await loaded;
      return results.map(({ status, value }) => (status === 'fulfilled' ? value : 'refused'));
    })()`);
    expect(got).toEqual(['refused', 'refused', 'refused']);
    expect(page.frames().some((frame) => frame.url().startsWith(address))).toBe(false);
    expect(inspector.pages).toBe(1);
  });
});
