import type { ListOptions } from '../api/list-options.ts';

/** What every call accepts. */
export interface CallOptions {
  /** Ignored for cluster-scoped resources. Default: see `Client`. */
  namespace?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface GetOptions extends CallOptions {
  /** `status`, `scale`, `log`, …: the part of the object that is meant. */
  subresource?: string | undefined;
  /** `'0'` allows an answer from the server's cache. */
  resourceVersion?: string | undefined;
}

export interface ListCallOptions extends ListOptions, CallOptions {}

export interface WriteOptions extends CallOptions {
  subresource?: string | undefined;
  /** Check everything, store nothing. */
  dryRun?: boolean | undefined;
  /** Who owns the fields that are set: 1 to 128 printable characters. Default: the client's, else the cluster's. */
  fieldManager?: string | undefined;
  /** What becomes of unknown or repeated fields. Default of the server: `Warn`. */
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** For a write to the status subresource. */
export type StatusOptions = Omit<WriteOptions, 'subresource'>;

export interface CreateOptions extends WriteOptions {
  /** The object that a subresource belongs to, when it is not the body's own name. */
  name?: string | undefined;
}

/** For `client.waitUntil`. */
export interface WaitUntilOptions extends CallOptions {
  /** Unset: wait forever. */
  timeoutMs?: number | undefined;
}

export type PatchType = 'json' | 'merge' | 'strategic';

export interface PatchOptions extends WriteOptions {
  /** Default `merge`. Custom resources know no `strategic`. */
  type?: PatchType | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that another manager has set to another value. Default false: a 409 names them. */
  force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  dryRun?: boolean | undefined;
  gracePeriodSeconds?: number | undefined;
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** Delete only this very object, or only this version of it; otherwise a 409. */
  preconditions?: { uid?: string; resourceVersion?: string } | undefined;
}

export interface DeleteCollectionOptions
  extends DeleteOptions,
    Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'limit' | 'resourceVersion' | 'resourceVersionMatch'> {}
