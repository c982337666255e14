import type { ListOptions } from '../api/list-options.ts';
import {
  aBoolean,
  aNumber,
  anything,
  aSelector,
  aSignal,
  aText,
  type OptionChecks,
  oneOf,
  optionsOf,
} from '../api/option-check.ts';

/** What every call accepts. */
export interface CallOptions {
  /** Ignored for cluster-scoped resources. Default: see `Client`. */
  namespace?: string | undefined;
  /** Ends the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** Options of `client.get`. */
export interface GetOptions extends CallOptions {
  /** `status`, `scale`, `log`, …: the part of the object that is meant. */
  subresource?: string | undefined;
  /** `'0'` allows an answer from the server's cache. */
  resourceVersion?: string | undefined;
}

/** Options of `client.list`, `listPages`, `listAll` and `watch`. */
export interface ListCallOptions extends ListOptions, CallOptions {}

/** Options of every call that writes an object. */
export interface WriteOptions extends CallOptions {
  /** `status`, `scale`, …: the part of the object that is written. Default: the object, without its status where that is a subresource. */
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

/** Options of `client.create`. */
export interface CreateOptions extends WriteOptions {
  /** The object that a subresource belongs to, when it is not the body's own name. */
  name?: string | undefined;
}

/** For `client.waitUntil`. */
export interface WaitUntilOptions extends CallOptions {
  /** Unset: wait forever. */
  timeoutMs?: number | undefined;
}

/** How a patch is written: the steps of RFC 6902, the fields of RFC 7386, or those of Kubernetes with merge keys. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** Options of `client.patch`. */
export interface PatchOptions extends WriteOptions {
  /** Default `merge`. Custom resources know no `strategic`. */
  type?: PatchType | undefined;
}

/** Options of `client.apply`. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that another manager has set to another value. Default false: a 409 names them. */
  force?: boolean | undefined;
}

/** Options of `client.delete`. */
export interface DeleteOptions extends CallOptions {
  /** Check everything, delete nothing. */
  dryRun?: boolean | undefined;
  /** How long the object may take to end. Default: its own. 0: none. */
  gracePeriodSeconds?: number | undefined;
  /** What becomes of the objects that it owns: they stay, are deleted later, or before it. Default: that of the kind. */
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** Delete only this very object, or only this version of it; otherwise a 409. */
  preconditions?:
    | {
        /** Not another one of the same name. Default: any. */
        uid?: string | undefined;
        /** Not when it has changed since. Default: any. */
        resourceVersion?: string | undefined;
      }
    | undefined;
}

/** Options of `client.deleteCollection`: which objects, and how they are deleted. */
export interface DeleteCollectionOptions
  extends DeleteOptions,
    Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'limit' | 'resourceVersion' | 'resourceVersionMatch'> {}

export const CALL_CHECKS: OptionChecks<CallOptions> = { namespace: aText, signal: aSignal };

const LIST_CHECKS: OptionChecks<ListCallOptions> = {
  ...CALL_CHECKS,
  labelSelector: aSelector,
  fieldSelector: aSelector,
  limit: aNumber,
  continue: aText,
  resourceVersion: aText,
  resourceVersionMatch: oneOf('NotOlderThan', 'Exact'),
  timeoutSeconds: aNumber,
  allowWatchBookmarks: aBoolean,
  sendInitialEvents: aBoolean,
};

const STATUS_CHECKS: OptionChecks<StatusOptions> = {
  ...CALL_CHECKS,
  dryRun: aBoolean,
  fieldManager: anything, // checked with its value
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
};

const WRITE_CHECKS: OptionChecks<WriteOptions> = { ...STATUS_CHECKS, subresource: aText };

const DELETE_CHECKS: OptionChecks<DeleteOptions> = {
  ...CALL_CHECKS,
  dryRun: aBoolean,
  gracePeriodSeconds: aNumber,
  propagationPolicy: oneOf('Orphan', 'Background', 'Foreground'),
  preconditions: optionsOf<NonNullable<DeleteOptions['preconditions']>>({ uid: aText, resourceVersion: aText }),
};

/** What each call of a client accepts. A misspelt selector would mean every object, also where they are deleted. */
export const CLIENT_CHECKS = {
  get: { ...CALL_CHECKS, subresource: aText, resourceVersion: aText } satisfies OptionChecks<GetOptions>,
  list: LIST_CHECKS,
  listPages: LIST_CHECKS,
  listAll: LIST_CHECKS,
  watch: LIST_CHECKS,
  create: { ...WRITE_CHECKS, name: aText } satisfies OptionChecks<CreateOptions>,
  update: WRITE_CHECKS,
  patch: { ...WRITE_CHECKS, type: oneOf('json', 'merge', 'strategic') } satisfies OptionChecks<PatchOptions>,
  patchStatus: STATUS_CHECKS,
  apply: { ...WRITE_CHECKS, force: aBoolean } satisfies OptionChecks<ApplyOptions>,
  delete: DELETE_CHECKS,
  deleteCollection: {
    ...DELETE_CHECKS,
    labelSelector: aSelector,
    fieldSelector: aSelector,
    limit: aNumber,
    resourceVersion: aText,
    resourceVersionMatch: LIST_CHECKS.resourceVersionMatch,
  } satisfies OptionChecks<DeleteCollectionOptions>,
  waitUntil: { ...CALL_CHECKS, timeoutMs: aNumber } satisfies OptionChecks<WaitUntilOptions>,
};
