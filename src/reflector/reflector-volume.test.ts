import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { SLICE_MS } from '../observe/scheduler.ts';
import {
  added,
  initialEventsEnd,
  list,
  modified,
  type Pod,
  RecordingTarget,
  Scene,
  type Script,
  ScriptedWatch,
} from './scripted-fixture.ts';

/** How long one object takes. */
const OBJECT_MS = 1 / 64;
/** How many turns it takes at least to hand over the objects, when each slice ends in time. */
const turnsFor = (count: number) => Math.floor((count * OBJECT_MS) / (SLICE_MS + OBJECT_MS));
const names = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

/** Counts the turns of the event loop between the first and the last object that is handed over. */
async function turnsOfHandover(scene: Scene, count: number): Promise<number> {
  let turns = 0;
  let first: number | undefined;
  let last = 0;
  const prepare = scene.target.prepare.bind(scene.target);
  scene.target.prepare = (object) => {
    first ??= turns;
    last = turns;
    scene.clock.spend(OBJECT_MS);
    return prepare(object);
  };
  const started = scene.start();
  while (scene.target.objects.size < count) {
    turns++;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await started;
  return last - (first ?? last);
}

describe('many objects', () => {
  it('are taken from a list in slices, 150,000 of them in one page', async () => {
    await using scene = new Scene({
      lists: [
        list(
          '9',
          names(150_000).map((name) => `${name}@1`),
        ),
      ],
    });
    expect(await turnsOfHandover(scene, 150_000)).toBeGreaterThanOrEqual(turnsFor(150_000));
  });

  it('are taken from a WatchList in slices', async () => {
    const stream = new ScriptedWatch()
      .sendBatch(names(50_000).map((name) => added(name, '1')))
      .send(initialEventsEnd('2'));
    await using scene = new Scene({ watchList: true, watches: [() => stream] });
    expect(await turnsOfHandover(scene, 50_000)).toBeGreaterThanOrEqual(turnsFor(50_000));
  });

  it('are taken from one batch of a watch in slices', async () => {
    const stream = new ScriptedWatch().sendBatch(names(50_000).map((name) => added(name, '1')));
    await using scene = new Scene({ watches: [() => stream] });
    expect(await turnsOfHandover(scene, 50_000)).toBeGreaterThanOrEqual(turnsFor(50_000));
  });

  const stream = () => new ScriptedWatch(added('a', '1'), added('b', '2'), initialEventsEnd('2'));
  it.each<[string, Script]>([
    ['LIST', { lists: [list('2', ['a@1', 'b@2'])], watches: [() => new ScriptedWatch(modified('a', '3'))] }],
    ['WatchList', { watchList: true, watches: [() => stream().send(modified('a', '3'))] }],
  ])('of a %s, and what is watched after it, are prepared once each', async (_, script) => {
    const prepared: string[] = [];
    await using scene = new Scene(script);
    const prepare = scene.target.prepare.bind(scene.target);
    scene.target.prepare = (object) => {
      prepared.push(`${object.key}@${object.resourceVersion}`);
      return prepare(object);
    };
    await scene.start();
    expect(scene.target.calls).toEqual(['replace 2: a b', 'update a@3']);
    expect(prepared).toEqual(['a@1', 'b@2', 'a@3']);
  });

  it.each([
    ['LIST', {}],
    ['WatchList', { watchList: true, watches: [() => new ScriptedWatch(initialEventsEnd('1'), added('a', '2'))] }],
  ])('of a %s are followed by no event before the target has room for it', async (_, script) => {
    let makeRoom = () => {};
    class FullTarget extends RecordingTarget {
      override replace(objects: readonly Cached<Pod>[], resourceVersion: string): Promise<void> {
        void super.replace(objects, resourceVersion);
        return new Promise((resolve) => {
          makeRoom = resolve;
        });
      }
    }
    const target = new FullTarget();
    const watches = [() => new ScriptedWatch(added('a', '2'))];
    await using scene = await Scene.start({ watches, ...script, target });
    await scene.clock.advance(10_000);
    expect(target.calls).toEqual(['replace 1: ']);
    makeRoom();
    await scene.settle();
    expect(target.calls).toEqual(['replace 1: ', 'add a@2']);
  });
});
