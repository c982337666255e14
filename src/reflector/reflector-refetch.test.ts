import { expect, it } from 'vitest';
import type { CachedList } from '../api/cached.ts';
import { errorFrame, expired, list, type Pod, pod, RecordingTarget, Scene } from './scripted-fixture.ts';

it('an object that was fetched again is not handed over while a whole state is on its way', async () => {
  let answer = () => {};
  let asked = 0;
  const target = new RecordingTarget();
  await using scene = await Scene.start({
    target,
    lists: [list('5', ['a@5']), list('6', ['a@5'])],
    around: (server) => ({
      supportsWatchList: false,
      list: (options, context) => server.list(options, context),
      watch: (options, context) => server.watch(options, context),
      listOne: () => {
        asked++;
        return new Promise<CachedList<Pod>>((resolve) => {
          answer = () => resolve(list('5', ['a@5']));
        });
      },
    }),
  });
  scene.reflector.refetch(pod('a', '5'), new Error('half of it is missing'));
  await scene.settle();
  expect(asked).toBe(1);
  scene.watch.send(errorFrame(expired().status));
  await scene.settle();
  expect(scene.reflector.state.phase).toBe('backoff');
  answer();
  await scene.settle();
  expect(target.calls).toEqual(['replace 5: a']);
  await scene.clock.advance(5_000);
  expect(target.calls).toEqual(['replace 5: a', 'replace 6: a', 'repair a']);
});
