import { describe, expect, it } from 'vitest';
import {
  added,
  apiError,
  bookmark,
  brokenFrame,
  brokenObject,
  deleted,
  initialEventsEnd,
  list,
  modified,
  Scene,
  type Script,
  ScriptedWatch,
} from './scripted-fixture.ts';

const quiet = () => new ScriptedWatch();

describe('an event that cannot be used', () => {
  it('is reported and leads to a list from before it, which takes the object', async () => {
    await using scene = await Scene.start({
      lists: [list('10', ['a@5']), list('13', ['a@12', 'b@13'])],
      watches: [() => new ScriptedWatch(modified('a', '11'), brokenFrame('a'), added('b', '13')), quiet],
    });
    expect(scene.target.calls).toEqual(['replace 10: a', 'update a@11']);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('11');
    expect(scene.reports).toMatchObject([
      { error: { kind: 'unusable', key: 'a' }, phase: 'watching', retryInMs: 1200 },
    ]);
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'list 11', 'watch 13']);
    expect(scene.target.content).toEqual({ a: '12', b: '13' });
    expect(scene.reflector.state).not.toHaveProperty('leftOut');
  });

  it('is left out and named when the list cannot use the object either', async () => {
    await using scene = await Scene.start({
      lists: [list('10', ['a@5', 'c@6']), list('12', ['c@6'], { broken: [brokenObject('a')] })],
      watches: [() => new ScriptedWatch(brokenFrame('a')), quiet],
    });
    await scene.clock.advance(10_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'list 10', 'watch 12']);
    expect(scene.target.content).toEqual({ c: '6' });
    expect(scene.reflector.state).toMatchObject({ phase: 'watching', leftOut: [{ key: 'a', reason: 'damaged a' }] });
    expect(scene.reports.map(({ phase, retryInMs }) => [phase, retryInMs])).toEqual([
      ['watching', 1200],
      ['listing', undefined],
    ]);
  });

  it('is treated so when the target refuses it', async () => {
    await using scene = await Scene.start({
      lists: [list('10'), list('11', ['a@11'])],
      watches: [() => new ScriptedWatch(added('a', '11')), quiet],
    });
    scene.target.refused.add('b');
    scene.target.onCall = (call) => {
      if (call === 'update a@12') throw new Error('an index function has failed');
    };
    scene.watch.send(modified('a', '12'));
    await scene.settle();
    expect(scene.reports[0]?.error.message).toBe('the update of a cannot be used: an index function has failed');
    expect(scene.reflector.lastSyncResourceVersion()).toBe('11');
    await scene.clock.advance(2_000);
    expect(scene.server.summary.slice(2)).toEqual(['list 11', 'watch 11']);
  });

  it('is skipped with a report when its object has been left out already', async () => {
    await using scene = await Scene.start({
      lists: [list('10', [], { broken: [brokenObject('a')] })],
    });
    await scene.clock.advance(2_000);
    const { length } = scene.server.requests;
    scene.watch.send(brokenFrame('a'), added('b', '12'));
    await scene.clock.advance(60_000);
    expect(scene.server.requests).toHaveLength(length);
    expect(scene.target.content).toEqual({ b: '12' });
    expect(scene.reports.at(-1)).toMatchObject({ error: { key: 'a' }, phase: 'watching' });
    expect(scene.reports.at(-1)).not.toHaveProperty('retryInMs');
  });

  it('without a key leads to a list each time', async () => {
    await using scene = await Scene.start({
      watches: [() => new ScriptedWatch(brokenFrame()), () => new ScriptedWatch(brokenFrame()), quiet],
    });
    await scene.clock.advance(10_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'list 1', 'watch 1', 'list 1', 'watch 1']);
  });

  it('does not lose its second chance to a list that fails', async () => {
    await using scene = await Scene.start({
      lists: [list('10', ['a@5']), apiError(500), list('12', [], { broken: [brokenObject('a')] })],
      watches: [() => new ScriptedWatch(brokenFrame('a')), quiet],
    });
    await scene.clock.advance(10_000);
    expect(scene.server.of('list')).toHaveLength(3);
    expect(scene.reflector.state.leftOut).toHaveLength(1);
  });

  it('does not hold for bookmarks: one that the target refuses is reported and that is all', async () => {
    await using scene = await Scene.start();
    scene.target.onCall = () => {
      throw new Error('no bookmarks here');
    };
    scene.watch.send(bookmark('5'));
    await scene.clock.advance(10_000);
    expect(scene.reports).toMatchObject([{ error: { message: 'a bookmark cannot be used: no bookmarks here' } }]);
    expect(scene.server.requests).toHaveLength(2);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('5');
  });
});

describe('a listed object that cannot be used', () => {
  it('does not keep the others of the first list waiting, and is tried once more', async () => {
    await using scene = await Scene.start({
      lists: [list('10', ['b@4'], { broken: [brokenObject('a')] }), list('11', ['a@5', 'b@4'])],
    });
    expect(scene.target.content).toEqual({ b: '4' });
    expect(scene.reflector.state).toMatchObject({ phase: 'backoff', leftOut: [{ key: 'a' }] });
    await scene.clock.advance(2_000);
    expect(scene.target.content).toEqual({ a: '5', b: '4' });
    expect(scene.reflector.state).toEqual({
      phase: 'watching',
      since: expect.any(Number),
      lastContact: expect.any(Number),
    });
    expect(scene.server.summary).toEqual(['list 0', 'list 10', 'watch 11']);
  });

  it('does not vanish from a filled target before the second try', async () => {
    await using scene = await Scene.start({
      lists: [
        list('10', ['a@5', 'b@4']),
        list('12', ['b@4'], { broken: [brokenObject('a')] }),
        list('13', ['a@13', 'b@4']),
      ],
      watches: [apiError(410), quiet],
    });
    await scene.clock.advance(10_000);
    expect(scene.target.calls).toEqual(['replace 10: a b', 'replace 13: a b']);
    expect(scene.reports).toMatchObject([
      { phase: 'watching' },
      { phase: 'listing', error: { key: 'a' }, retryInMs: 2400 },
    ]);
  });

  it('is reported for each object, named in the state, and does not cost a second list again', async () => {
    const broken = [brokenObject('a'), brokenObject('b'), brokenObject()];
    await using scene = await Scene.start({
      lists: [list('10', ['c@1'], { broken })],
      watches: [quiet, apiError(410), quiet],
    });
    await scene.clock.advance(10_000);
    expect(scene.server.summary).toEqual(['list 0', 'list 10', 'watch 10']);
    expect(scene.reflector.state.leftOut?.map(({ key }) => key)).toEqual(['a', 'b', '']);
    expect(scene.reports).toHaveLength(6);
    scene.watch.end();
    await scene.clock.advance(10_000);
    expect(scene.server.summary.slice(3)).toEqual(['watch 10', 'list 10', 'watch 10']);
    expect(scene.reports).toHaveLength(7);
  });

  it('is one that the target cannot prepare', async () => {
    const scene = new Scene({ lists: [list('10', ['a@5', 'b@4'])] });
    scene.target.refused.add('a');
    await scene.start();
    await scene.clock.advance(10_000);
    expect(scene.target.content).toEqual({ b: '4' });
    expect(scene.reflector.state.leftOut).toEqual([{ key: 'a', reason: 'no room for a' }]);
    expect(scene.reports[0]?.error.message).toBe('the listed a cannot be used: no room for a');
    await scene[Symbol.asyncDispose]();
  });

  it.each([
    ['a later version is taken', modified('a', '12'), { a: '12' }],
    ['it is deleted', deleted('a', '12'), {}],
  ])('is not left out any more when %s', async (_, frame, content) => {
    await using scene = await Scene.start({ lists: [list('10', [], { broken: [brokenObject('a')] })] });
    await scene.clock.advance(2_000);
    expect(scene.reflector.state.leftOut).toHaveLength(1);
    scene.watch.send(frame);
    await scene.settle();
    expect(scene.reflector.state).not.toHaveProperty('leftOut');
    expect(scene.target.content).toEqual(content);
  });

  it('is found in a WatchList too', async () => {
    const stream = () => new ScriptedWatch(added('b', '1'), added('a', '2'), brokenFrame('a'), initialEventsEnd('5'));
    await using scene = await Scene.start({ watchList: true, watches: [stream] });
    await scene.clock.advance(10_000);
    expect(scene.server.summary).toEqual(['watchList -', 'watchList 5']);
    expect(scene.server.watches[0]?.isClosed).toBe(true);
    expect(scene.target.content).toEqual({ b: '1' });
    expect(scene.reflector.state).toMatchObject({ phase: 'watching', leftOut: [{ key: 'a' }] });
  });

  it('is not one whose next state in the same WatchList can be used', async () => {
    const stream = () => new ScriptedWatch(brokenFrame('a'), modified('a', '3'), initialEventsEnd('5'));
    await using scene = await Scene.start({ watchList: true, watches: [stream] });
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '3' });
    expect(scene.reflector.state).toEqual({
      phase: 'watching',
      since: expect.any(Number),
      lastContact: expect.any(Number),
    });
  });

  it('without a key is news when there are more of them than before, and is tried once more', async () => {
    const one = list('10', [], { broken: [brokenObject()] });
    const two = list('12', [], { broken: [brokenObject(), brokenObject()] });
    await using scene = await Scene.start({ lists: [one, one, two, two], watches: [apiError(410), quiet] });
    await scene.clock.advance(30_000);
    expect(scene.server.summary).toEqual(['list 0', 'list 10', 'watch 10', 'list 10', 'list 10', 'watch 12']);
    expect(scene.reflector.state.leftOutCount).toBe(2);
  });

  it('is logged in few lines when nobody listens', async () => {
    const broken = Array.from({ length: 100 }, (_, i) => brokenObject(`p${i}`));
    await using scene = await Scene.start({ isUnheard: true, lists: [list('10', [], { broken })] });
    expect(scene.log).toHaveLength(6);
    expect(scene.log.at(-1)).toBe('pods: 95 more objects cannot be used; state.leftOut names the first of them.');
  });
});

describe('very many objects that cannot be used', () => {
  const keyed = (count: number) => Array.from({ length: count }, (_, i) => brokenObject(`p${i}`));
  const unnamed = (count: number) => Array.from({ length: count }, () => brokenObject());

  it('are counted; the first hundred are named and reported one by one, the others in one sentence', async () => {
    await using scene = await Scene.start({ lists: [list('10', ['z@1'], { broken: keyed(250) })] });
    await scene.clock.advance(10_000);
    const { leftOut = [], leftOutCount } = scene.reflector.state;
    expect(leftOutCount).toBe(250);
    expect(leftOut.map(({ key }) => key)).toEqual(keyed(100).map(({ key }) => key));
    expect(leftOut[99]?.reason).toBe('damaged p99');
    expect(scene.reports).toHaveLength(2 * 101);
    expect(scene.reports.at(-1)?.error).toMatchObject({ kind: 'unusable', message: '150 more objects cannot be used' });
    expect(scene.server.summary).toEqual(['list 0', 'list 10', 'watch 10']);
  });

  it('are all remembered: their events are skipped, and one that can be used is left out no more', async () => {
    await using scene = await Scene.start({ lists: [list('10', [], { broken: keyed(250) })] });
    await scene.clock.advance(10_000);
    const { length } = scene.server.requests;
    scene.watch.send(brokenFrame('p249'), added('p248', '11'), added('p0', '12'));
    await scene.clock.advance(10_000);
    expect(scene.server.requests).toHaveLength(length);
    expect(scene.target.content).toEqual({ p248: '11', p0: '12' });
    const { leftOut = [], leftOutCount } = scene.reflector.state;
    expect(leftOutCount).toBe(248);
    expect(leftOut).toHaveLength(100);
    expect(leftOut.at(-1)).toMatchObject({ key: 'p100', reason: expect.stringContaining('one of more than 100') });
  });

  it('are counted when they have no key, too, and cost no further list when there are no more of them', async () => {
    const broken = [...keyed(2), ...unnamed(300)];
    await using scene = await Scene.start({
      lists: [list('10', [], { broken })],
      watches: [quiet, apiError(410), quiet],
    });
    await scene.clock.advance(10_000);
    expect(scene.reflector.state.leftOutCount).toBe(302);
    expect(scene.reflector.state.leftOut).toHaveLength(100);
    scene.watch.end();
    await scene.clock.advance(10_000);
    expect(scene.server.of('list')).toHaveLength(3);
    expect(scene.reflector.state).toMatchObject({ phase: 'watching', leftOutCount: 302 });
  });

  it('are counted once when they come several times under one key', async () => {
    const broken = Array.from({ length: 500 }, () => brokenObject('a'));
    await using scene = await Scene.start({ lists: [list('10', [], { broken })] });
    await scene.clock.advance(10_000);
    expect(scene.reflector.state).toMatchObject({ leftOut: [{ key: 'a' }], leftOutCount: 1 });
    expect(scene.reports.length).toBeLessThanOrEqual(2 * 101);
  });

  it('leave no error behind for each, when they come in pages or by a WatchList', async () => {
    const problemsOf = async (script: Script) => {
      const given = new Set<unknown>();
      await using scene = await Scene.start({ ...script, watchErrorHandler: (error) => given.add(error.cause) });
      await scene.clock.advance(10_000);
      expect(scene.reflector.state.leftOutCount).toBe(400);
      return given.size;
    };
    const page = (from: number) => keyed(400).slice(from, from + 100);
    const pages = [0, 100, 200, 300].map((from) =>
      list('10', [], { broken: page(from), ...(from < 300 && { continue: `c${from}` }) }),
    );
    expect(await problemsOf({ lists: [...pages, ...pages] })).toBeLessThanOrEqual(201);
    const stream = () => new ScriptedWatch(...keyed(400).map(({ key }) => brokenFrame(key)), initialEventsEnd('10'));
    expect(await problemsOf({ watchList: true, watches: [stream] })).toBeLessThanOrEqual(201);
  });
});

describe('an event that is older than its object', () => {
  it('is refused and reported, and the state listed again', async () => {
    await using scene = await Scene.start({ lists: [list('10', ['a@9']), list('12', ['a@9'])] });
    scene.watch.send(modified('a', '7'));
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '9' });
    expect(scene.reports).toMatchObject([{ error: { kind: 'stale', key: 'a' }, phase: 'watching' }]);
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'list 10', 'watch 12']);
  });

  it('is refused as a deletion as well', async () => {
    await using scene = await Scene.start({ lists: [list('10', ['a@9'])] });
    scene.watch.send(deleted('a', '7'));
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '9' });
  });

  it('is not one that is merely older than what was seen of others: it is taken, and the version does not go back', async () => {
    await using scene = await Scene.start({ lists: [list('', ['a@3'])] });
    scene.watch.send(modified('b', '55'), modified('a', '32'), added('c', '33'));
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '32', b: '55', c: '33' });
    expect(scene.reflector.lastSyncResourceVersion()).toBe('55');
    expect(scene.reports).toEqual([]);
  });

  it('is not a duplicate: that is harmless', async () => {
    await using scene = await Scene.start({ lists: [list('10', ['a@9'])] });
    scene.watch.send(modified('a', '12'), modified('a', '12'), bookmark('11'));
    await scene.settle();
    expect(scene.reflector.lastSyncResourceVersion()).toBe('12');
    expect(scene.reports).toEqual([]);
    expect(scene.target.calls).not.toContain('bookmark 11');
  });

  it('is not told apart when versions have no order', async () => {
    await using scene = await Scene.start({ lists: [list('x', ['a@b'])] });
    scene.watch.send(modified('a', 'a'), modified('a', ''));
    await scene.settle();
    expect(scene.target.content).toEqual({ a: '' });
    expect(scene.reflector.lastSyncResourceVersion()).toBe('a');
  });
});
