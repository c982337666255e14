import { ApiError } from '../api/api-error.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { messageOf } from '../observe/guarded.ts';
import { interruptible } from '../observe/interruption.ts';
import { failureKind } from './failure.ts';
import type { FrameStream } from './frame-stream.ts';
import { refuseOlder, type WholeState } from './list-cycle.ts';
import type { SavedState } from './saved-state.ts';
import type { Session } from './session.ts';
import { openWatch } from './watch-cycle.ts';

/**
 * Begins with a saved state in place of a list: nothing of it is shown before a server has accepted the watch that goes on from its
 * version, and has confirmed that it knows that version. Undefined when there is no such state: a list is needed. Throws, as a list
 * does, when the server cannot be asked.
 *
 * The pacer has one request at a time for each of many namespaces, and this needs two: on the first try, the second does not wait.
 */
export async function restoreCycle<T extends KubernetesObject>(
  session: Session<T>,
  saved: SavedState<T>,
  isFirstTry: boolean,
): Promise<WholeState<T> | undefined> {
  const { signal } = session;
  const found = await interruptible(() => saved.find(signal), signal);
  if (found === undefined) return undefined;
  const { resourceVersion } = found;
  session.debug(`going on from ${resourceVersion}, which was saved`);
  let stream: FrameStream<T> | undefined;
  let isConfirmed = false;
  try {
    stream = await openWatch(session, false, session.trace.begin(), resourceVersion);
    await confirm(session, stream, resourceVersion, isFirstTry);
    isConfirmed = true;
    const items = await interruptible(() => found.read(), signal);
    return { items, broken: [], resourceVersion, how: `${items.length} objects restored`, stream };
  } catch (error) {
    stream?.close();
    signal.throwIfAborted();
    const kind = failureKind(error);
    if (!isConfirmed && kind !== 'expired' && kind !== 'tooLarge' && kind !== 'olderList') throw error;
    found.discard(messageOf(error));
    return undefined;
  }
}

/**
 * A server that was restored from a backup accepts a watch from a version that it has not reached, and says nothing. One that knows the
 * version sends what came after it, or answers a list of one object that is not older.
 */
async function confirm<T extends KubernetesObject>(
  { settings, pacer, signal }: Session<T>,
  stream: FrameStream<T>,
  resourceVersion: string,
  isFirstTry: boolean,
): Promise<void> {
  const answered = async () => {
    if (!isFirstTry) await pacer.admit(signal);
    const options = { resourceVersion, resourceVersionMatch: 'NotOlderThan', limit: 1 } as const;
    const { metadata } = await interruptible(() => settings.listerWatcher.list(options, { signal }), signal);
    refuseOlder(resourceVersion, metadata.resourceVersion ?? '');
  };
  const sent = async () => {
    const [first] = (await stream.peek()).value ?? [];
    if (first?.type === 'ERROR') throw new ApiError(first.status);
    // A watch that ended at once has confirmed nothing.
    if (first === undefined) await answer;
  };
  const answer = answered();
  await Promise.race([answer, sent()]);
}
