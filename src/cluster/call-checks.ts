import {
  aBoolean,
  aFunction,
  aNumber,
  anything,
  aSelector,
  aSignal,
  aText,
  type OptionChecks,
  oneOf,
  optionsOf,
} from '../api/option-check.ts';
import type {
  ApplyOptions,
  CallOptions,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListCallOptions,
  PatchOptions,
  StatusOptions,
  WaitUntilOptions,
  WriteOptions,
} from './client-options.ts';
import type { AttachOptions, LogOptions, LogsOfOptions, PortForwardOptions } from './pods/pod-options.ts';

/** What the calls of a client accept. A misspelt selector would mean every object, also where they are deleted. */
export const CALL_CHECKS: OptionChecks<CallOptions> = { namespace: aText, signal: aSignal };

export const GET_CHECKS: OptionChecks<GetOptions> = { ...CALL_CHECKS, subresource: aText, resourceVersion: aText };

export const LIST_CHECKS: OptionChecks<ListCallOptions> = {
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

export const STATUS_CHECKS: OptionChecks<StatusOptions> = {
  ...CALL_CHECKS,
  dryRun: aBoolean,
  fieldManager: anything, // checked with its value
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
};

export const WRITE_CHECKS: OptionChecks<WriteOptions> = { ...STATUS_CHECKS, subresource: aText };
export const CREATE_CHECKS: OptionChecks<CreateOptions> = { ...WRITE_CHECKS, name: aText };
export const APPLY_CHECKS: OptionChecks<ApplyOptions> = { ...WRITE_CHECKS, force: aBoolean };

export const PATCH_CHECKS: OptionChecks<PatchOptions> = {
  ...WRITE_CHECKS,
  type: oneOf('json', 'merge', 'strategic'),
};

const PRECONDITION_CHECKS: OptionChecks<NonNullable<DeleteOptions['preconditions']>> = {
  uid: aText,
  resourceVersion: aText,
};

export const DELETE_CHECKS: OptionChecks<DeleteOptions> = {
  ...CALL_CHECKS,
  dryRun: aBoolean,
  gracePeriodSeconds: aNumber,
  propagationPolicy: oneOf('Orphan', 'Background', 'Foreground'),
  preconditions: optionsOf(PRECONDITION_CHECKS),
};

export const DELETE_COLLECTION_CHECKS: OptionChecks<DeleteCollectionOptions> = {
  ...DELETE_CHECKS,
  labelSelector: aSelector,
  fieldSelector: aSelector,
  limit: aNumber,
  resourceVersion: aText,
  resourceVersionMatch: LIST_CHECKS.resourceVersionMatch,
};

export const WAIT_UNTIL_CHECKS: OptionChecks<WaitUntilOptions> = { ...CALL_CHECKS, timeoutMs: aNumber };

const LOG_RANGE = {
  ...CALL_CHECKS,
  container: aText,
  follow: aBoolean,
  sinceSeconds: aNumber,
  tailLines: aNumber,
  timestamps: aBoolean,
};

export const LOG_CHECKS: OptionChecks<LogOptions> = { ...LOG_RANGE, previous: aBoolean };
export const LOGS_OF_CHECKS: OptionChecks<LogsOfOptions> = {
  ...LOG_RANGE,
  fieldSelector: aSelector,
  matches: aFunction,
};

/** What flows in and out is checked where it is used. */
export const ATTACH_CHECKS: OptionChecks<AttachOptions> = {
  ...CALL_CHECKS,
  container: aText,
  stdin: anything,
  stdout: anything,
  stderr: anything,
  sizes: anything,
  tty: aBoolean,
  maxOutputBytes: aNumber,
};

export const PORT_FORWARD_CHECKS: OptionChecks<PortForwardOptions> = {
  ...CALL_CHECKS,
  localPort: aNumber,
  address: aText,
};
