import { afterEach, expect, it } from 'vitest';
import { pods, secrets } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { FakePage, type InspectedFactory, inspectedFactory, openSession, rawRequest } from './inspector-fixture.ts';
import type { ObjectAnswer, RowsAnswer } from './protocol.ts';

let inspected: InspectedFactory;
const pages: FakePage[] = [];

afterEach(async () => {
  for (const page of pages.splice(0)) page.close();
  await inspected[Symbol.asyncDispose]();
});

async function open(): Promise<FakePage> {
  const page = await FakePage.open(inspected.inspector);
  pages.push(page);
  return page;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('shows eight pages and refuses a ninth until one of them is closed', async () => {
  inspected = await inspectedFactory();
  const { inspector } = inspected;
  const first = await open();
  for (let more = 1; more < 8; more++) await open();
  expect(inspector.pages).toBe(8);
  const session = await openSession(inspector);
  const ninth = await rawRequest(inspector.port, {
    path: `${session.base}stream`,
    headers: { Cookie: session.cookie },
  });
  expect(ninth.code).toBe(503);
  expect(ninth.body).toContain('8 pages are open already');
  expect(inspector.pages).toBe(8);
  first.close();
  await until(() => inspector.pages === 7);
  await (await open()).tick(({ pages: count }) => count === 8);
});

it('cuts off a page that does not read, and goes on with the others', async () => {
  const clock = new FakeClock();
  inspected = await inspectedFactory({ clock });
  const { inspector, factory } = inspected;
  // Large ticks, so that what the kernel holds is soon full.
  for (let at = 0; at < 300; at++) factory.for(pods, { labelSelector: `app=${'x'.repeat(50)}${at}` }).informer();
  const reader = await open();
  const sleeper = await open();
  sleeper.pause();
  for (let ticks = 1; inspector.pages > 1; ticks++) {
    await clock.advance(500);
    await reader.until(() => reader.received.split('data: ').length > ticks || reader.isOver);
    expect(ticks).toBeLessThan(2_000);
  }
  expect(reader.isOver).toBe(false);
  sleeper.resume();
  await sleeper.untilOver();
});

it('has no subscription, no timer and no history while no page is open', async () => {
  const { channel } = await import('node:diagnostics_channel');
  const clock = new FakeClock();
  inspected = await inspectedFactory({ clock });
  const names = ['list', 'watch', 'frames', 'store', 'handler', 'queue', 'run'].map((stage) => `tidewatch:${stage}`);
  const listened = () => names.filter((name) => channel(name).hasSubscribers);
  expect(listened()).toEqual([]);
  const page = await open();
  expect(listened()).toContain('tidewatch:store');
  page.close();
  await until(() => inspected.inspector.pages === 0);
  expect(listened()).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

it('answers with words for what cannot be asked', async () => {
  inspected = await inspectedFactory({ show: [secrets] });
  const informer = inspected.factory.for(pods).informer();
  const secretInformer = inspected.factory.for(secrets).informer();
  const page = await open();
  const rows = (query: Record<string, string>, of = informer) =>
    page.get('rows', { informer: String(of.id), ...query });
  expect(await rows({ labels: 'a in' })).toMatchObject({ code: 400 });
  expect(await rows({ fields: 'status.phase' })).toMatchObject({ code: 400 });
  for (const refused of ['spec.nodeName', 'metadata.annotations.a', 'status..phase']) {
    for (const query of [{ sort: refused }, { fields: `${refused}=x` }, { columns: refused }] as Record<
      string,
      string
    >[]) {
      expect((await rows(query)).code, JSON.stringify(query)).toBe(400);
    }
  }
  expect((await rows({ sort: 'data.password' }, secretInformer)).body).toContain('never of a Secret');
  expect(await page.get('rows', { informer: '999999' })).toMatchObject({ code: 400 });
  expect(await page.get('rows', {})).toMatchObject({ code: 400 });
  expect(
    await rows({ columns: 'status.a,status.b,status.c,status.d,status.e,status.f,status.g,status.h,status.i' }),
  ).toMatchObject({ code: 400 });
  expect(
    await page.json<RowsAnswer>('rows', { informer: String(informer.id), from: '-5', count: '1e9' }),
  ).toMatchObject({ rows: [], from: 0 });
  expect(await page.json<ObjectAnswer>('object', { informer: String(informer.id), key: 'no/such' })).toEqual({
    key: 'no/such',
    isPartial: true,
    changes: [],
  });
});

it('ends its pages when it stops, and may be stopped twice', async () => {
  inspected = await inspectedFactory();
  const page = await open();
  await inspected.inspector.stop();
  await page.untilOver();
  await inspected.inspector.stop();
});
