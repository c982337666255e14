/**
 * What the inspector costs the program that it looks at, which follows 100,000 pods that change 2,000 times a second: with a page open that shows the
 * table of them, with none open, and without an inspector. Three programs at the same time, so that whatever else the machine does, the browser above
 * all, slows them alike; each round begins with new ones, and the median of the rounds counts. Then how long the inspector holds the event loop of the
 * program, and whether the page itself stays responsive while its table scrolls.
 * With `--write` the result goes into docs/inspector.md; it fails when a figure is worse than promised.
 *
 *     npm run bench:inspector [-- --write --rounds N]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../e2e/browser-fixture.ts';
import { withSection } from './marked-section.ts';
import { buildReplayServer, bundle } from './programs.ts';
import { Replay } from './replay.ts';
import { pods } from './scene.ts';

const OBJECTS = 100_000;
const EVENTS_PER_SECOND = 2_000;
const STEP_MS = 50;
const WINDOW_MS = 8_000;
const SCROLL_MS = 10_000;
const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
});
const ROUNDS = Number(options.rounds);

/** The program that is looked at. */
class Subject implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, url: string) {
    this.#child = child;
    this.#lines = lines;
    this.url = url;
  }

  /** Resolves when it holds all pods. */
  static async start(command: readonly [string, ...string[]], args: readonly string[]): Promise<Subject> {
    const [program, ...first] = command;
    const child = spawn(program, [...first, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return new Subject(child, lines, (await lines.next()).value as string);
  }

  async ask(question: string): Promise<string> {
    this.#child.stdin?.write(`${question}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the program that is looked at has ended');
    return value as string;
  }

  /** Milliseconds of CPU for each thousand events, from now on. */
  async cost(): Promise<number> {
    const [cpuBefore = 0, heardBefore = 0] = (await this.ask('cpu')).split(' ').map(Number);
    await sleep(WINDOW_MS);
    const [cpu = 0, heard = 0] = (await this.ask('cpu')).split(' ').map(Number);
    if (heard - heardBefore < (EVENTS_PER_SECOND * WINDOW_MS) / 2_000) throw new Error('too few events came');
    return ((cpu - cpuBefore) * 1_000) / (heard - heardBefore);
  }

  async longestTurn(windowMs: number): Promise<number> {
    await this.ask('turns');
    await sleep(windowMs);
    return Number(await this.ask('longest'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exited;
  }
}

/** Sends events all the time, whoever is connected, until it is told to stop. */
function sendSteadily(replay: Replay): () => Promise<void> {
  let isOver = false;
  const startedMs = performance.now();
  let sent = 0;
  const sending = (async () => {
    while (!isOver) {
      const due = Math.floor(((performance.now() - startedMs) * EVENTS_PER_SECOND) / 1_000) - sent;
      // A connection that the server has just closed fails a request; what is due is sent with the next one.
      if (
        due > 0 &&
        (await replay.sendEvents(due).then(
          () => true,
          () => false,
        ))
      )
        sent += due;
      await sleep(STEP_MS);
    }
  })();
  return async () => {
    isOver = true;
    await sending;
  };
}

const LONG_TASKS = `window.longTasks = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(duration);
}).observe({ type: 'longtask' });`;

/** Resolves when it has shown the table of objects for a while. */
async function openPage(subject: Subject): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(LONG_TASKS);
  await page.goto(subject.url);
  await page.locator('.state[data-state=live]').waitFor();
  await page.keyboard.press('3');
  await page.getByRole('grid').locator('.grid-body .grid-row:not([hidden])').first().waitFor();
  await sleep(2_000);
  return page;
}

/** Turns the wheel over the table, as fast as the page draws. Returns the tasks of the page that took longer than 50 ms. */
async function scroll(page: Page): Promise<number[]> {
  const box = await page.getByRole('grid').boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  await page.evaluate('void (window.longTasks.length = 0)');
  const endMs = performance.now() + SCROLL_MS;
  while (performance.now() < endMs) {
    await page.mouse.wheel(0, 900);
    await sleep(30);
  }
  return (await page.evaluate('window.longTasks')) as number[];
}

const command = await bundle('inspector', 'inspector-subject.ts');
await using replay = await Replay.start(buildReplayServer(), pods(OBJECTS), new Set(['protobuf']));
const browser = await launchBrowser();
/** Milliseconds of CPU for 1,000 events: without an inspector, with one that nobody opens, with an open page. */
interface Cost {
  readonly without: number;
  readonly none: number;
  readonly open: number;
}
const costs: Cost[] = [];
const inspected = [...replay.clientArgs, '--inspect'];
for (let round = 1; round <= ROUNDS; round++) {
  await using alone = await Subject.start(command, replay.clientArgs);
  await using unseen = await Subject.start(command, inspected);
  await using seen = await Subject.start(command, inspected);
  const stop = sendSteadily(replay);
  const page = await openPage(seen);
  const [without, none, open] = await Promise.all([alone.cost(), unseen.cost(), seen.cost()]);
  costs.push({ without, none, open });
  const figures = [without, none, open].map((ms) => ms.toFixed(1)).join(', ');
  console.log(`round ${round}: without, unopened and open take ${figures} ms of CPU for 1,000 events`);
  await page.close();
  await stop();
}

/** Of one program, with no page and then with one that scrolls; and what took long in that page. */
async function longest(): Promise<{ none: number; open: number; tasks: readonly number[] }> {
  await using subject = await Subject.start(command, inspected);
  const stop = sendSteadily(replay);
  const none = await subject.longestTurn(SCROLL_MS);
  const page = await openPage(subject);
  const scrolled = scroll(page);
  const open = await subject.longestTurn(SCROLL_MS);
  const tasks = await scrolled;
  await page.close();
  await stop();
  return { none, open, tasks };
}

const { tasks: longTasks, ...turns } = await longest();
await browser.close();

const median = (of: (cost: Cost) => number) =>
  costs.map(of).toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? Number.NaN;
const ratios = { none: median((cost) => cost.none / cost.without), open: median((cost) => cost.open / cost.without) };
const longestTask = Math.max(0, ...longTasks);
const table = [
  `| ${OBJECTS.toLocaleString('en-US')} pods, ${EVENTS_PER_SECOND.toLocaleString('en-US')} events a second | CPU for 1,000 events | of without | promised |`,
  '| --- | ---: | ---: | ---: |',
  `| without an inspector | ${median(({ without }) => without).toFixed(1)} ms | | |`,
  `| no page open | ${median(({ none }) => none).toFixed(1)} ms | ${ratios.none.toFixed(2)} | 1.05 |`,
  `| a page open, on the table of objects | ${median(({ open }) => open).toFixed(1)} ms | ${ratios.open.toFixed(2)} | 1.1 |`,
  '',
  `The median of ${ROUNDS === 1 ? 'one round' : `${ROUNDS} rounds`} of ${WINDOW_MS / 1_000} s, the three programs at the same time. The longest turn of the program's event loop in ${SCROLL_MS / 1_000} s took ${turns.open.toFixed(1)} ms of CPU while the table of the page scrolled, and ${turns.none.toFixed(1)} ms with no page open.`,
  `In the page, ${longTasks.length === 0 ? 'no task took 50 ms or more' : `${longTasks.length} tasks took 50 ms or more, the longest ${longestTask.toFixed(0)} ms,`} in those ${SCROLL_MS / 1_000} s.`,
  `On ${cpus().length} cores, Node ${process.versions.node}; \`npm run bench:inspector\` measures it.`,
].join('\n');
console.log(table);
if (options.write) {
  const file = fileURLToPath(new URL('../docs/inspector.md', import.meta.url));
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), 'cost', table));
}
const broken = [
  ratios.open > 1.1 && `an open page costs ${ratios.open.toFixed(2)}x the CPU`,
  ratios.none > 1.05 && `an inspector that nobody opens costs ${ratios.none.toFixed(2)}x the CPU`,
  turns.open > 10 && turns.open > turns.none && `the event loop was held for ${turns.open.toFixed(1)} ms`,
].filter((sentence) => sentence !== false);
for (const sentence of broken) console.error(`${sentence}.`);
if (broken.length > 0) process.exitCode = 1;
