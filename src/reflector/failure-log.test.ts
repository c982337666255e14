import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import type { FailureKind } from './failure.ts';
import { FailureLog, type LoggedFailure } from './failure-log.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let clock: FakeClock;
let lines: string[];
let debugged: unknown[][];
let log: FailureLog;

beforeEach(() => {
  clock = new FakeClock();
  lines = [];
  debugged = [];
  const unexpected = () => expect.unreachable();
  log = new FailureLog({
    name: 'pods',
    clock,
    logger: {
      debug: (...what) => void debugged.push(what),
      info: unexpected,
      warn: (...what) => {
        expect(what).toHaveLength(1);
        lines.push(what[0]);
      },
      error: unexpected,
    },
  });
});

function fail(kind: FailureKind, more: Partial<LoggedFailure> = {}): void {
  log.failed({ kind, error: new Error(`it is ${kind}`), phase: 'listing', retryInMs: 30_000, ...more });
}

/** Fails every 30 s. */
async function failFor(ms: number, kind: FailureKind): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 30_000) {
    fail(kind);
    await clock.advance(30_000);
  }
}

describe('FailureLog', () => {
  it('warns of a failure in one line without the error, which goes to debug each time', () => {
    const error = new Error('403 Forbidden: no');
    fail('forbidden', { error, retryInMs: 1_240 });
    fail('forbidden', { error });
    expect(lines).toEqual(['pods: failed while listing, next attempt in 1.2 s: 403 Forbidden: no']);
    expect(debugged).toEqual([
      ['pods: failed while listing.', error],
      ['pods: failed while listing.', error],
    ]);
  });

  it('counts the same failure, and tells of it at growing intervals', async () => {
    await failFor(8 * MINUTE, 'forbidden');
    expect(lines).toEqual([
      'pods: failed while listing, next attempt in 30.0 s: it is forbidden',
      'pods: still forbidden for 60 s, 3 attempts, next attempt in 30.0 s: it is forbidden',
      'pods: still forbidden for 3 min, 7 attempts, next attempt in 30.0 s: it is forbidden',
      'pods: still forbidden for 7 min, 15 attempts, next attempt in 30.0 s: it is forbidden',
    ]);
    await failFor(24 * HOUR, 'forbidden');
    expect(lines.length).toBeLessThan(35);
    expect(lines.at(-1)).toContain('pods: still forbidden for 24 h');
  });

  it.each([
    ['unauthorized', 'still unauthorized'],
    ['absent', 'still gone'],
    ['refused', 'still failing'],
  ] as const)('says what is still the matter: %s', async (kind, words) => {
    await failFor(2 * MINUTE, kind);
    expect(lines[1]).toContain(words);
  });

  it('says when it is over, once, how long it took and how often it was tried', async () => {
    await failFor(12 * MINUTE, 'refused');
    lines.length = 0;
    log.watching();
    log.watching();
    expect(lines).toEqual(['pods: watching after 12 min, 24 attempts.']);
    await clock.advance(HOUR);
    fail('refused');
    await clock.advance(1_000);
    log.watching();
    expect(lines.slice(1)).toEqual([
      'pods: failed while listing, next attempt in 30.0 s: it is refused',
      'pods: watching again after 1.0 s, 1 attempt.',
    ]);
  });

  it('warns of each kind of failure once in an outage, in whatever order they come', async () => {
    for (let round = 0; round < 20; round++) {
      fail('refused');
      fail('unavailable');
      await clock.advance(1_000);
    }
    expect(lines).toHaveLength(2);
  });

  it('is silent about a server that has forgotten, unless it goes on', async () => {
    fail('expired');
    log.watching();
    await clock.advance(HOUR);
    fail('silent');
    log.watching();
    expect(lines).toEqual([]);
    await clock.advance(HOUR);
    await failFor(90_000, 'expired');
    expect(lines).toEqual(['pods: still failing for 60 s, 3 attempts, next attempt in 30.0 s: it is expired']);
    log.watching();
    expect(lines.at(-1)).toBe('pods: watching again after 90 s, 3 attempts.');
  });

  it('takes watches that fail soon after they open for one outage, and its last word is never untrue for long', async () => {
    for (let round = 0; round < 59; round++) {
      fail('unavailable');
      await clock.advance(500);
      log.watching();
      await clock.advance(500);
    }
    expect(lines).toEqual([
      'pods: failed while listing, next attempt in 30.0 s: it is unavailable',
      'pods: watching after 0.5 s, 1 attempt.',
    ]);
    fail('unavailable');
    await clock.advance(1_000);
    await failFor(MINUTE, 'unavailable');
    expect(lines.slice(2)).toEqual([
      'pods: on and off failing for 60 s, 61 attempts, next attempt in 30.0 s: it is unavailable',
    ]);
    log.watching();
    expect(lines.at(-1)).toBe('pods: watching again after 2 min, 62 attempts.');
  });

  it('says that it fails again although the next count is far, when the log says that it works', async () => {
    await failFor(5 * HOUR, 'refused');
    log.watching();
    lines.length = 0;
    await clock.advance(1_000);
    await failFor(MINUTE, 'refused');
    expect(lines).toEqual([]);
    fail('refused');
    expect(lines).toEqual([expect.stringContaining('pods: on and off failing for 5 h')]);
  });

  it('counts objects that cannot be used one by one, and does not take them for an outage', async () => {
    for (let round = 0; round < 130; round++) {
      for (const key of ['a', 'b']) fail('unusable', { key, phase: 'watching', retryInMs: undefined });
      await clock.advance(1_000);
    }
    log.watching();
    expect(lines).toEqual([
      'pods: failed while watching: it is unusable',
      'pods: failed while watching: it is unusable',
      'pods: failed in the same way 61 times in 60 s: it is unusable',
      'pods: failed in the same way 61 times in 60 s: it is unusable',
    ]);
  });

  it('counts very many objects together, and forgets those that have been well for an hour', async () => {
    for (let n = 0; n < 1_000; n++) fail('unusable', { key: `a${n}` });
    expect(lines).toHaveLength(101);
    await clock.advance(HOUR);
    for (let n = 0; n < 1_000; n++) fail('unusable', { key: `b${n}` });
    expect(lines).toHaveLength(202);
  });

  it('puts no long text and no second line into the log', () => {
    fail('other', { error: new Error(`first\n  second ${'x'.repeat(20_000)}`) });
    expect(lines[0]).toContain('first second xxx');
    expect(lines[0]?.length).toBeLessThan(600);
  });
});
