import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelServer, REQUEST_FAILURES } from './model-server-fixture.ts';
import { errorFrame, expired, Scene } from './scripted-fixture.ts';

type Event = (server: ModelServer, scene: Scene) => void | Promise<void>;

const name = fc.constantFrom('a', 'b', 'c', 'd');
const event: fc.Arbitrary<{ text: string; run: Event }> = fc
  .oneof(
    {
      weight: 6,
      arbitrary: name.map((key) => ({ text: `put ${key}`, run: (server: ModelServer) => server.put(key) })),
    },
    {
      weight: 3,
      arbitrary: name.map((key) => ({ text: `remove ${key}`, run: (server: ModelServer) => server.remove(key) })),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(0, 50, 900, 5_000, 40_000).map((ms) => ({
        text: `advance ${ms}`,
        run: (_: ModelServer, scene: Scene) => scene.clock.advance(ms),
      })),
    },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        { text: 'end', run: (server: ModelServer) => server.endWatches() },
        { text: 'break', run: (server: ModelServer) => server.breakWatches(new Error('reset')) },
        { text: '410', run: (server: ModelServer) => server.interruptWatches(errorFrame(expired().status)) },
        { text: '500', run: (server: ModelServer) => server.interruptWatches(errorFrame({ code: 500 })) },
        { text: 'compact', run: (server: ModelServer) => server.compact() },
        { text: 'bookmark', run: (server: ModelServer) => server.sendBookmarks() },
        { text: 'damage', run: (server: ModelServer) => void server.damaged++ },
        { text: 'double', run: (server: ModelServer) => void server.doubled++ },
        { text: 'forget bookmarks', run: (_: ModelServer, scene: Scene) => scene.clock.advance(160_000) },
      ),
    },
    {
      weight: 3,
      arbitrary: fc.nat(REQUEST_FAILURES.length - 1).map((index) => ({
        text: `fail ${index}`,
        run: (server: ModelServer) => {
          const failure = REQUEST_FAILURES[index];
          if (failure) server.failures.push(failure());
        },
      })),
    },
  )
  .map((one) => ({ ...one, toString: () => one.text }));

describe('whatever happens', () => {
  it('the target ends up equal to the server, in order, without a storm, and nothing is left behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 5, maxLength: 60, size: 'max' }),
        fc.boolean(),
        fc.constantFrom(undefined, 1, 2),
        fc.constantFrom(0, 0.5, 0.99),
        async (events, watchList, pageSize, luck) => {
          const server = new ModelServer(watchList);
          const times: number[] = [];
          const scene: Scene = new Scene({
            random: () => luck,
            around: () => ({
              supportsWatchList: watchList,
              list: (options) => {
                if (options.continue === undefined) times.push(scene.clock.now());
                return server.list(options);
              },
              watch: (options, context) => {
                times.push(scene.clock.now());
                return server.watch(options, context);
              },
            }),
            ...(pageSize !== undefined && { pageSize }),
          });
          await scene.start();
          for (const { run } of events) await run(server, scene);
          server.failures.length = 0;
          server.damaged = 0;
          for (let minute = 0; minute < 5; minute++) {
            await scene.clock.advance(60_000);
            server.sendBookmarks();
          }
          await scene.settle();

          expect(scene.target.content).toEqual(server.content);
          expect(scene.reflector.state.phase).toBe('watching');
          expect(scene.reflector.state).not.toHaveProperty('leftOut');
          expectOrder(scene.target.calls);
          for (const from of times)
            expect(times.filter((at) => at >= from && at < from + 2000).length).toBeLessThanOrEqual(5);
          await scene[Symbol.asyncDispose]();
        },
      ),
      { numRuns: 300 },
    );
  }, 60_000);
});

/** Versions of one object never go back, and every update or deletion follows its addition. */
function expectOrder(calls: readonly string[]): void {
  const last = new Map<string, number>();
  for (const call of calls) {
    const [verb = '', what = ''] = call.split(' ');
    if (verb !== 'add' && verb !== 'update' && verb !== 'delete') continue;
    const [key = '', version = ''] = what.split('@');
    expect(Number(version), call).toBeGreaterThanOrEqual(last.get(key) ?? 0);
    last.set(key, Number(version));
  }
}
