import { FieldSelector } from '../../api/field-selector.ts';
import { LabelSelector } from '../../api/label-selector.ts';
import { resolveField } from '../../api/selectable-fields.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import { type FieldError, forbidden, notSupported } from './field-error.ts';
import { queryInt } from './query-int.ts';
import { queryBool } from './request-info.ts';
import { fieldSelectorProblem, labelSelectorProblem } from './selector-problem.ts';
import { badRequest, invalidObject, statusError } from './status-error.ts';

/** `metav1.ListOptions` of a request, parsed and judged. */
export interface ParsedListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

const MAX_UINT64 = 2n ** 64n - 1n;

export function parseListOptions(query: URLSearchParams, watch: boolean, resource: ServedResource): ParsedListOptions {
  const resourceVersion = query.get('resourceVersion') ?? '';
  let sendInitialEvents = queryBool(query, 'sendInitialEvents');
  let resourceVersionMatch = query.get('resourceVersionMatch') ?? '';
  const options = {
    labels: labelSelector(query.get('labelSelector') ?? ''),
    fields: fieldSelector(query.get('fieldSelector') ?? '', resource),
    limit: queryInt(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    resourceVersion,
    timeoutSeconds: queryInt(query, 'timeoutSeconds'),
    allowWatchBookmarks: queryBool(query, 'allowWatchBookmarks') ?? false,
  };
  // The defaults of the WatchList feature: a watch from nowhere begins with the present state.
  if (watch && sendInitialEvents === undefined && resourceVersionMatch === '' && isLegacy(resourceVersion)) {
    sendInitialEvents = true;
    resourceVersionMatch = 'NotOlderThan';
  }
  const parsed = { ...options, sendInitialEvents, resourceVersionMatch };
  const errors = watch ? watchErrors(parsed) : listErrors(parsed);
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return parsed;
}

function isLegacy(resourceVersion: string): boolean {
  return resourceVersion === '' || resourceVersion === '0';
}

function listErrors(options: ParsedListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  const field = 'resourceVersionMatch';
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continueToken !== '') {
      errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function watchErrors(options: ParsedListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  const field = 'resourceVersionMatch';
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      errors.push(forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(field, match, ['NotOlderThan']));
    if (options.continueToken !== '') {
      errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
    }
  }
  return errors;
}

function fieldSelector(text: string, resource: ServedResource): FieldSelector {
  const { group, plural, kind, namespaced, strategy } = resource;
  const selectableFields = strategy.selectableFields?.map(({ name }) => name) ?? [];
  const described = { group, plural, kind, namespaced, selectableFields, isCustom: resource.init.custom };
  const parse = () => FieldSelector.parse(text).mapFields((field) => resolveField(described, field));
  return parseSelector(parse, () => fieldSelectorProblem(text));
}

function labelSelector(text: string): LabelSelector {
  return parseSelector(
    () => LabelSelector.parse(text),
    () => labelSelectorProblem(text),
  );
}

/** `problem` has the words of the real server, where it has any. */
function parseSelector<T>(parse: () => T, problem: () => string | undefined): T {
  try {
    return parse();
  } catch (error) {
    throw badRequest(problem() ?? (error instanceof Error ? error.message : String(error)));
  }
}

function parseProblem(text: string): string | undefined {
  const quoted = `strconv.ParseUint: parsing ${JSON.stringify(text)}`;
  if (!/^[0-9]+$/.test(text)) return `${quoted}: invalid syntax`;
  return BigInt(text) > MAX_UINT64 ? `${quoted}: value out of range` : undefined;
}

/** Unset and "0" are 0. Lists answer 400 for nonsense, watches and gets 500, as the real server does. */
export function parseResourceVersion(text: string, verb: 'list' | 'watch' | 'get'): bigint {
  if (text === '' || text === '0') return 0n;
  const problem = parseProblem(text);
  if (problem === undefined) return BigInt(text);
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`;
  if (verb === 'list') throw badRequest(`invalid resource version: ${message}`);
  throw statusError(500, '', message);
}
