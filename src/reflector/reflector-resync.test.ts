import { describe, expect, it } from 'vitest';
import { apiError, list, never, Scene, systemError } from './scripted-fixture.ts';

const resyncs = (scene: Scene) => scene.target.calls.filter((call) => call === 'resync').length;

describe('resync', () => {
  it('comes once in each period after the first list, and makes no request', async () => {
    await using scene = await Scene.start({ resyncMs: 5_000 });
    await scene.clock.advance(4_999);
    expect(resyncs(scene)).toBe(0);
    await scene.clock.advance(1);
    expect(resyncs(scene)).toBe(1);
    await scene.clock.advance(50_000);
    expect(resyncs(scene)).toBe(11);
    expect(scene.server.requests).toHaveLength(2);
  });

  it.each([undefined, 0])('never comes with a period of %j', async (resyncMs) => {
    await using scene = await Scene.start(resyncMs === undefined ? {} : { resyncMs });
    await scene.clock.advance(100_000);
    expect(resyncs(scene)).toBe(0);
  });

  it('comes every second at most', async () => {
    await using scene = await Scene.start({ resyncMs: 1 });
    await scene.clock.advance(10_000);
    expect(resyncs(scene)).toBe(10);
  });

  it('asks whether it should', async () => {
    let isWanted = false;
    await using scene = await Scene.start({ resyncMs: 1_000, shouldResync: () => isWanted });
    await scene.clock.advance(3_000);
    expect(resyncs(scene)).toBe(0);
    isWanted = true;
    await scene.clock.advance(3_000);
    expect(resyncs(scene)).toBe(3);
  });

  it('waits for the first list', async () => {
    await using scene = await Scene.start({ resyncMs: 1_000, lists: [apiError(500), list('1')] });
    await scene.clock.advance(1_100);
    expect(scene.target.calls).toEqual([]);
    await scene.clock.advance(2_000);
    expect(scene.target.calls).toEqual(['replace 1: ', 'resync']);
  });

  it('goes on while the server is away', async () => {
    await using scene = await Scene.start({ resyncMs: 1_000, watches: [systemError('ECONNREFUSED')] });
    await scene.clock.advance(60_000);
    expect(resyncs(scene)).toBe(60);
  });

  it('that fails is reported, and goes on', async () => {
    const scene = new Scene({ resyncMs: 1_000 });
    scene.target.onCall = (call) => {
      if (call === 'resync' && resyncs(scene) === 2) throw new Error('full');
    };
    await scene.start();
    await scene.clock.advance(4_000);
    expect(scene.reports).toMatchObject([{ error: { message: 'resync failed: full' }, retryInMs: 1_000 }]);
    expect(resyncs(scene)).toBe(4);
    expect(scene.server.requests).toHaveLength(2);
    await scene[Symbol.asyncDispose]();
  });

  it('does not come after a stop', async () => {
    const scene = await Scene.start({ resyncMs: 1_000, watches: [never] });
    await scene[Symbol.asyncDispose]();
    await scene.clock.advance(10_000);
    expect(resyncs(scene)).toBe(0);
  });
});
