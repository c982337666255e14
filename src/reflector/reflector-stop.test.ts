import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { CachedFrames } from '../api/cached.ts';
import {
  added,
  apiError,
  brokenObject,
  expired,
  list,
  modified,
  never,
  type Pod,
  Scene,
  ScriptedWatch,
  systemError,
} from './scripted-fixture.ts';

describe('stopping', () => {
  it('before the start means that nothing is asked', async () => {
    const scene = new Scene();
    scene.stop();
    await scene.start();
    expect(scene.server.requests).toEqual([]);
    expect(scene.phases).toEqual(['stopped']);
  });

  it('while watching closes the watch and resolves run', async () => {
    const scene = await Scene.start();
    scene.watch.send(added('bar', '2'));
    await scene.settle();
    await scene[Symbol.asyncDispose]();
    expect(scene.watch.isClosed).toBe(true);
    expect(scene.phases).toEqual(['listing', 'watching', 'stopped']);
    expect(scene.reports).toEqual([]);
    expect(scene.log).toEqual([]);
  });

  it.each([
    ['a list that never settles', { lists: [never] }],
    ['a watch that never settles', { watches: [never] }],
    ['a WatchList that never settles', { watchList: true, watches: [never] }],
    ['a watch whose reader hangs', { watches: [() => hanging as unknown as ScriptedWatch] }],
    ['a wait', { lists: [apiError(500)] }],
    ['a wait for the pacer', { watches: [() => new ScriptedWatch(added('a', '2')).end()] }],
    ['a question to discovery that is never answered', { lists: [apiError(404)], confirmGone: never }],
    ['a wait for the type to come back', { lists: [apiError(404)], confirmGone: async () => true }],
  ])('is not held up by %s', async (_, script) => {
    const scene = await Scene.start(script);
    await scene[Symbol.asyncDispose]();
    expect(scene.reflector.state.phase).toBe('stopped');
    const { length } = scene.server.requests;
    await scene.clock.advance(600_000);
    expect(scene.server.requests).toHaveLength(length);
  });

  it('during a list means that its answer goes nowhere', async () => {
    let answer: () => void = () => {};
    const scene = await Scene.start({
      lists: [
        () =>
          new Promise((resolve) => {
            answer = () => resolve(list('5', ['a@5']));
          }),
      ],
    });
    await scene[Symbol.asyncDispose]();
    answer();
    await scene.clock.advance(60_000);
    expect(scene.target.calls).toEqual([]);
    expect(scene.server.requests).toHaveLength(1);
  });

  it('during a list means that its late failure goes nowhere', async () => {
    let fail: () => void = () => {};
    const scene = await Scene.start({
      lists: [
        () =>
          new Promise((_, reject) => {
            fail = () => reject(new Error('late'));
          }),
      ],
    });
    await scene[Symbol.asyncDispose]();
    fail();
    await scene.clock.advance(60_000);
    expect(scene.reports).toEqual([]);
    expect(scene.log).toEqual([]);
  });

  it('before the server accepts a watch means that it is closed when it does', async () => {
    let accept: () => void = () => {};
    const watch = new ScriptedWatch(added('a', '2'));
    const scene = await Scene.start({
      watches: [
        () =>
          new Promise((resolve) => {
            accept = () => resolve(watch);
          }),
      ],
    });
    await scene[Symbol.asyncDispose]();
    accept();
    await scene.clock.advance(1_000);
    expect(watch.isClosed).toBe(true);
    expect(scene.target.calls).toEqual(['replace 1: ']);
    expect(scene.phases.at(-1)).toBe('stopped');
  });

  it('finds no more listeners after many watches than after one', async () => {
    const signals: AbortSignal[] = [];
    await using scene = await Scene.start({
      watches: [() => new ScriptedWatch(added('a', '2')).end()],
      around: (server) => ({
        supportsWatchList: false,
        list: (options, context) => {
          signals.push(context.signal);
          return server.list(options, context);
        },
        watch: (options, context) => server.watch(options, context),
      }),
    });
    const [signal = new AbortController().signal] = signals;
    const before = getEventListeners(signal, 'abort').length;
    await scene.clock.advance(60_000);
    expect(scene.server.watches.length).toBeGreaterThan(50);
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(before);
  });

  it('in the middle of a batch keeps the rest of it from the target', async () => {
    const scene = await Scene.start();
    scene.target.onCall = (call) => {
      if (call === 'update a@3') scene.stop();
    };
    scene.watch.send(added('a', '2'), modified('a', '3'), modified('a', '4'));
    await scene.settle();
    expect(scene.target.calls).toEqual(['replace 1: ', 'add a@2', 'update a@3']);
    expect(scene.reflector.state.phase).toBe('stopped');
    await scene[Symbol.asyncDispose]();
  });

  it('from the handler keeps further reports from it', async () => {
    let told = 0;
    const scene: Scene = new Scene({
      lists: [list('1', [], { broken: [brokenObject('a'), brokenObject('b')] })],
      watchErrorHandler: () => {
        told++;
        scene.stop();
      },
    });
    await scene.start();
    await scene.clock.advance(60_000);
    expect(told).toBe(1);
    await scene[Symbol.asyncDispose]();
  });

  it('from the target while it is filled ends it there', async () => {
    const scene = new Scene();
    scene.target.onCall = () => scene.stop();
    await scene.start();
    expect(scene.server.summary).toEqual(['list 0']);
    expect(scene.phases.at(-1)).toBe('stopped');
    await scene[Symbol.asyncDispose]();
  });

  it('twice, and running twice, changes nothing', async () => {
    const scene = await Scene.start();
    const again = scene.reflector.run({ signal: new AbortController().signal });
    expect(scene.log).toEqual(['pods: run was called a second time; it changes nothing.']);
    await scene.settle();
    expect(scene.server.requests).toHaveLength(2);
    scene.stop();
    scene.stop();
    await again;
    await scene[Symbol.asyncDispose]();
  });
});

describe('a handler', () => {
  it('that throws or rejects changes nothing', async () => {
    const failures = [
      () => {
        throw new Error('the handler is broken');
      },
      async () => {
        throw new Error('so is this one');
      },
    ];
    for (const watchErrorHandler of failures) {
      await using scene = await Scene.start({
        lists: [systemError('ECONNREFUSED'), list('5', ['a@5'])],
        watchErrorHandler,
      });
      await scene.clock.advance(5_000);
      expect(scene.target.content).toEqual({ a: '5' });
      expect(scene.log).toEqual([
        'pods: the watch error handler itself failed; further failures of it are not reported.',
      ]);
    }
  });

  it('of states that throws changes nothing', async () => {
    await using scene = await Scene.start({
      onState: () => {
        throw new Error('broken');
      },
      lists: [list('5', ['a@5'])],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(5_000);
    expect(scene.reflector.state.phase).toBe('watching');
  });
});

const hanging: CachedFrames<Pod> = {
  [Symbol.asyncIterator]: () => ({ next: never, return: never }),
};
