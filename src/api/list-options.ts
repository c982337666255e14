/** How `resourceVersion` is meant in a list. */
export type ResourceVersionMatch = 'NotOlderThan' | 'Exact';

/** What LIST and WATCH accept, as `metav1.ListOptions`. */
export interface ListOptions {
  /** `app=web,tier in (api,db)`; see `LabelSelector`. */
  labelSelector?: string | undefined;
  /** `spec.nodeName=node-1,status.phase!=Failed`; see `FieldSelector`. */
  fieldSelector?: string | undefined;
  /** The most items a page holds. Unset or 0: all in one. */
  limit?: number | undefined;
  /** The `metadata.continue` of the page before. */
  continue?: string | undefined;
  /** The version to list at, or to watch from; `'0'` allows an answer from the server's cache. */
  resourceVersion?: string | undefined;
  /** Whether a list is at exactly that version or at one that is not older. */
  resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** When the server ends a watch. Unset: the server decides. */
  timeoutSeconds?: number | undefined;
  /** Ask for BOOKMARK events, which carry nothing but a resourceVersion. */
  allowWatchBookmarks?: boolean | undefined;
  /** WatchList: the watch begins with the present state as ADDED events and marks its end with a bookmark. */
  sendInitialEvents?: boolean | undefined;
}

/** The query string of a request; unset and empty fields are left out, except `resourceVersion: '0'`, which means something. */
export function listQuery(options: ListOptions & { watch?: boolean }): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && value !== '' && value !== false && value !== 0) query.set(name, String(value));
  }
  if (options.sendInitialEvents === false) query.set('sendInitialEvents', 'false');
  return query.toString();
}
