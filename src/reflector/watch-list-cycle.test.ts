import { expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { resolveOptions } from './reflector-options.ts';
import {
  brokenFrame,
  initialEventsEnd,
  type Pod,
  RecordingTarget,
  ScriptedListerWatcher,
  ScriptedWatch,
} from './scripted-fixture.ts';
import { Session } from './session.ts';
import { watchListCycle } from './watch-list-cycle.ts';

it.each([
  ['with keys', (i: number) => brokenFrame(`p${i}`)],
  ['without', () => brokenFrame()],
])('a WatchList keeps an error for each of the first hundred unusable objects alone: %s', async (_, frame) => {
  const clock = new FakeClock();
  const stream = new ScriptedWatch(...Array.from({ length: 400 }, (_unused, i) => frame(i)), initialEventsEnd('10'));
  const listerWatcher = new ScriptedListerWatcher(clock, { watchList: true, watches: [stream] });
  const stop = new AbortController();
  const settings = resolveOptions<Pod>({ listerWatcher, target: new RecordingTarget(), name: 'pods', clock });
  const session = new Session(settings);
  session.signal = stop.signal;
  const { broken } = await watchListCycle(session);
  expect(broken).toHaveLength(400);
  expect(new Set(broken.map(({ problem }) => problem)).size).toBe(101);
  stop.abort();
  expect(clock.pendingTimers).toBe(0);
});
