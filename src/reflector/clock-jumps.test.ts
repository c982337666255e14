import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { Backoff } from './backoff.ts';
import { FailureLog } from './failure-log.ts';
import { Trace } from './filler.ts';
import { Watchdog } from './frame-stream.ts';
import { RequestPacer } from './request-pacer.ts';
import { RetryWindow } from './retry-window.ts';
import { apiError, bookmark, list, Scene, ScriptedWatch } from './scripted-fixture.ts';
import { WatchDeadline } from './watch-cycle.ts';
import { WatchListGate } from './watch-list-gate.ts';

const HOUR = 3_600_000;
const quiet = () => new ScriptedWatch();

describe.each([
  ['forward', HOUR],
  ['back', -HOUR],
])('when the wall clock jumps %s by an hour', (_direction, byMs) => {
  it('a watch is taken for dead after its time of silence, and neither before nor later', async () => {
    await using scene = await Scene.start();
    scene.watch.send(bookmark('5'));
    await scene.clock.advance(100_000);
    scene.clock.jump(byMs);
    await scene.clock.advance(49_999);
    expect(scene.reports).toEqual([]);
    expect(scene.server.of('watch')).toHaveLength(1);
    await scene.clock.advance(1);
    expect(scene.server.of('watch')).toHaveLength(2);
    expect(scene.reports[0]?.error.message).toContain('silent for 150 s');
  });

  it('a watch that ends without an event is called short only when it was', async () => {
    await using scene = await Scene.start();
    await scene.clock.advance(60_000);
    scene.clock.jump(byMs);
    scene.watch.end();
    await scene.settle();
    expect(scene.reports).toEqual([]);
    expect(scene.server.of('watch')).toHaveLength(2);
    scene.watch.end();
    await scene.settle();
    expect(scene.reports).toMatchObject([{ error: { kind: 'shortWatch' } }]);
  });

  it('a WatchList that brings nothing is given up after its time', async () => {
    await using scene = await Scene.start({ watchList: true, watches: [quiet], watchListBookmarkTimeoutMs: 30_000 });
    await scene.clock.advance(10_000);
    scene.clock.jump(byMs);
    await scene.clock.advance(19_999);
    expect(scene.reports).toEqual([]);
    await scene.clock.advance(1);
    expect(scene.reports).toMatchObject([{ error: { kind: 'noInitialEventsEnd' } }]);
  });

  it('a failed list is tried again when its wait is over', async () => {
    await using scene = await Scene.start({ lists: [apiError(500), apiError(500), list('5')] });
    await scene.clock.advance(600);
    scene.clock.jump(byMs);
    await scene.clock.advance(599);
    expect(scene.server.of('list')).toHaveLength(1);
    await scene.clock.advance(1);
    expect(scene.server.of('list')).toHaveLength(2);
    await scene.clock.advance(2_399);
    expect(scene.server.of('list')).toHaveLength(2);
    await scene.clock.advance(1);
    expect(scene.server.of('list')).toHaveLength(3);
  });

  it('a deadline keeps its time', async () => {
    const clock = new FakeClock();
    const missed: Error[] = [];
    const options = { clock, timeoutSeconds: 10, silenceMs: 1_000, expectsBookmarks: true };
    const deadline = new WatchDeadline(options);
    const watchdog = new Watchdog(clock, deadline.current, (problem) => missed.push(problem));
    await clock.advance(500);
    clock.jump(byMs);
    watchdog.check();
    deadline.frameSeen();
    await clock.advance(999);
    expect(missed).toEqual([]);
    clock.jump(byMs);
    await clock.advance(1);
    expect(missed.map(({ message }) => message)).toEqual([expect.stringContaining('silent for 1 s')]);
  });

  it('the wait of the next request is neither longer nor shorter', async () => {
    const clock = new FakeClock();
    const pacer = new RequestPacer({ clock, random: () => 0 });
    const { signal } = new AbortController();
    for (let request = 0; request < 5; request++) await pacer.admit(signal);
    await clock.advance(1_000);
    clock.jump(byMs);
    expect(pacer.waitMs()).toBe(1_500);
  });

  it('a backoff goes on growing, and begins again after its time of quiet', async () => {
    const clock = new FakeClock();
    const backoff = new Backoff({ clock, random: () => 0 });
    await clock.advance(backoff.next());
    clock.jump(byMs);
    expect(backoff.next()).toBe(1_600);
    clock.jump(byMs);
    await clock.advance(1_600 + 120_001);
    expect(backoff.next()).toBe(800);
  });

  it('a window of retries ends on time, and opens again after a minute', async () => {
    const clock = new FakeClock();
    const window = new RetryWindow(clock, 30_000);
    expect(window.allows()).toBe(true);
    await clock.advance(30_000);
    clock.jump(byMs);
    expect(window.allows()).toBe(true);
    await clock.advance(1);
    expect(window.allows()).toBe(false);
  });

  it('WatchList is tried again after ten minutes, and not before', async () => {
    const clock = new FakeClock();
    const gate = new WatchListGate(clock, true);
    gate.fellBack();
    gate.fellBack();
    clock.jump(byMs);
    await clock.advance(599_999);
    expect(gate.admits()).toBe(false);
    await clock.advance(1);
    expect(gate.admits()).toBe(true);
  });

  it('the log tells how long an outage lasted', async () => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const log = new FailureLog({ name: 'pods', clock, logger: { ...silentLogger, warn: (line) => lines.push(line) } });
    log.failed({ kind: 'unavailable', error: new Error('500'), phase: 'listing' });
    await clock.advance(5_000);
    clock.jump(byMs);
    log.watching();
    expect(lines.at(-1)).toContain('watching after 5.0 s, 1 attempt.');
  });

  it('a trace tells how long each step took', async () => {
    const clock = new FakeClock();
    const trace = new Trace(clock);
    await clock.advance(2_000);
    clock.jump(byMs);
    trace.step('listed');
    expect(trace.toString()).toBe('2.0 s: listed in 2.0 s');
  });
});
