import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import { messageOf } from '../observe/guarded.ts';
import type { Change } from './change-book.ts';
import { objectDifference } from './object-difference.ts';
import type { ObjectAnswer, ObjectChange, TimedStep } from './protocol.ts';
import type { Recorder } from './recorder.ts';
import type { KindOf, Redaction } from './redaction.ts';

export interface ObjectSources {
  recorder: Recorder;
  redaction: Redaction;
}

/** One object as the page may see it, with what has happened to it since the first page was opened. */
export function objectAnswer(
  informer: SharedIndexInformer<KubernetesObject>,
  key: string,
  { recorder, redaction }: ObjectSources,
): ObjectAnswer {
  const { resource } = informer;
  const object = informer.table.get(key);
  return {
    key,
    ...(object !== undefined && { object: visible(object, resource, redaction) }),
    isPartial: !redaction.showsAll(resource),
    changes: recorder.changes.of(informer.id, key).map((change) => changeOf(change, resource, { recorder, redaction })),
  };
}

function changeOf(change: Change, kind: KindOf | undefined, { recorder, redaction }: ObjectSources): ObjectChange {
  const { seq, type, version, storedMs, atMs, object, old } = change;
  const before = old === undefined ? undefined : visible(old, kind, redaction);
  const after = object === undefined || type === 'delete' ? undefined : visible(object, kind, redaction);
  // Of what has come or gone whole there is nothing to compare.
  const compared = type === 'update' && before !== undefined && after !== undefined;
  const { changes, more } = compared ? objectDifference(before, after) : { changes: [], more: 0 };
  const arrivedMs = recorder.arrivedMs(change);
  const originMs = arrivedMs ?? storedMs;
  const step = (name: string, startMs: number, endMs: number, failed: boolean): TimedStep => ({
    name,
    startMs: startMs - originMs,
    endMs: endMs - originMs,
    failed,
  });
  return {
    seq,
    atMs,
    type,
    version,
    differences: changes,
    more,
    ...(arrivedMs !== undefined && { storedAfterMs: storedMs - arrivedMs }),
    handlers: recorder
      .callsFor(change)
      .map(({ handler, startMs, atMs: endMs, failed }) => step(handler, startMs, endMs, failed)),
    runs: recorder
      .runsFor(change)
      .map(({ controller, startMs, atMs: endMs, result }) => step(controller, startMs, endMs, result === 'error')),
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
