import { ApiError } from '../api/api-error.ts';
import { objectKey } from '../api/key.ts';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import type { ListCallOptions } from './client-options.ts';

/** client-go's page size. */
const PAGE_SIZE = 500;

type ListPage<T> = (options: ListCallOptions) => Promise<KubernetesList<T>>;

/**
 * Pages as the server gives them. When the snapshot expires after the first page (410), everything is asked for once
 * more, in one piece and at the resourceVersion of the first request, as client-go's pager does; of that last page only
 * the objects are handed out that were not in a page before.
 */
export async function* listPages<T extends KubernetesObject>(
  list: ListPage<T>,
  options: ListCallOptions,
): AsyncGenerator<KubernetesList<T>, void, undefined> {
  const seen = new Set<string>();
  try {
    for await (const page of pagesUntilExpired(list, options)) {
      if (page.metadata?.continue || seen.size > 0) for (const item of page.items) seen.add(identity(item));
      yield page;
    }
  } catch (error) {
    if (!(error instanceof SnapshotExpired)) throw error;
    const page = await list(wholeList(options));
    yield { ...page, items: page.items.filter((item) => !seen.has(identity(item))) };
  }
}

/** One list made of pages: one snapshot, also after a 410, when only the list that was asked for last counts. */
export async function listAll<T extends KubernetesObject>(
  list: ListPage<T>,
  options: ListCallOptions,
): Promise<KubernetesList<T>> {
  let whole: KubernetesList<T> | undefined;
  try {
    for await (const page of pagesUntilExpired(list, options)) {
      if (whole === undefined) whole = page;
      else for (const item of page.items) whole.items.push(item);
    }
  } catch (error) {
    if (error instanceof SnapshotExpired) return list(wholeList(options));
    throw error;
  }
  if (whole === undefined) return { items: [] };
  const { continue: _, remainingItemCount: __, ...metadata } = whole.metadata ?? {};
  return { ...whole, metadata };
}

/** The continue token of a page after the first is no longer good. */
class SnapshotExpired extends Error {}

async function* pagesUntilExpired<T>(
  list: ListPage<T>,
  options: ListCallOptions,
): AsyncGenerator<KubernetesList<T>, void, undefined> {
  // The continue token carries the version; the server refuses both together.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  const limit = options.limit || PAGE_SIZE;
  let page = await list({ ...options, limit });
  for (;;) {
    yield page;
    const token = page.metadata?.continue;
    if (!token) return;
    page = await list({ ...rest, limit, continue: token }).catch((error: unknown) => {
      throw error instanceof ApiError && error.isExpired ? new SnapshotExpired() : error;
    });
  }
}

function wholeList(options: ListCallOptions): ListCallOptions {
  const { limit: _, continue: __, ...rest } = options;
  return rest;
}

function identity(item: KubernetesObject): string {
  return `${objectKey(item.metadata?.namespace, item.metadata?.name ?? '')} ${item.metadata?.uid ?? ''}`;
}
