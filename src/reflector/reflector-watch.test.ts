import { describe, expect, it } from 'vitest';
import { TransportError } from '../api/transport-error.ts';
import {
  added,
  apiError,
  bookmark,
  deleted,
  errorFrame,
  expired,
  list,
  modified,
  Scene,
  ScriptedWatch,
  systemError,
  tooManyRequests,
} from './scripted-fixture.ts';

const MINUTE = 60_000;
const quiet = () => new ScriptedWatch();

describe('a reflector that watches', () => {
  it('hands on additions, updates and deletions in order, and remembers the last version', async () => {
    await using scene = await Scene.start({ lists: [list('10', ['foo@1', 'bar@2'])] });
    scene.watch.send(deleted('foo', '11'), modified('bar', '55')).send(added('baz', '56'));
    await scene.settle();
    expect(scene.target.calls.slice(1)).toEqual(['delete foo@11', 'update bar@55', 'add baz@56']);
    expect(scene.target.content).toEqual({ bar: '55', baz: '56' });
    expect(scene.reflector.lastSyncResourceVersion()).toBe('56');
  });

  it('moves on with every event and with bookmarks', async () => {
    await using scene = await Scene.start({ lists: [list('10')] });
    const versions: string[] = [];
    for (const frame of [added('a', '10'), modified('a', '20'), bookmark('30'), deleted('a', '40')]) {
      scene.watch.send(frame);
      await scene.settle();
      versions.push(scene.reflector.lastSyncResourceVersion());
    }
    expect(versions).toEqual(['10', '20', '30', '40']);
    expect(scene.target.calls).toContain('bookmark 30');
  });

  it.each([
    [undefined, [300, 390, 599]],
    [1_000, [300, 390, 599]],
    [30 * MINUTE, [1800, 2340, 3599]],
    [Number.POSITIVE_INFINITY, [31_536_000, 40_996_800, 63_071_968]],
  ])(
    'asks for an end of each watch between the minimum (of %j ms) and twice that, by chance',
    async (minWatchTimeoutMs, expected) => {
      for (const watchList of [true, false]) {
        const asked: unknown[] = [];
        for (const luck of [0, 0.3, 0.999999]) {
          await using scene = await Scene.start({
            watchList,
            random: () => luck,
            ...(minWatchTimeoutMs && { minWatchTimeoutMs }),
          });
          asked.push(scene.server.of('watch')[0]?.options.timeoutSeconds);
        }
        expect(asked).toEqual(expected);
      }
    },
  );

  it('asks for another end for each watch', async () => {
    let luck = 0;
    await using scene = await Scene.start({
      random: () => (luck = (luck + 0.37) % 1),
      watches: [() => new ScriptedWatch(added('a', '2')).end(), () => new ScriptedWatch(added('b', '3')).end(), quiet],
    });
    await scene.clock.advance(5_000);
    const asked = scene.server.of('watch').map(({ options }) => options.timeoutSeconds);
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(3);
  });

  it('opens the next watch at once after a clean end, from the last version, without a list or a report', async () => {
    await using scene = await Scene.start({ lists: [list('10')] });
    scene.watch.send(added('a', '11'));
    await scene.clock.advance(450_000);
    scene.watch.end();
    await scene.settle();
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'watch 11']);
    expect(scene.reports).toEqual([]);
    expect(scene.phases).not.toContain('backoff');
  });

  it.each([
    ['a reset', systemError('ECONNRESET')],
    ['half a frame', new Error('the watch broke off in the middle of a frame')],
    ['an end of file', systemError('UND_ERR_SOCKET')],
  ])('resumes at once after %s, without a list, and reports it', async (_, failure) => {
    await using scene = await Scene.start({ lists: [list('10')] });
    scene.watch.send(added('a', '11')).fail(failure);
    await scene.settle();
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'watch 11']);
    expect(scene.reports).toMatchObject([{ error: failure, phase: 'watching', retryInMs: 0 }]);
    expect(scene.phases).toEqual(['listing', 'watching', 'backoff', 'watching']);
    expect(scene.reflector.state).not.toHaveProperty('lastError');
  });

  it.each([
    ['a refused connection', systemError('ECONNREFUSED')],
    ['a refused connection with a cause', new Error('fetch failed', { cause: systemError('ECONNREFUSED') })],
    ['no route', systemError('EHOSTUNREACH')],
    ['credentials that cannot be made', new TransportError('credentials', 'the exec plugin failed')],
    ['429', tooManyRequests()],
    ['401', apiError(401)],
  ])('opens the watch again after a wait, however often it meets %s, and never lists', async (_, failure) => {
    await using scene = await Scene.start({ watches: [failure, failure, failure, failure, quiet] });
    await scene.clock.advance(5 * MINUTE);
    expect(scene.server.of('list')).toHaveLength(1);
    expect(scene.server.of('watch').map(({ atMs }) => atMs)).toEqual([0, 1200, 3600, 8400, 18_000]);
    expect(scene.reports).toHaveLength(4);
    expect(scene.reflector.state.phase).toBe('watching');
  });

  it('waits as long as a 429 asks for, on opening and in the stream', async () => {
    const busy = tooManyRequests(5);
    await using scene = await Scene.start({
      watches: [busy, () => new ScriptedWatch(errorFrame(busy.status)), quiet],
    });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'watch 1', 'watch 1']);
    expect(scene.server.of('watch').map(({ atMs }) => atMs)).toEqual([0, 5400, 10_800]);
    expect(scene.reports.map(({ retryInMs }) => retryInMs)).toEqual([5400, 5400]);
  });

  it('lets the waits grow to the cap and no further', async () => {
    await using scene = await Scene.start({ watches: [systemError('ECONNREFUSED')], random: () => 0 });
    await scene.clock.advance(200_000);
    const times = scene.server.of('watch').map(({ atMs }) => atMs);
    const waits = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000, 30_000]);
  });

  it('takes other figures for the waits', async () => {
    await using scene = await Scene.start({
      watches: [...Array(5).fill(systemError('ECONNREFUSED')), quiet],
      backoff: { initialMs: 1_000, factor: 2, jitter: 0, maxMs: 10_000 },
    });
    await scene.clock.advance(MINUTE);
    expect(scene.server.of('watch').at(-1)?.atMs).toBe(1_000 + 2_000 + 4_000 + 8_000 + 10_000);
  });

  it.each([
    [
      'on opening',
      () => {
        throw expired();
      },
    ],
    ['in the stream', () => new ScriptedWatch(errorFrame(expired().status))],
    ['in the stream with the reason Gone', () => new ScriptedWatch(errorFrame({ reason: 'Gone' }))],
  ])('lists at the last version after a 410 %s, 500 ms later at the soonest', async (_, first) => {
    await using scene = await Scene.start({
      lists: [list('10'), list('20', ['b@15'])],
      watches: [first, quiet],
      backoff: { initialMs: 1, jitter: 0 },
    });
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'list 10', 'watch 20']);
    expect(scene.server.of('list')[1]?.atMs).toBeGreaterThanOrEqual(500);
    expect(scene.reports).toMatchObject([{ phase: 'watching', error: { name: 'ApiError' } }]);
    expect(scene.target.content).toEqual({ b: '15' });
  });

  it.each([
    ['an internal error', errorFrame({ code: 500, reason: 'InternalError' })],
    ['an object that the server cannot read any more', errorFrame({ code: 500, reason: 'StoreReadError' })],
    [
      'an error without a Status',
      errorFrame({ kind: 'Status', message: 'the watch sent an ERROR event without a Status' }),
    ],
  ])('lists after %s in the stream, and drops what is gone', async (_, frame) => {
    await using scene = await Scene.start({
      lists: [list('3', ['a@1', 'b@2']), list('5', ['a@1', 'b@2'])],
      watches: [() => new ScriptedWatch(added('corrupt', '4'), frame), quiet],
    });
    expect(scene.target.content).toEqual({ a: '1', b: '2', corrupt: '4' });
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 3', 'list 4', 'watch 5']);
    expect(scene.target.content).toEqual({ a: '1', b: '2' });
    expect(scene.reports).toHaveLength(1);
    expect(scene.server.watches[0]?.isClosed).toBe(true);
  });

  it('opens the watch again without a list after internal errors, for as long as it is told to', async () => {
    const failing = () => new ScriptedWatch(errorFrame({ code: 500, reason: 'InternalError' }));
    await using scene = await Scene.start({ watches: [failing], maxInternalErrorRetryMs: 30_000 });
    await scene.clock.advance(29_000);
    expect(scene.server.of('list')).toHaveLength(1);
    expect(scene.server.of('watch').length).toBeGreaterThan(20);
    await scene.clock.advance(10_000);
    expect(scene.server.of('list').length).toBeGreaterThan(1);
    expect(scene.server.busiest2s).toBeLessThanOrEqual(5);
  });

  it('tries a watch that a server error keeps from opening twice more before it lists', async () => {
    await using scene = await Scene.start({ watches: [apiError(503), apiError(500), apiError(504), quiet] });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'watch 1', 'watch 1', 'list 1', 'watch 1']);
  });

  it.each([
    ['that the user has thrown', new Error('a watch error')],
    ['with which the server refuses the request', apiError(400, { message: 'invalid resource version' })],
    ['405', apiError(405)],
  ])('lists again after a failure to open %s', async (_, failure) => {
    await using scene = await Scene.start({ lists: [list('1'), list('2', ['a@2'])], watches: [failure, quiet] });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'list 1', 'watch 2']);
    expect(scene.reports).toHaveLength(1);
  });

  it('converges through errors of list and watch', async () => {
    await using scene = await Scene.start({
      lists: [
        list('3', ['foo@2', 'bar@3']),
        new Error('a list error'),
        list('5', ['bar@3', 'qux@5']),
        list('6', ['bar@3', 'qux@5', 'baz@6']),
      ],
      watches: [
        () => new ScriptedWatch(deleted('foo', '4'), added('qux', '5'), errorFrame({ code: 500 })),
        new Error('a watch error'),
        () => new ScriptedWatch(),
      ],
    });
    await scene.clock.advance(MINUTE);
    expect(scene.target.content).toEqual({ bar: '3', qux: '5', baz: '6' });
    expect(scene.reports).toHaveLength(3);
  });

  it('does not take a watch from nowhere for a place in history before something other than ADDED has come', async () => {
    await using scene = await Scene.start({ lists: [list('0')] });
    scene.watch.send(added('b', '7'), added('a', '3'));
    await scene.settle();
    expect(scene.reflector.lastSyncResourceVersion()).toBe('0');
    scene.watch.send(modified('a', '9'));
    await scene.settle();
    expect(scene.reflector.lastSyncResourceVersion()).toBe('9');
  });

  it('lists after each watch of a server that gives no versions, since there is nothing to go on from', async () => {
    await using scene = await Scene.start({ lists: [list('')] });
    await scene.clock.advance(450_000);
    scene.watch.end();
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch -', 'list 0', 'watch -']);
  });
});
