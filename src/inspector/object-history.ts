import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import type { Change } from './change-book.ts';
import { objectDifference } from './object-difference.ts';
import type { ObjectAnswer, ObjectChange, TimedStep } from './protocol.ts';
import type { Recorder } from './recorder.ts';
import type { KindOf, Redaction } from './redaction.ts';

export interface ObjectSources {
  recorder: Recorder;
  redaction: Redaction;
  clock: Clock;
}

/** One object as the page may see it, with what has happened to it since the first page was opened. */
export async function objectAnswer(
  informer: SharedIndexInformer<KubernetesObject>,
  key: string,
  { recorder, redaction, clock }: ObjectSources,
): Promise<ObjectAnswer> {
  const { resource } = informer;
  const object = informer.table.get(key);
  // Whatever comes while this gives way to others is for the next answer.
  const changes = [...recorder.look(informer.id, key).changes];
  const slice = new TimeSlice(clock);
  for (const [change, after] of statesOf(changes, object)) {
    change.difference ??= difference(change, after, (state) => visible(state, resource, redaction));
    if (slice.isDue()) await slice.pause();
  }
  for (const change of changes) if (change.difference !== undefined) change.before = undefined;
  return {
    key,
    ...(object !== undefined && { object: visible(object, resource, redaction) }),
    isPartial: !redaction.showsAll(resource),
    changes: changes.map((change) => shown(change, recorder.timeOf(change.storedMs))),
  };
}

/** Each change with the state after it: that before the next one, or the present one. Undefined where that is not held any more. */
function statesOf(changes: readonly Change[], present: Cached | undefined): [Change, Cached | undefined][] {
  return changes.map((change, at) => {
    const next = changes[at + 1];
    const after = next === undefined ? present : next.before;
    return [change, after?.resourceVersion === change.version ? after : undefined];
  });
}

/** Undefined when a state is not held any more. */
function difference(
  { type, before }: Change,
  after: Cached | undefined,
  visibleOf: (state: Cached) => object,
): Change['difference'] {
  // Of what has come or gone whole there is nothing to compare.
  if (type !== 'update') return { changes: [], more: 0 };
  if (before === undefined || after === undefined) return undefined;
  return objectDifference(visibleOf(before), visibleOf(after));
}

function shown(change: Change, atMs: number): ObjectChange {
  const { seq, type, version, storedMs, arrivedMs, difference: differs, calls, runs } = change;
  const originMs = arrivedMs ?? storedMs;
  const since = ({ startMs, endMs, ...step }: TimedStep): TimedStep => ({
    ...step,
    startMs: startMs - originMs,
    endMs: endMs - originMs,
  });
  return {
    seq,
    atMs,
    type,
    version,
    ...(differs !== undefined && { differences: differs.changes }),
    more: differs?.more ?? 0,
    ...(arrivedMs !== undefined && { storedAfterMs: storedMs - arrivedMs }),
    handlers: calls.map(since),
    runs: runs.map(since),
  };
}

/** Damaged bytes are shown as what is wrong with them. */
function visible(object: Cached, kind: KindOf | undefined, redaction: Redaction): Record<string, unknown> {
  try {
    return redaction.visible(object.view(), kind);
  } catch (error) {
    return { metadata: { name: object.name, namespace: object.namespace }, unreadable: messageOf(error) };
  }
}
