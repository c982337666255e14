import { describe, expect, it } from 'vitest';
import {
  added,
  apiError,
  bookmark,
  deleted,
  errorFrame,
  expired,
  initialEventsEnd,
  list,
  modified,
  never,
  Scene,
  type Script,
  ScriptedWatch,
  systemError,
  tooManyRequests,
} from './scripted-fixture.ts';

const MINUTE = 60_000;
const quiet = () => new ScriptedWatch();
const start = (script: Omit<Script, 'watchList'>) => Scene.start({ watchList: true, ...script });

describe('WatchList', () => {
  it('asks for the initial events, fills the target once at the closing bookmark, and goes on with the same watch', async () => {
    await using scene = await start({ watches: [() => new ScriptedWatch(added('foo', '1'), added('bar', '2'))] });
    expect(scene.server.requests[0]?.options).toEqual({
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      timeoutSeconds: 450,
    });
    expect(scene.target.calls).toEqual([]);
    expect(scene.reflector.state.phase).toBe('listing');
    expect(scene.reflector.lastSyncResourceVersion()).toBe('');
    scene.watch.send(initialEventsEnd('2'), modified('foo', '3')).send(added('baz', '4'));
    await scene.settle();
    expect(scene.target.calls).toEqual(['replace 2: foo bar', 'update foo@3', 'add baz@4']);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('4');
    expect(scene.server.requests).toHaveLength(1);
    expect(scene.phases).toEqual(['listing', 'watching']);
  });

  it('is not used when it is turned off, or the source says that it cannot', async () => {
    for (const [watchList, isWatchListOff] of [
      [true, true],
      [false, false],
      [false, true],
    ] as const) {
      await using scene = await Scene.start({ watchList, isWatchListOff });
      expect(scene.server.summary).toEqual(['list 0', 'watch 1']);
      expect(scene.server.requests[0]?.options.limit).toBe(500);
    }
  });

  it('applies updates and deletions that come before the closing bookmark', async () => {
    const frames = [added('p1', '1'), added('p2', '2'), modified('p1', '3'), added('p3', '4'), deleted('p3', '5')];
    await using scene = await start({ watches: [() => new ScriptedWatch(...frames, initialEventsEnd('5'))] });
    expect(scene.target.content).toEqual({ p1: '3', p2: '2' });
    expect(scene.target.calls).toHaveLength(1);
  });

  it('is not done before a bookmark with the annotation "true"', async () => {
    await using scene = await start({ watches: [() => new ScriptedWatch(added('a', '1'), bookmark('2'))] });
    expect(scene.target.calls).toEqual([]);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('');
  });

  it('takes a second closing bookmark for a bookmark', async () => {
    await using scene = await start({
      watches: [() => new ScriptedWatch(initialEventsEnd('2'), initialEventsEnd('3'))],
    });
    expect(scene.target.calls).toEqual(['replace 2: ', 'bookmark 3']);
  });

  it.each([
    ['Invalid', apiError(422, { reason: 'Invalid' })],
    ['400', apiError(400)],
    ['415', apiError(415)],
    ['an error of any other kind', new Error('dummy error')],
  ])('falls back to LIST in the same cycle when it is refused with %s', async (_, refusal) => {
    await using scene = await start({
      lists: [list('1', ['p1@1'])],
      watches: [refusal, () => new ScriptedWatch(added('p2', '2'))],
    });
    expect(scene.server.summary).toEqual(['watchList -', 'list 0', 'watch 1']);
    expect(scene.target.content).toEqual({ p1: '1', p2: '2' });
    expect(scene.reports).toMatchObject([{ error: refusal, phase: 'listing', retryInMs: 0 }]);
  });

  it('is not followed by a LIST when it is forbidden, but by one after the wait, since a list may not be', async () => {
    await using scene = await start({ lists: [list('1', ['p1@1'])], watches: [apiError(403)] });
    expect(scene.server.summary).toEqual(['watchList -']);
    expect(scene.reports).toHaveLength(1);
    await scene.clock.advance(1_200);
    expect(scene.server.summary).toEqual(['watchList -', 'list 0', 'watch 1']);
    expect(scene.target.content).toEqual({ p1: '1' });
    expect(scene.reflector.state.phase).toBe('forbidden');
    await scene.clock.advance(3 * MINUTE);
    expect(new Set(scene.server.summary)).toEqual(
      new Set(['watchList -', 'list 0', 'watch 1', 'watchList 1', 'list 1']),
    );
  });

  it.each([401, 403])('makes one request and one report for each attempt while everything is %d', async (code) => {
    await using scene = await start({ lists: [apiError(code)], watches: [apiError(code)] });
    await scene.clock.advance(10 * MINUTE);
    expect(scene.reports.length).toBe(scene.server.requests.length);
    const times = scene.server.requests.map(({ atMs }) => atMs);
    expect(new Set(times).size).toBe(times.length);
  });

  it.each([
    ['429', tooManyRequests(1)],
    ['a refused connection', systemError('ECONNREFUSED')],
    ['401', apiError(401)],
  ])('waits and tries again after %s, without a list', async (_, failure) => {
    await using scene = await start({
      watches: [failure, failure, () => new ScriptedWatch(added('p1', '1'), initialEventsEnd('2'))],
    });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['watchList -', 'watchList -', 'watchList -']);
    expect(scene.server.requests.map(({ atMs }) => atMs)).toEqual([
      0,
      failure.message.includes('429') ? 1400 : 1200,
      expect.any(Number),
    ]);
    expect(scene.target.content).toEqual({ p1: '1' });
  });

  it('tries a server error once more before it falls back', async () => {
    await using scene = await start({ watches: [apiError(503), apiError(503), quiet] });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['watchList -', 'watchList -', 'list 0', 'watch 1']);
  });

  it('begins again, with nothing kept, when the stream ends before the closing bookmark', async () => {
    await using scene = await start({
      watches: [
        () => new ScriptedWatch(added('old', '1')).end(),
        () => new ScriptedWatch(added('p1', '1'), initialEventsEnd('1')),
      ],
    });
    expect(scene.server.summary).toEqual(['watchList -', 'watchList -']);
    expect(scene.target.content).toEqual({ p1: '1' });
    expect(scene.reports).toMatchObject([{ error: { kind: 'endedEarly' }, phase: 'listing' }]);
  });

  it('falls back to LIST when the stream ends early twice, or at once', async () => {
    const early = () => new ScriptedWatch(added('old', '1')).fail(systemError('ECONNRESET'));
    await using twice = await start({ watches: [early, early, quiet] });
    expect(twice.server.summary).toEqual(['watchList -', 'watchList -', 'list 0', 'watch 1']);
    await using once = await start({ watches: [() => new ScriptedWatch().end(), quiet] });
    expect(once.server.summary).toEqual(['watchList -', 'list 0', 'watch 1']);
  });

  it('goes on with a plain watch from the last version when the stream ends after the closing bookmark', async () => {
    await using scene = await start({
      watches: [
        () => new ScriptedWatch(added('p1', '1'), initialEventsEnd('2'), added('p3', '3')).end(),
        () => new ScriptedWatch(added('p4', '4')),
      ],
    });
    expect(scene.server.summary).toEqual(['watchList -', 'watch 3']);
    expect(scene.target.content).toEqual({ p1: '1', p3: '3', p4: '4' });
  });

  it('is used again, from the last version, after a 410', async () => {
    await using scene = await start({
      watches: [
        () => new ScriptedWatch(initialEventsEnd('2'), added('p3', '3')).end(),
        expired(),
        () => new ScriptedWatch(added('p3', '3'), initialEventsEnd('9')),
      ],
    });
    expect(scene.reports).toMatchObject([{ error: { code: 410 }, phase: 'watching' }]);
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['watchList -', 'watch 3', 'watchList 3']);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('9');
  });

  it('asks for the present state at once when its version has expired, and then falls back', async () => {
    await using scene = await start({
      watches: [() => new ScriptedWatch(initialEventsEnd('2')), expired(), expired(), quiet],
    });
    scene.watch.fail(expired());
    await scene.clock.advance(5_000);
    expect(scene.server.summary).toEqual(['watchList -', 'watchList 2', 'watchList -', 'list -', 'watch 1']);
  });

  it('refuses a state that is older than what has been seen', async () => {
    await using scene = await start({
      watches: [
        () => new ScriptedWatch(initialEventsEnd('100'), errorFrame(expired().status)),
        () => new ScriptedWatch(initialEventsEnd('90')),
        () => new ScriptedWatch(initialEventsEnd('101')),
      ],
    });
    await scene.clock.advance(5_000);
    expect(scene.server.summary).toEqual(['watchList -', 'watchList 100', 'watchList -']);
    expect(scene.target.calls).toEqual(['replace 100: ', 'replace 101: ']);
  });
});

describe('a WatchList that lies', () => {
  it.each([
    ['sends nothing', () => new ScriptedWatch()],
    ['never answers', never],
    ['sends objects and no end', () => new ScriptedWatch(added('a', '1'))],
    ['sends a bookmark without the annotation', () => new ScriptedWatch(added('a', '1'), bookmark('2'))],
    ['sends a closing bookmark without a version', () => new ScriptedWatch(added('a', '1'), initialEventsEnd(''))],
  ])('is given up for LIST when it %s', async (_, lie) => {
    await using scene = await start({ lists: [list('5', ['a@4'])], watches: [lie, quiet] });
    await scene.clock.advance(30_000);
    expect(scene.server.summary).toEqual(['watchList -', 'list 0', 'watch 5']);
    expect(scene.target.calls).toEqual(['replace 5: a']);
    expect(scene.reports).toMatchObject([{ error: { kind: 'noInitialEventsEnd' }, phase: 'listing' }]);
  });

  it('is given up though changes keep coming: they are no initial events', async () => {
    await using scene = await start({ watches: [() => new ScriptedWatch(added('a', '1')), quiet] });
    const [first] = scene.server.watches;
    for (let second = 1; second <= 30; second++) {
      first?.send(modified('a', String(second + 1)), bookmark(String(second + 1)));
      await scene.clock.advance(1_000);
    }
    expect(scene.server.summary).toEqual(['watchList -', 'list 0', 'watch 1']);
    expect(first?.isClosed).toBe(true);
  });

  it('is not given up while new objects keep coming, however long it takes', async () => {
    await using scene = await start({ watches: [quiet] });
    for (let i = 0; i < 10; i++) {
      scene.watch.send(added(`p${i}`, String(i + 1)));
      await scene.clock.advance(29_000);
    }
    scene.watch.send(initialEventsEnd('10'));
    await scene.settle();
    expect(scene.server.requests).toHaveLength(1);
    expect(scene.target.objects.size).toBe(10);
  });

  it('is not tried for a while after the second time', async () => {
    await using scene = await start({ watches: [quiet, expired(), quiet, expired(), expired(), quiet] });
    await scene.clock.advance(5 * MINUTE);
    expect(scene.server.summary).toEqual([
      'watchList -',
      'list 0',
      'watch 1',
      'watchList 1',
      'list 1',
      'watch 1',
      'list 1',
      'watch 1',
      'list 1',
      'watch 1',
    ]);
    await scene.clock.advance(8 * MINUTE);
    scene.watch.send(errorFrame(expired().status));
    await scene.clock.advance(5_000);
    expect(scene.server.summary.at(-1)).toBe('watchList 1');
  });
});
