import { describe, expect, it } from 'vitest';
import { apiError, expired, list, Scene, ScriptedWatch } from './scripted-fixture.ts';

const MINUTE = 60_000;
const quiet = () => new ScriptedWatch();

describe('403', () => {
  it('is a phase of its own until a list succeeds', async () => {
    await using scene = await Scene.start({ lists: [apiError(403), apiError(403), list('5', ['a@5'])] });
    expect(scene.reflector.state).toMatchObject({ phase: 'forbidden', lastError: { code: 403 } });
    expect(scene.reflector.state.nextAttempt).toBe(scene.clock.now() + 1200);
    await scene.clock.advance(1_300);
    expect(scene.reflector.state.phase).toBe('forbidden');
    await scene.clock.advance(MINUTE);
    expect(scene.reflector.state).toEqual({
      phase: 'watching',
      since: expect.any(Number),
      lastContact: expect.any(Number),
    });
    expect(new Set(scene.phases)).toEqual(new Set(['listing', 'forbidden', 'watching']));
  });

  it('on the watch alone keeps the target fresh by lists', async () => {
    await using scene = await Scene.start({
      lists: [list('5', ['a@5']), list('6', ['a@6'])],
      watches: [apiError(403)],
    });
    await scene.clock.advance(2_000);
    expect(scene.target.content).toEqual({ a: '6' });
    expect(scene.reflector.state.phase).toBe('forbidden');
  });

  it('comes back as it went, when the permission is withdrawn while watching', async () => {
    await using scene = await Scene.start({
      lists: [list('5', ['a@5'])],
      watches: [quiet, apiError(403), apiError(403), quiet],
    });
    await scene.clock.advance(MINUTE);
    scene.watch.end();
    await scene.settle();
    expect(scene.reflector.state.phase).toBe('forbidden');
    expect(scene.target.content).toEqual({ a: '5' });
    await scene.clock.advance(MINUTE);
    expect(scene.reflector.state.phase).toBe('watching');
  });
});

describe('404', () => {
  it('is waited out like any failure when nobody can confirm it, and empties nothing', async () => {
    await using scene = await Scene.start({
      lists: [list('5', ['a@5']), apiError(404), list('7')],
      watches: [apiError(404), quiet],
    });
    expect(scene.reflector.state.phase).toBe('gone');
    await scene.clock.advance(2_000);
    expect(scene.target.content).toEqual({ a: '5' });
    await scene.clock.advance(MINUTE);
    expect(scene.reflector.state.phase).toBe('watching');
  });

  it('leads to no list while discovery confirms that the type is not there, and to one when it is', async () => {
    let isAbsent = true;
    let asked = 0;
    await using scene = await Scene.start({
      lists: [apiError(404), list('5', ['a@5'])],
      confirmGone: async () => {
        asked++;
        return isAbsent;
      },
    });
    expect(scene.reports).toMatchObject([{ phase: 'listing', error: { code: 404 } }]);
    await scene.clock.advance(10 * MINUTE);
    expect(scene.server.requests).toHaveLength(1);
    expect(scene.reflector.state).toMatchObject({ phase: 'gone', nextAttempt: expect.any(Number) });
    expect(asked).toBe(1 + Math.floor((10 * MINUTE) / 5250));
    isAbsent = false;
    await scene.clock.advance(5_500);
    expect(scene.server.summary).toEqual(['list 0', 'list 0', 'watch 5']);
    expect(scene.reflector.state).toEqual({
      phase: 'watching',
      since: expect.any(Number),
      lastContact: expect.any(Number),
    });
    expect(scene.reports).toHaveLength(1);
  });

  it('does not make a target synced that never was', async () => {
    await using scene = await Scene.start({ lists: [apiError(404)], confirmGone: async () => true });
    await scene.clock.advance(MINUTE);
    expect(scene.target.calls).toEqual([]);
  });

  it('empties the target only when discovery confirms it, and starts from scratch when the type is back', async () => {
    let answers: (boolean | Error)[] = [new Error('discovery is down'), false, true];
    await using scene = await Scene.start({
      lists: [list('5', ['a@5']), apiError(404), apiError(404), list('1', ['b@1'])],
      watches: [apiError(404), quiet],
      confirmGone: async () => {
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        if (answer instanceof Error) throw answer;
        return answer ?? false;
      },
    });
    expect(scene.target.calls).toEqual(['replace 5: a']);
    await scene.clock.advance(2_000);
    expect(scene.target.calls).toEqual(['replace 5: a']);
    await scene.clock.advance(MINUTE);
    expect(scene.target.calls).toEqual(['replace 5: a', 'replace : ']);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('');
    answers = [false];
    await scene.clock.advance(10_000);
    expect(scene.server.summary.slice(-2)).toEqual(['list 0', 'watch 1']);
    expect(scene.target.content).toEqual({ b: '1' });
  });

  it('is found again each time the type goes', async () => {
    let isAbsent = false;
    await using scene = await Scene.start({
      lists: [list('5', ['a@5']), list('9', ['a@9']), list('12', ['a@12'])],
      watches: [quiet, apiError(404), quiet, apiError(404), quiet],
      confirmGone: async () => isAbsent,
    });
    for (const version of ['5', '9']) {
      expect(scene.target.content).toEqual({ a: version });
      isAbsent = true;
      scene.watch.end();
      await scene.clock.advance(MINUTE);
      expect(scene.target.content).toEqual({});
      isAbsent = false;
      await scene.clock.advance(MINUTE);
    }
    expect(scene.target.content).toEqual({ a: '12' });
  });

  it('asks the server itself when discovery stays without an answer', async () => {
    let asked = 0;
    await using scene = await Scene.start({
      lists: [apiError(404), list('5')],
      confirmGone: async () => {
        if (asked++ === 0) return true;
        throw new Error('forbidden');
      },
    });
    await scene.clock.advance(2 * MINUTE);
    expect(scene.reflector.state.phase).toBe('watching');
  });

  it('ends a WatchList without a list', async () => {
    await using scene = await Scene.start({ watchList: true, watches: [apiError(404)], confirmGone: async () => true });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['watchList -']);
    expect(scene.reflector.state.phase).toBe('gone');
  });
});

describe('the state', () => {
  it('is idle before the run', () => {
    const scene = new Scene();
    expect(scene.reflector.state).toEqual({ phase: 'idle', since: scene.clock.now() });
  });

  it('keeps the time at which its phase began', async () => {
    await using scene = await Scene.start({
      lists: [apiError(500), apiError(500), list('1')],
      watches: [expired(), quiet],
    });
    const began = scene.clock.now();
    await scene.clock.advance(1_200);
    await scene.clock.advance(1_000);
    expect(scene.reflector.state.phase).toBe('backoff');
    expect(scene.reflector.state.since).toBe(began + 1_200);
  });
});
