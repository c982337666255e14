import { ApiError } from '../api/api-error.ts';
import { addBroken } from '../api/broken-objects.ts';
import type { BrokenObject, Cached, CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';

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
 * fetched, everything is listed at once instead, from the version that was asked for. client-go's `ListPager.List`.
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
    if (next === token)
      throw new TidewatchError(
        'protocol',
        `the server answered page ${pages} of a list with the same continue token again`,
      );
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
