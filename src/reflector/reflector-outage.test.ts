import { describe, expect, it } from 'vitest';
import type { Reachability } from '../api/reachability.ts';
import { TransportError } from '../api/transport-error.ts';
import {
  added,
  apiError,
  bookmark,
  errorFrame,
  expired,
  initialEventsEnd,
  list,
  never,
  Scene,
  ScriptedWatch,
  systemError,
  tooManyRequests,
} from './scripted-fixture.ts';

const MINUTE = 60_000;
const quiet = () => new ScriptedWatch();
const refused = () => {
  throw systemError('ECONNREFUSED');
};

/** Says that the server is back when the test does. */
class ScriptedReachability implements Reachability {
  readonly #waiting = new Set<() => void>();
  asked = 0;

  get waiting(): number {
    return this.#waiting.size;
  }

  whenBack(signal: AbortSignal): Promise<void> {
    this.asked++;
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => {
        this.#waiting.delete(resolve);
        reject(signal.reason);
      });
    });
  }

  back(): void {
    for (const resolve of this.#waiting) resolve();
  }
}

describe('the wait after a failure', () => {
  it('is the first again after a 410, so that the end of a long outage is not followed by a long wait', async () => {
    const down = Array.from({ length: 7 }, () => refused);
    await using scene = await Scene.start({
      lists: [list('1', ['a@1']), list('9', ['a@9'])],
      watches: [quiet, ...down, expired(), quiet],
    });
    await scene.clock.advance(MINUTE);
    scene.watch.fail(systemError('ECONNRESET'));
    await scene.clock.advance(5 * MINUTE);
    expect(scene.target.content).toEqual({ a: '9' });
    const waits = scene.reports.map(({ retryInMs }) => retryInMs);
    expect(waits.slice(1)).toEqual([1200, 2400, 4800, 9600, 19_200, 38_400, 45_000, 1200]);
  });

  it('is the first again after a 404', async () => {
    await using scene = await Scene.start({
      lists: [apiError(500), apiError(500), apiError(500), apiError(404), list('5')],
    });
    await scene.clock.advance(5 * MINUTE);
    expect(scene.reports.map(({ retryInMs }) => retryInMs)).toEqual([1200, 2400, 4800, 1200]);
  });

  it('is the first again after a success', async () => {
    await using scene = await Scene.start({
      lists: [apiError(500), apiError(500), apiError(500), list('5'), list('6')],
      watches: [quiet, apiError(500), quiet],
    });
    await scene.clock.advance(10_000);
    scene.watch.send(added('a', '6')).end();
    await scene.settle();
    expect(scene.reports.map(({ retryInMs }) => retryInMs)).toEqual([1200, 2400, 4800, 1200]);
  });

  it('is the first again after each watch that was open for a while', async () => {
    await using scene = await Scene.start({
      watches: [apiError(500), apiError(500), quiet, apiError(500), apiError(500), quiet, apiError(500), quiet],
    });
    for (let round = 0; round < 2; round++) {
      await scene.clock.advance(40_000);
      scene.watch.send(added('a', String(round + 2))).end();
    }
    await scene.clock.advance(10_000);
    expect(scene.reports.map(({ retryInMs }) => retryInMs)).toEqual([1200, 2400, 1200, 2400, 1200]);
  });

  it.each([
    ['429', tooManyRequests()],
    ['500', apiError(500)],
    ['503', apiError(503)],
  ])('goes on to grow while the server says %s', async (_, failure) => {
    await using scene = await Scene.start({ lists: [failure] });
    await scene.clock.advance(2 * MINUTE);
    expect(scene.reports.map(({ retryInMs }) => retryInMs)).toEqual([1200, 2400, 4800, 9600, 19_200, 38_400, 45_000]);
  });

  it.each([
    ['every watch gets a 410', { watches: [expired()] }],
    ['every watch brings a 410', { watches: [() => new ScriptedWatch(errorFrame(expired().status))] }],
    ['a watch may not be opened, and a list may', { watches: [apiError(403)] }],
    ['every watch brings a 500', { watches: [() => new ScriptedWatch(errorFrame({ code: 500 }))] }],
  ])('grows in the end when %s, however many lists succeed', async (_, script) => {
    await using scene = await Scene.start(script);
    await scene.clock.advance(20 * MINUTE);
    expect(scene.server.of('list').length).toBeLessThan(40);
  });

  it('after a 410 is never shorter than half a second', async () => {
    await using scene = await Scene.start({
      watches: [expired(), quiet],
      backoff: { initialMs: 1, maxMs: 1 },
      random: () => 0,
    });
    expect(scene.reports[0]?.retryInMs).toBe(500);
  });
});

describe('a server that was away', () => {
  it('is asked as soon as it is said to be back, and the watch goes on from the last version', async () => {
    const reachability = new ScriptedReachability();
    await using scene = await Scene.start({
      lists: [list('1')],
      watches: [quiet, ...Array.from({ length: 7 }, () => refused), quiet],
      reachability,
    });
    await scene.clock.advance(MINUTE);
    scene.watch.fail(systemError('ECONNRESET'));
    await scene.clock.advance(100_000);
    expect(scene.reflector.state.phase).toBe('backoff');
    const before = scene.server.requests.length;
    reachability.back();
    await scene.settle();
    expect(scene.server.summary.slice(before)).toEqual(['watch 1']);
    expect(scene.reflector.state.phase).toBe('watching');
    expect(scene.server.of('list')).toHaveLength(1);
    expect(reachability.waiting).toBe(0);
  });

  it('is listed as soon as it is said to be back, when it has never been', async () => {
    const reachability = new ScriptedReachability();
    await using scene = await Scene.start({
      lists: [refused, refused, refused, refused, list('5', ['a@5'])],
      reachability,
    });
    await scene.clock.advance(15_000);
    expect(scene.reflector.state.nextAttempt).toBeGreaterThan(scene.clock.now());
    reachability.back();
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '5' });
  });

  it.each([500, 503, 401, 403])('is waited for while it starts and says %d', async (code) => {
    const reachability = new ScriptedReachability();
    await using scene = await Scene.start({
      lists: [refused, refused, refused, refused, apiError(code), list('5', ['a@5'])],
      reachability,
    });
    await scene.clock.advance(20_000);
    expect(scene.reports.at(-1)?.error).toMatchObject({ code });
    expect(scene.reflector.state.nextAttempt).toBeGreaterThan(scene.clock.now());
    reachability.back();
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '5' });
  });

  it('is given the time that it asks for while it starts, and asked after from then on', async () => {
    const reachability = new ScriptedReachability();
    await using scene = await Scene.start({
      lists: [
        refused,
        refused,
        refused,
        refused,
        apiError(503, { details: { retryAfterSeconds: 5 } }),
        list('5', ['a@5']),
      ],
      reachability,
    });
    await scene.clock.advance(18_000);
    expect(scene.reports.at(-1)).toMatchObject({ error: { code: 503 }, retryInMs: 19_200 });
    await scene.clock.advance(4_999);
    expect(reachability.waiting).toBe(0);
    await scene.clock.advance(1);
    expect(reachability.waiting).toBe(1);
    reachability.back();
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '5' });
  });

  it.each([
    ['429', tooManyRequests()],
    ['503 with Retry-After', apiError(503, { details: { retryAfterSeconds: 20 } })],
    ['a failed login', new TransportError('credentials', 'the plugin failed')],
  ])('is not asked after when it says %s, though it was away before', async (_, failure) => {
    const reachability = new ScriptedReachability();
    await using scene = await Scene.start({ lists: [refused, failure], reachability });
    await scene.clock.advance(1_200);
    expect(scene.server.requests).toHaveLength(2);
    expect(reachability.waiting).toBe(0);
  });

  it('shows in the state that the attempt is under way', async () => {
    const reachability = new ScriptedReachability();
    await using scene = await Scene.start({ lists: [list('1')], watches: [refused, never], reachability });
    reachability.back();
    await scene.settle();
    expect(scene.server.of('watch')).toHaveLength(2);
    expect(scene.reflector.state).toMatchObject({ phase: 'backoff', nextAttempt: scene.clock.now() });
  });

  it('is given more time each time it is said to be back and is not', async () => {
    const liar: Reachability = { whenBack: async () => {} };
    await using scene = await Scene.start({ lists: [refused], reachability: liar });
    await scene.clock.advance(10 * MINUTE);
    const times = scene.server.requests.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(gaps.slice(0, 7)).toEqual([0, 800, 1600, 3200, 6400, 12_800, 25_600]);
    expect(scene.server.requests.length).toBeLessThan(30);
    expect(scene.server.busiest2s).toBeLessThanOrEqual(5);
  });

  it.each([
    ['rejects', async () => Promise.reject(new Error('I do not know'))],
    [
      'throws',
      () => {
        throw new Error('I do not know');
      },
    ],
    ['never settles', never],
  ])('is tried after the whole wait when whoever should know %s', async (_, whenBack) => {
    await using scene = await Scene.start({ lists: [refused, list('5')], reachability: { whenBack } });
    await scene.clock.advance(1_199);
    expect(scene.server.requests).toHaveLength(1);
    await scene.clock.advance(1);
    expect(scene.reflector.state.phase).toBe('watching');
  });

  it.each([
    ['says 503', apiError(503)],
    ['says 429', tooManyRequests()],
    ['has forgotten', expired()],
    ['says 403', apiError(403)],
    ['cannot be logged in to', new TransportError('credentials', 'the plugin failed')],
    ['has the wrong certificate', new TransportError('tls-name', 'another name')],
  ])('is not asked after when it %s', async (_, failure) => {
    const reachability = new ScriptedReachability();
    await using scene = await Scene.start({ lists: [failure], reachability });
    await scene.clock.advance(MINUTE);
    expect(reachability.asked).toBe(0);
  });

  it('is forgotten when the reflector stops, and when the wait is over', async () => {
    const reachability = new ScriptedReachability();
    const scene = await Scene.start({ lists: [refused, refused, list('5'), refused], reachability });
    expect(reachability.waiting).toBe(1);
    await scene.clock.advance(10_000);
    expect(reachability.waiting).toBe(0);
    expect(scene.reflector.state.phase).toBe('watching');
    await scene[Symbol.asyncDispose]();
    const stopped = await Scene.start({ lists: [refused], reachability });
    expect(reachability.waiting).toBe(1);
    await stopped[Symbol.asyncDispose]();
    expect(reachability.waiting).toBe(0);
  });
});

describe('behindSince', () => {
  it('is absent before the start, and set from then until a watch is open', async () => {
    const scene = new Scene({ lists: [apiError(500), apiError(500), list('5')], watches: [apiError(500), quiet] });
    expect(scene.reflector.state).not.toHaveProperty('behindSince');
    const startMs = scene.clock.now();
    await scene.start();
    for (let second = 0; second < 5; second++) {
      expect(scene.reflector.state.behindSince).toBe(startMs);
      await scene.clock.advance(1_000);
    }
    await scene.clock.advance(MINUTE);
    expect(scene.reflector.state.phase).toBe('watching');
    expect(scene.reflector.state).not.toHaveProperty('behindSince');
    await scene[Symbol.asyncDispose]();
  });

  it.each([
    ['500s', apiError(500)],
    ['410s', expired()],
    ['refused connections', systemError('ECONNREFUSED')],
    ['403s', apiError(403)],
    ['404s', apiError(404)],
  ])('does not move through an hour of %s, whatever the phase', async (_, failure) => {
    await using scene = await Scene.start({ lists: [list('1'), failure], watches: [quiet, failure] });
    await scene.clock.advance(MINUTE);
    const endMs = scene.clock.now();
    scene.watch.end();
    for (let probe = 0; probe < 60; probe++) {
      await scene.clock.advance(MINUTE);
      expect(scene.reflector.state.behindSince).toBe(endMs);
    }
    expect(new Set(scene.states.slice(-50).map(({ behindSince }) => behindSince))).toEqual(new Set([endMs]));
  });

  it('is set while the next watch does not open, although the phase is still `watching`', async () => {
    await using scene = await Scene.start({ watches: [quiet, never] });
    await scene.clock.advance(2_000);
    scene.watch.send(bookmark('2')).end();
    await scene.settle();
    const endMs = scene.clock.now();
    await scene.clock.advance(MINUTE);
    expect(scene.reflector.state).toMatchObject({ phase: 'watching', behindSince: endMs });
  });

  it('is set after the stop', async () => {
    const scene = await Scene.start();
    await scene.clock.advance(MINUTE);
    await scene[Symbol.asyncDispose]();
    expect(scene.reflector.state).toMatchObject({ phase: 'stopped', behindSince: scene.clock.now() });
  });
});

describe('lastContact', () => {
  it('is when a page, the head of a watch, an event or a bookmark came, and no failure moves it', async () => {
    const scene: Scene = new Scene({
      lists: [
        apiError(500),
        list('5', [], { continue: 'c' }),
        () => scene.clock.sleep(10_000).then(() => apiError(500)),
        list('5'),
      ].map((step) => (typeof step === 'function' ? () => step().then((error) => Promise.reject(error)) : step)),
      watches: [() => scene.clock.sleep(3_000).then(() => new ScriptedWatch()), refused],
    });
    const since = () => {
      const { lastContact } = scene.reflector.state;
      return lastContact === undefined ? undefined : scene.clock.now() - lastContact;
    };
    await scene.start();
    expect(since()).toBe(undefined);
    await scene.clock.advance(1_200);
    expect(since()).toBe(0);
    await scene.clock.advance(10_000);
    expect(since()).toBe(10_000);
    await scene.clock.advance(2_400);
    expect(since()).toBe(0);
    await scene.clock.advance(3_000);
    expect(scene.reflector.state.phase).toBe('watching');
    expect(since()).toBe(0);
    await scene.clock.advance(7_000);
    expect(since()).toBe(7_000);
    scene.watch.send(added('a', '6'));
    await scene.settle();
    expect(since()).toBe(0);
    await scene.clock.advance(7_000);
    scene.watch.send(bookmark('7'));
    await scene.settle();
    expect(since()).toBe(0);
    scene.watch.end();
    await scene.clock.advance(10 * MINUTE);
    expect(since()).toBe(10 * MINUTE);
    await scene[Symbol.asyncDispose]();
  });

  it('moves while a WatchList streams the whole state', async () => {
    await using scene = await Scene.start({ watchList: true, watches: [quiet] });
    for (let n = 0; n < 3; n++) {
      await scene.clock.advance(10_000);
      scene.watch.send(added(`p${n}`, String(n + 1)));
      await scene.settle();
      expect(scene.reflector.state).toMatchObject({ phase: 'listing', lastContact: scene.clock.now() });
    }
    scene.watch.send(initialEventsEnd('9'));
    await scene.settle();
    expect(scene.reflector.state.phase).toBe('watching');
  });
});

describe('401', () => {
  it('is a phase of its own until an attempt succeeds', async () => {
    await using scene = await Scene.start({
      lists: [apiError(401), apiError(401), list('5', ['a@5'])],
      watches: [quiet, apiError(401), apiError(401), quiet],
    });
    expect(scene.reflector.state).toMatchObject({ phase: 'unauthorized', lastError: { code: 401 } });
    await scene.clock.advance(MINUTE);
    expect(scene.reflector.state.phase).toBe('watching');
    scene.watch.end();
    await scene.settle();
    expect(scene.reflector.state.phase).toBe('unauthorized');
    await scene.clock.advance(MINUTE);
    expect(scene.reflector.state.phase).toBe('watching');
    expect(new Set(scene.phases)).toEqual(new Set(['listing', 'unauthorized', 'watching']));
    expect(scene.server.of('list')).toHaveLength(3);
  });
});

it.each([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'gone'],
])('the phase of %d does not change while the next list is under way', async (code, phase) => {
  await using scene = await Scene.start({ lists: [apiError(code), never] });
  await scene.clock.advance(MINUTE);
  expect(scene.server.requests).toHaveLength(2);
  expect(scene.phases).toEqual(['listing', ...scene.phases.slice(1).map(() => phase)]);
  expect(scene.reflector.state.phase).toBe(phase);
});

describe('the log', () => {
  it('has few lines about a reflector that is forbidden for an hour, and one about the end of it', async () => {
    let code = 403;
    const answer = () => {
      if (code !== 0) throw apiError(code, { message: 'pods is forbidden' });
      return quiet();
    };
    await using scene = await Scene.start({
      isUnheard: true,
      watchList: true,
      lists: [
        () => {
          answer();
          return list('5');
        },
      ],
      watches: [answer],
    });
    await scene.clock.advance(4_000);
    expect(scene.log).toEqual(['pods: failed while listing, next attempt in 1.2 s: 403 Forbidden: pods is forbidden']);
    await scene.clock.advance(60 * MINUTE);
    expect(scene.log.length).toBeLessThan(9);
    code = 0;
    await scene.clock.advance(2 * MINUTE);
    scene.watch.send(initialEventsEnd('5'));
    await scene.settle();
    expect(scene.log.at(-1)).toMatch(/^pods: watching after 6\d min, \d+ attempts\.$/);
  });

  it('has one line about a server that does not take a WatchList, which is not an outage', async () => {
    const refusal = apiError(422, { message: 'sendInitialEvents is forbidden' });
    await using scene = await Scene.start({
      isUnheard: true,
      watchList: true,
      lists: [list('5', ['a@5'])],
      watches: [refusal, expired(), refusal, expired(), quiet],
    });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual([
      'watchList -',
      'list 0',
      'watch 5',
      'watchList 5',
      'list 5',
      'watch 5',
      'list 5',
      'watch 5',
    ]);
    expect(scene.log).toEqual([
      'pods: the server does not take a WatchList, so LIST is used: 422 Invalid: sendInitialEvents is forbidden',
    ]);
  });

  it('tells why LIST fails where a WatchList was refused, though both are refusals', async () => {
    await using scene = await Scene.start({
      isUnheard: true,
      watchList: true,
      lists: [apiError(302, { message: 'elsewhere' })],
      watches: [apiError(422, { message: 'sendInitialEvents is forbidden' })],
    });
    await scene.clock.advance(0);
    expect(scene.log.at(-1)).toMatch(/^pods: failed while listing, next attempt in 1\.2 s: 302 .*elsewhere$/);
  });

  it('is not written to when a handler hears of every failure', async () => {
    await using scene = await Scene.start({ lists: [apiError(403)] });
    await scene.clock.advance(10 * MINUTE);
    expect(scene.reports.length).toBe(scene.server.requests.length);
    expect(scene.log).toEqual([]);
  });

  it('tells the life of a healthy reflector at debug', async () => {
    await using scene = await Scene.start({ lists: [list('5', ['a@5'])], resyncMs: 60_000 });
    scene.watch.send(added('b', '6'));
    await scene.clock.advance(MINUTE);
    scene.watch.end();
    await scene.settle();
    expect(scene.debugLog).toEqual([
      'pods: listing from 0.',
      expect.stringMatching(/^pods: at version 5 after .*1 objects listed/),
      'pods: watching from 5.',
      'pods: resync.',
      'pods: the watch ended after 60 s, 1 event.',
      'pods: watching from 6.',
    ]);
    expect(scene.log).toEqual([]);
  });
});
