import { ApiError } from '../api/api-error.ts';
import { objectKey } from '../api/key.ts';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import { PageGuard } from '../api/page-guard.ts';
import type { ListCallOptions } from './client-options.ts';

/** client-go's page size. */
const PAGE_SIZE = 500;

type ListPage<T> = (options: ListCallOptions) => Promise<KubernetesList<T>>;

/**
 * Pages as the server gives them. When the snapshot expires after the first page (410), everything is asked for once
 * more, in one piece and at the resourceVersion of the first request, as client-go's pager does; of that last page only
 * the objects are handed out that were not in a page before. Throws when the pages have no end.
 */
export async function* listPages<T extends KubernetesObject>(
  list: ListPage<T>,
  options: ListCallOptions,
): AsyncGenerator<KubernetesList<T>, void, undefined> {
  const seen = new Set<string>();
  for await (const page of pagesUntilExpired(list, options)) {
    if (page === 'expired') {
      const rest = await list(wholeList(options));
      yield { ...rest, items: rest.items.filter((item) => !seen.has(identity(item))) };
    } else {
      if (page.metadata?.continue || seen.size > 0) for (const item of page.items) seen.add(identity(item));
      yield page;
    }
  }
}

/** One list made of pages: one snapshot, also after a 410, when only the list that was asked for last counts. */
export async function listAll<T extends KubernetesObject>(
  list: ListPage<T>,
  options: ListCallOptions,
): Promise<KubernetesList<T>> {
  let whole: KubernetesList<T> | undefined;
  for await (const page of pagesUntilExpired(list, options)) {
    if (page === 'expired') return list(wholeList(options));
    if (whole === undefined) whole = page;
    else for (const item of page.items) whole.items.push(item);
  }
  if (whole === undefined) return { items: [] };
  const { continue: _, remainingItemCount: __, ...metadata } = whole.metadata ?? {};
  return { ...whole, metadata };
}

/** Ends with `expired` when the continue token of a page after the first is no longer good. */
async function* pagesUntilExpired<T extends KubernetesObject>(
  list: ListPage<T>,
  options: ListCallOptions,
): AsyncGenerator<KubernetesList<T> | 'expired', void, undefined> {
  // The continue token carries the version; the server refuses both together.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  const limit = options.limit || PAGE_SIZE;
  const guard = new PageGuard();
  let page = await list({ ...options, limit });
  for (;;) {
    yield page;
    const token = page.metadata?.continue;
    if (!token) return;
    const { items } = page;
    guard.check(token, items.length, (index) => identity(items[index]));
    try {
      page = await list({ ...rest, limit, continue: token });
    } catch (error) {
      if (!(error instanceof ApiError && error.isExpired)) throw error;
      yield 'expired';
      return;
    }
  }
}

function wholeList(options: ListCallOptions): ListCallOptions {
  const { limit: _, continue: __, ...rest } = options;
  return rest;
}

function identity(item: KubernetesObject | undefined): string {
  const { namespace, name = '', uid = '' } = item?.metadata ?? {};
  return `${objectKey(namespace, name)} ${uid}`;
}
