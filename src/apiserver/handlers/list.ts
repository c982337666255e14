import type { Clock } from '../../observe/clock.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import type { Api } from '../api.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from '../request/continue-token.ts';
import type { WatchFaults } from '../request/fault-plan.ts';
import { type ParsedListOptions, parseResourceVersion } from '../request/list-parameters.ts';
import { badRequest, expired, StatusError, tooLargeResourceVersion } from '../request/status-error.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** What a list found, before it is written in any form. */
export interface ListResult {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

const INCONSISTENT_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

export interface ListScope {
  readonly resource: ServedResource;
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly options: ParsedListOptions;
  readonly signal: AbortSignal;
  readonly faults: WatchFaults;
}

/** Lists with the semantics of the real server for limit, continue, resourceVersion and resourceVersionMatch. */
export async function listObjects(api: Api, scope: ListScope): Promise<ListResult> {
  const { options } = scope;
  const token = readToken(options);
  const wanted = parseResourceVersion(options.resourceVersion, 'list');
  const exact = !token && isExact(options);
  if (token) api.store.expire();
  else await untilFresh(api, scope.resource, wanted, scope.signal);

  const prefix = scope.namespace === '' ? '' : `${scope.namespace}/`;
  const from = token ? prefix + token.startKey : '';
  const revision = await revisionFor(api, scope, token, exact ? Number(wanted) : undefined);
  const candidates = snapshot(api, scope, { revision, from, prefix }, token);
  const selected = await select(candidates, scope, limitOf(options), api.clock);

  const last = selected.items.at(-1);
  const more = selected.more && last !== undefined;
  const continueToken = more ? encodeContinue({ startKey: `${last.key.slice(prefix.length)}\0`, revision }) : '';
  if (more && !token) api.store.beginPages();
  const countable = options.labels.matchesEverything && options.fields.matchesEverything;
  return {
    items: selected.items,
    resourceVersion: String(revision),
    continueToken,
    remainingItemCount: more && countable ? candidates.length - selected.items.length : undefined,
  };
}

/** A page whose revision is forgotten gets a token to go on from the present, and has to ask for it. */
function snapshot(api: Api, scope: ListScope, page: Page, token: ContinueToken | undefined): StoredObject[] {
  try {
    return api.store.snapshot(scope.resource.table, page.revision, page.from, page.prefix);
  } catch (error) {
    if (!token || !(error instanceof StatusError)) throw error;
    throw expired(INCONSISTENT_CONTINUE, encodeContinue({ startKey: token.startKey, revision: -1 }));
  }
}

interface Page {
  readonly revision: number;
  readonly from: string;
  readonly prefix: string;
}

function readToken(options: ParsedListOptions): ContinueToken | undefined {
  if (options.continueToken === '') return undefined;
  const token = decodeContinue(options.continueToken);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return token;
}

/** Exact by name, or the older form: a limit together with a resourceVersion. */
function isExact(options: ParsedListOptions): boolean {
  if (options.resourceVersionMatch === 'Exact') return true;
  const { resourceVersion, resourceVersionMatch, limit } = options;
  return resourceVersionMatch === '' && limit > 0 && resourceVersion !== '' && resourceVersion !== '0';
}

/** A list at "0" comes from the watch cache, which ignores the limit. */
function limitOf(options: ParsedListOptions): number {
  return options.resourceVersion === '0' && options.continueToken === '' ? 0 : options.limit;
}

async function revisionFor(
  api: Api,
  scope: ListScope,
  token: ContinueToken | undefined,
  exact: number | undefined,
): Promise<number> {
  const { stale } = scope.faults;
  if (stale) {
    const revision = 'revision' in stale ? stale.revision : api.store.revision - stale.behind;
    return Math.max(Math.min(revision, api.store.revision), 1);
  }
  if (token) {
    if (token.revision < 0) return api.store.revision;
    await untilFresh(api, scope.resource, BigInt(token.revision), scope.signal);
    return token.revision;
  }
  return exact ?? api.store.revision;
}

/** Waits a while for a revision that is yet to come, then says 504 as the real server does. */
export async function untilFresh(
  { store, settings }: Api,
  { strategy }: ServedResource,
  wanted: bigint,
  signal: AbortSignal,
): Promise<void> {
  if (BigInt(store.revision) >= wanted) return;
  if (strategy.uncached) throw tooLargeResourceVersion(wanted, store.revision, 0);
  if (await store.waitForRevision(wanted, settings.freshnessTimeoutMs, signal)) return;
  throw tooLargeResourceVersion(wanted, store.revision, 1);
}

async function select(
  candidates: readonly StoredObject[],
  { options, resource }: ListScope,
  limit: number,
  clock: Clock,
): Promise<{ items: readonly StoredObject[]; more: boolean }> {
  const { shown } = resource;
  const everything = options.labels.matchesEverything && options.fields.matchesEverything;
  if (everything) {
    const all = limit <= 0 || candidates.length <= limit;
    const items = all ? candidates : candidates.slice(0, limit);
    return { items: shown ? await shown.all(items) : items, more: !all };
  }
  // Labels and fields are those of the version that is asked for.
  const states = shown ? await shown.all(candidates) : candidates;
  const selects = selectorOf(resource, options);
  const slice = new TimeSlice(clock);
  const items: StoredObject[] = [];
  for (let at = 0; at < states.length; at++) {
    if (at % 256 === 255 && slice.isDue()) await slice.pause();
    const candidate = states[at] as StoredObject;
    if (!selects(candidate)) continue;
    items.push(candidate);
    if (limit > 0 && items.length >= limit) return { items, more: at < states.length - 1 };
  }
  return { items, more: false };
}

/** Whether a state of an object is selected by labels and fields. */
export function selectorOf(resource: ServedResource, options: ParsedListOptions): (object: StoredObject) => boolean {
  const { labels, fields } = options;
  const read = (object: StoredObject) => (field: string) => {
    if (field === 'metadata.name') return object.name;
    if (field === 'metadata.namespace') return object.namespace;
    return object.fields[resource.table.fieldIndex(field)] ?? '';
  };
  if (fields.matchesEverything) {
    return labels.matchesEverything ? () => true : (object) => labels.matches(object.labels);
  }
  return (object) => labels.matches(object.labels) && fields.matches(read(object));
}

/** Custom resources always say `continue`, as the real server does for them. */
export function listMetadata(result: ListResult, custom = false) {
  return {
    ...(custom && result.continueToken === '' ? { continue: '' } : {}),
    resourceVersion: result.resourceVersion,
    ...(result.continueToken === '' ? {} : { continue: result.continueToken }),
    ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
  };
}
