import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import { failureKind } from './failure.ts';
import type { FrameStream } from './frame-stream.ts';
import { interruptible } from './interruption.ts';
import { listPages, pageLimit } from './pager.ts';
import { asError, ReflectorError } from './reflector-error.ts';
import type { Session } from './session.ts';
import type { WholeState } from './whole-state.ts';

/**
 * Fetches the whole state with LIST: at "0" first and not older than the last version seen afterwards. When the server
 * has that version no more, or not yet, asks once more at once for the present state.
 */
export async function listCycle<T extends KubernetesObject>(session: Session<T>): Promise<WholeState<T>> {
  const { position, pacer, signal } = session;
  const from = position.listFrom;
  try {
    return await listFrom(session, from);
  } catch (error) {
    signal.throwIfAborted();
    const kind = failureKind(error);
    if (kind !== 'expired' && kind !== 'tooLarge' && kind !== 'olderList') throw error;
    position.markUnavailable();
    if (from === '') throw error;
    session.report(asError(error), 'listing', pacer.waitMs());
    return await listFrom(session, '');
  }
}

async function listFrom<T extends KubernetesObject>(
  session: Session<T>,
  resourceVersion: string,
): Promise<WholeState<T>> {
  const { settings, position, pacer, signal } = session;
  session.debug(`listing from ${resourceVersion || 'the present state'}`);
  const limit = pageLimit({ pageSize: settings.pageSize, resourceVersion, isPaginated: position.isPaginated });
  const fetchPage = async (options: ListOptions, isFurther: boolean) => {
    if (!isFurther) await pacer.admit(signal);
    const page = await interruptible(() => settings.listerWatcher.list(options, { signal }), signal);
    session.state.contact();
    return page;
  };
  const list = await listPages<T>(fetchPage, {
    ...(resourceVersion !== '' && { resourceVersion }),
    ...(limit > 0 && { limit }),
  });
  refuseOlder(resourceVersion, list.resourceVersion);
  if (resourceVersion === '0' && list.isPaginated) position.markPaginated();
  const { items, broken, pages } = list;
  const how = `${items.length} objects listed in ${pages} ${pages === 1 ? 'page' : 'pages'}`;
  return { items, broken, resourceVersion: list.resourceVersion, how };
}

/** A server that lags behind the one before it must not take us back in time, though it was told not to. */
export function refuseOlder(asked: string, got: string): void {
  const order = asked === '' ? undefined : compareResourceVersions(got, asked);
  if (order !== undefined && order < 0) {
    throw new ReflectorError(
      'olderList',
      `asked for a state not older than ${asked}, the server gave one of ${got}: it lags behind, or lost data`,
    );
  }
}
