import { ApiError } from '../api/api-error.ts';
import { addBroken, type BrokenObject, type Cached, type CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { PageGuard } from '../api/page-guard.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import { interruptible } from '../observe/interruption.ts';
import { failureKind } from './failure.ts';
import type { FrameStream } from './frame-stream.ts';
import { asError, ReflectorError } from './reflector-error.ts';
import type { Session } from './session.ts';

/** Everything that exists, as of one version, from LIST or WatchList. */
export interface WholeState<T extends KubernetesObject> {
  readonly items: readonly Cached<T>[];
  readonly broken: readonly BrokenObject[];
  readonly resourceVersion: string;
  /** How it came, for the log. */
  readonly how: string;
  /** The watch that goes on from there, when it came by one. */
  readonly stream?: FrameStream<T>;
  /** The id of that WatchList. */
  readonly list?: number;
}

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
  const { settings, position, pacer, signal, trace } = session;
  session.debug(`listing from ${resourceVersion || 'the present state'}`);
  const call = trace.begin();
  const limit = pageLimit({ pageSize: settings.pageSize, resourceVersion, isPaginated: position.isPaginated });
  const fetchPage = async (options: ListOptions, isFurther: boolean) => {
    if (!isFurther) await pacer.admit(signal);
    const page = await interruptible(() => settings.listerWatcher.list(options, trace.contextOf(call, signal)), signal);
    session.state.contact();
    return page;
  };
  let list: PagedList<T>;
  try {
    list = await listPages<T>(fetchPage, {
      ...(resourceVersion !== '' && { resourceVersion }),
      ...(limit > 0 && { limit }),
    });
    refuseOlder(resourceVersion, list.resourceVersion);
  } catch (error) {
    if (!signal.aborted) trace.list(call, { how: 'list', failure: failureKind(error) });
    throw error;
  }
  if (resourceVersion === '0' && list.isPaginated) position.markPaginated();
  const { items, broken, pages } = list;
  trace.list(call, { how: 'list', items: items.length, resourceVersion: list.resourceVersion });
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

/** client-go's `defaultPageSize`. */
const DEFAULT_PAGE_SIZE = 500;

export interface PagedList<T extends KubernetesObject> {
  readonly items: readonly Cached<T>[];
  readonly broken: readonly BrokenObject[];
  /** Of the first page: the state that all pages show. */
  readonly resourceVersion: string;
  readonly pages: number;
  /** Whether the server parted the list. */
  readonly isPaginated: boolean;
}

/** Fetches one page. `isFurther` is set on those that only continue a list. */
export type PageCall<T extends KubernetesObject> = (options: ListOptions, isFurther: boolean) => Promise<CachedList<T>>;

/**
 * Lists page by page. When the server has forgotten the state that the first page showed before the last page is
 * fetched, everything is listed at once instead, from the version that was asked for. client-go's `ListPager.List`. Rejects when the
 * pages have no end.
 */
export async function listPages<T extends KubernetesObject>(
  page: PageCall<T>,
  options: ListOptions,
): Promise<PagedList<T>> {
  const { resourceVersion: _, resourceVersionMatch: __, ...further } = options;
  const items: Cached<T>[] = [];
  const broken: BrokenObject[] = [];
  let resourceVersion = '';
  let token = '';
  const guard = new PageGuard();
  for (let pages = 1; ; pages++) {
    let list: CachedList<T>;
    try {
      list = await page(token === '' ? options : { ...further, continue: token }, token !== '');
    } catch (error) {
      if (token === '' || !(error instanceof ApiError && error.isExpired)) throw error;
      const { limit: ___, ...unlimited } = options;
      return whole(await page(unlimited, false), pages + 1);
    }
    const next = list.metadata.continue ?? '';
    if (token === '') {
      if (next === '') return whole(list, 1);
      resourceVersion = list.metadata.resourceVersion ?? '';
    }
    // Not push(...all): a page may hold more items than a call takes arguments.
    for (const item of list.items) items.push(item);
    for (const item of list.broken) addBroken(broken, item);
    if (next === '') return { items, broken, resourceVersion, pages, isPaginated: true };
    guard.check(next, list.items.length, (index) => `${list.items[index]?.key} ${list.items[index]?.uid}`);
    token = next;
  }
}

function whole<T extends KubernetesObject>(list: CachedList<T>, pages: number): PagedList<T> {
  const { items, broken, metadata } = list;
  return { items, broken, resourceVersion: metadata.resourceVersion ?? '', pages, isPaginated: pages > 1 };
}

export interface PageSizeContext {
  /** What the user has set. */
  pageSize: number | undefined;
  resourceVersion: string;
  /** The list at "0" came in pages. */
  isPaginated: boolean;
}

/**
 * The limit of each page; 0 for none. Without limit, a list "not older than" some version can be answered from the
 * server's cache; with one it is read from etcd, so there is none unless the server has no cache anyway.
 */
export function pageLimit({ pageSize, resourceVersion, isPaginated }: PageSizeContext): number {
  if (pageSize !== undefined && pageSize > 0) return pageSize;
  if (isPaginated || resourceVersion === '' || resourceVersion === '0') return DEFAULT_PAGE_SIZE;
  return 0;
}
