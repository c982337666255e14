import { describe, expect, it } from 'vitest';
import {
  added,
  apiError,
  bookmark,
  errorFrame,
  expired,
  list,
  modified,
  Scene,
  type Script,
  ScriptedWatch,
  systemError,
  tooManyRequests,
} from './scripted-fixture.ts';

const MINUTE = 60_000;
const quiet = () => new ScriptedWatch();

describe('no storm', () => {
  const servers: [string, Script][] = [
    ['refuses all connections', { lists: [systemError('ECONNREFUSED')] }],
    ['says 429 to everything', { lists: [tooManyRequests()], watches: [tooManyRequests()] }],
    ['says 500 to everything', { lists: [apiError(500)], watches: [apiError(500)] }],
    ['says 403 to watches', { watches: [apiError(403)] }],
    ['says 404 to everything', { lists: [apiError(404)] }],
    ['has always forgotten everything', { lists: [expired()], watches: [expired()] }],
    ['says 410 to every watch', { watches: [expired()] }],
    ['says 410 in every watch', { watches: [() => new ScriptedWatch(errorFrame(expired().status))] }],
    ['ends each watch at once', { watches: [() => new ScriptedWatch().end()] }],
    ['breaks each watch at once', { watches: [() => new ScriptedWatch().fail(systemError('ECONNRESET'))] }],
    ['sends one event and ends, again and again', { watches: [() => new ScriptedWatch(added('a', '2')).end()] }],
    [
      'sends one event and breaks, again and again',
      { watches: [() => new ScriptedWatch(added('a', '2')).fail(new Error('x'))] },
    ],
    ['sends a bookmark and ends, again and again', { watches: [() => new ScriptedWatch(bookmark('2')).end()] }],
    ['gives no versions and ends each watch', { lists: [list('')], watches: [() => new ScriptedWatch().end()] }],
    [
      'sends an internal error in every watch',
      { watches: [() => new ScriptedWatch(errorFrame({ code: 500 }))], maxInternalErrorRetryMs: MINUTE },
    ],
    ['refuses WatchList', { watchList: true, watches: [apiError(422), apiError(422), expired()] }],
    [
      'ends every WatchList early',
      { watchList: true, lists: [expired()], watches: [() => new ScriptedWatch(added('a', '1')).end()] },
    ],
    ['says 410 to WatchList and LIST', { watchList: true, lists: [expired()], watches: [expired()] }],
    [
      'sends damaged events only',
      { watches: [() => new ScriptedWatch({ type: 'BROKEN', broken: { problem: new Error('?') } })] },
    ],
    ['sends old events only', { lists: [list('9', ['a@9'])], watches: [() => new ScriptedWatch(modified('a', '3'))] }],
  ];

  it.each(servers)('comes from a server that %s', async (_, script) => {
    for (const luck of [0, 0.5, 0.99]) {
      await using scene = await Scene.start({ ...script, random: () => luck });
      await scene.clock.advance(3 * MINUTE);
      expect(scene.server.busiest2s).toBeLessThanOrEqual(5);
      expect(scene.server.requests.length).toBeGreaterThan(3);
      expect(scene.phases).not.toContain('stopped');
    }
  });

  it('puts the further pages of a list aside', async () => {
    const pages = Array.from({ length: 20 }, (_, page) => list('1', [], { continue: String(page) }));
    await using scene = await Scene.start({ lists: [...pages, list('1')] });
    expect(scene.server.summary.at(-1)).toBe('watch 1');
  });
});

describe('very short watches', () => {
  it('are reported, waited after and resumed, and the second in a row leads to a list', async () => {
    const short = () => new ScriptedWatch().end();
    await using scene = await Scene.start({ lists: [list('1'), list('7')], watches: [short, short, quiet] });
    expect(scene.reports).toMatchObject([{ error: { kind: 'shortWatch' }, phase: 'watching', retryInMs: 1200 }]);
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'watch 1', 'list 1', 'watch 7']);
  });

  it('are forgotten when a longer one comes between', async () => {
    const short = () => new ScriptedWatch().end();
    await using scene = await Scene.start({ watches: [short, quiet, short, quiet] });
    await scene.clock.advance(2_000);
    scene.watch.send(added('a', '2')).end();
    await scene.clock.advance(MINUTE);
    expect(scene.server.of('list')).toHaveLength(1);
  });

  it('keep the error that broke them', async () => {
    const reset = systemError('ECONNRESET');
    await using scene = await Scene.start({ watches: [() => new ScriptedWatch().fail(reset), quiet] });
    expect(scene.reports[0]?.error.cause).toBe(reset);
  });
});

describe('a stream that is silent', () => {
  it('is left alone for its whole time when it has sent no bookmark', async () => {
    await using scene = await Scene.start();
    scene.watch.send(added('a', '2'));
    await scene.clock.advance(479_000);
    expect(scene.server.of('watch')).toHaveLength(1);
    expect(scene.reports).toEqual([]);
  });

  it('is taken for dead half a minute after its time, and resumed at once', async () => {
    await using scene = await Scene.start();
    scene.watch.send(added('a', '2'));
    await scene.clock.advance(480_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'watch 2']);
    expect(scene.server.watches[0]?.isClosed).toBe(true);
    expect(scene.reports).toMatchObject([{ error: { kind: 'silent' }, phase: 'watching', retryInMs: 0 }]);
  });

  it('is taken for dead after 150 s when it has sent a bookmark', async () => {
    await using scene = await Scene.start();
    await scene.clock.advance(100_000);
    scene.watch.send(bookmark('5'));
    await scene.clock.advance(149_000);
    scene.watch.send(modified('a', '6'));
    await scene.clock.advance(149_000);
    expect(scene.server.of('watch')).toHaveLength(1);
    await scene.clock.advance(1_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'watch 6']);
    expect(scene.reports[0]?.error.message).toContain('silent for 150 s');
  });

  it('is not taken for dead because of the bookmark that ends a WatchList', async () => {
    const watch = () => new ScriptedWatch({ type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: true });
    await using scene = await Scene.start({ watchList: true, watches: [watch, quiet] });
    await scene.clock.advance(479_000);
    expect(scene.server.requests).toHaveLength(1);
    await scene.clock.advance(1_000);
    expect(scene.server.summary).toEqual(['watchList -', 'watch 5']);
  });

  it('makes no request while it is healthy: bookmarks keep it for hours', async () => {
    await using scene = await Scene.start({ lists: [list('100')], watches: [quiet] });
    for (let minute = 0; minute < 120; minute++) {
      await scene.clock.advance(MINUTE);
      if (minute % 7 === 6) scene.watch.end();
      else scene.watch.send(bookmark(String(101 + minute)));
      await scene.settle();
    }
    expect(scene.server.of('list')).toHaveLength(1);
    expect(scene.server.of('watch')).toHaveLength(1 + Math.floor(120 / 7));
    expect(scene.reports).toEqual([]);
  });

  it('may hold back its head until the first event', async () => {
    const scene: Scene = new Scene({
      watches: [() => scene.clock.sleep(400_000).then(() => new ScriptedWatch(added('a', '2')))],
    });
    await scene.start();
    await scene.clock.advance(401_000);
    expect(scene.server.of('watch')).toHaveLength(1);
    expect(scene.target.content).toEqual({ a: '2' });
    await scene[Symbol.asyncDispose]();
  });
});

describe('resumed watches that bring nothing', () => {
  const SILENCE = 150_000;

  /** On a server that has sent a bookmark, and then cut the watch. */
  async function resumed(script: Script = {}): Promise<Scene> {
    const scene = await Scene.start({ lists: [list('1'), list('3', ['a@2'])], watches: [quiet], ...script });
    await scene.clock.advance(MINUTE);
    scene.watch.send(bookmark('5')).end();
    await scene.settle();
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'watch 5']);
    return scene;
  }

  it('are two in a row before a list finds out whether the server went back in time', async () => {
    await using scene = await resumed();
    await scene.clock.advance(SILENCE - 1);
    expect(scene.server.summary.slice(3)).toEqual([]);
    await scene.clock.advance(1);
    expect(scene.server.summary.slice(3)).toEqual(['watch 5']);
    await scene.clock.advance(SILENCE + 5_000);
    expect(scene.server.summary.slice(4)).toEqual(['list 5', 'list -', 'watch 3']);
    expect(scene.target.content).toEqual({ a: '2' });
    expect(scene.reflector.lastSyncResourceVersion()).toBe('3');
    expect(scene.reports.map(({ error }) => error.message)).toEqual([
      expect.stringContaining('silent for 150 s'),
      'the server has sent nothing after version 5 for 300 s; it may have been restored to an older state',
      expect.stringContaining('lost data'),
    ]);
  });

  it('lead to no list when one of them brings a frame', async () => {
    await using scene = await resumed();
    for (let round = 0; round < 5; round++) {
      await scene.clock.advance(SILENCE + MINUTE);
      scene.watch.send(bookmark(String(6 + round))).end();
      await scene.settle();
    }
    expect(scene.server.of('list')).toHaveLength(1);
  });

  it('may be as short as they like: their silence adds up', async () => {
    await using scene = await resumed();
    for (let watch = 0; watch < 5; watch++) {
      expect(scene.server.of('list')).toHaveLength(1);
      await scene.clock.advance(MINUTE);
      scene.watch.end();
      await scene.settle();
    }
    await scene.clock.advance(5_000);
    expect(scene.server.of('list').length).toBeGreaterThan(1);
  });

  it('are those, too, whose heads do not come', async () => {
    const never = () => new Promise<ScriptedWatch>(() => {});
    await using scene = await resumed({ watches: [quiet, never] });
    await scene.clock.advance(2 * SILENCE + 5_000);
    expect(scene.server.summary.slice(3)).toEqual(['watch 5', 'list 5', 'list -', 'watch 3']);
  });

  it('are given their whole time on a server that has never sent a bookmark', async () => {
    await using scene = await Scene.start({ lists: [list('5'), list('5')] });
    scene.watch.end();
    await scene.clock.advance(2_000); // a short watch: it is resumed after a wait
    await scene.clock.advance(479_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 5', 'watch 5']);
    await scene.clock.advance(480_000);
    await scene.clock.advance(5_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 5', 'watch 5', 'watch 5', 'list 5', 'watch 5']);
  });

  it('prove nothing when it is only one, however long it was', async () => {
    await using scene = await Scene.start({ random: () => 0.99 });
    scene.watch.end();
    await scene.clock.advance(2_000);
    await scene.clock.advance(628_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 1', 'watch 1', 'watch 1']);
  });

  it('begin with the first that is resumed: what comes directly after a list is given its whole time', async () => {
    await using scene = await resumed({ lists: [list('1'), list('5')] });
    await scene.clock.advance(2 * SILENCE + 5_000);
    expect(scene.server.summary.slice(3)).toEqual(['watch 5', 'list 5', 'watch 5']);
    const { length } = scene.server.requests;
    await scene.clock.advance(3 * SILENCE - 10_000);
    expect(scene.server.requests).toHaveLength(length);
    await scene.clock.advance(MINUTE);
    expect(scene.server.requests).toHaveLength(length + 1);
    // That one was resumed, and is the first of its row.
    await scene.clock.advance(480_000);
    expect(scene.server.summary.slice(length)).toEqual(['watch 5', 'watch 5']);
  });
});
