import { ApiError } from '../api/api-error.ts';
import {
  addBroken,
  type BrokenObject,
  type Cached,
  type CachedFrame,
  type CachedFrames,
  type CachedList,
} from '../api/cached.ts';
import type { KubernetesList, KubernetesObject, ListMeta } from '../api/metadata.ts';
import { plainCached } from '../api/plain-cached.ts';
import { aKind, apiVersionOf, type Resource } from '../api/resource.ts';
import { isStatus } from '../api/status.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../api/watch-event.ts';
import type { CachedListerWatcher, ListerWatcher } from './lister-watcher.ts';
import { asError } from './reflector-error.ts';

type ExpectedType = Pick<Resource, 'kind' | 'group' | 'version'>;

/**
 * Plain objects, kept as they are, from whoever lists and watches them. What cannot be used, a list or an event that makes no sense
 * included, is told as such. With a `resource`, `kind` and `apiVersion` are filled in where they are missing, and an object that says
 * that it is of another kind or version cannot be used.
 */
export function plainSource<T extends KubernetesObject>(
  from: ListerWatcher<T>,
  resource?: ExpectedType,
): CachedListerWatcher<T> {
  const take = (object: T) => plainCached(resource === undefined ? object : expected(object, resource), resource);
  return {
    supportsWatchList: from.supportsWatchList ?? false,
    list: async (options, context) => {
      const list = await from.list(options, context);
      return cachedList(list, resource === undefined ? take : (object) => take(listedIn(list, object, resource)));
    },
    watch: async (options, context) => {
      const events = await from.watch(options, context);
      if (typeof events?.[Symbol.asyncIterator] !== 'function') {
        throw new TypeError('the watch function must return an async iterable of events');
      }
      return framesOf(events, take);
    },
  };
}

/** Throws when the object says that it is something else. One that says nothing is believed. */
function expected<T extends KubernetesObject>(object: T, resource: ExpectedType): T {
  const { kind, apiVersion } = object ?? {};
  const isOther = (kind && kind !== resource.kind) || (apiVersion && apiVersion !== apiVersionOf(resource));
  if (isOther) throw wrongType(resource, `${aKind(kind || 'nameless kind')} of ${apiVersion || 'no version'}`);
  return object;
}

/** Items of lists often say nothing; then the list does, if it is one of a built-in group, whose lists are all named alike. */
function listedIn<T extends KubernetesObject>(list: KubernetesList<T>, object: T, resource: ExpectedType): T {
  const isOther = list.kind && list.kind !== 'List' && list.kind !== `${resource.kind}List`;
  if (isOther && !object?.kind && !resource.group.includes('.'))
    throw wrongType(resource, `an item of ${aKind(list.kind ?? '')}`);
  return object;
}

function wrongType(resource: ExpectedType, got: string): TypeError {
  return new TypeError(`expected ${aKind(resource.kind)} of ${apiVersionOf(resource)} and got ${got}`);
}

function cachedList<T extends KubernetesObject>(
  list: KubernetesList<T>,
  toCached: (object: T) => Cached<T>,
): CachedList<T> {
  const body: unknown = list;
  if (isStatus(body)) throw new ApiError(body);
  const listed: unknown = list?.items;
  if (listed !== null && !Array.isArray(listed)) {
    throw new TypeError('the list function must return an object with "items", an array');
  }
  const items: Cached<T>[] = [];
  const broken: BrokenObject[] = [];
  for (const object of list.items ?? []) {
    try {
      items.push(toCached(object));
    } catch (error) {
      addBroken(broken, brokenObject(object, error));
    }
  }
  return { items, broken, metadata: listMeta(list.metadata) };
}

/** Lists of @kubernetes/client-node spell it `_continue`. */
function listMeta(metadata: (ListMeta & { _continue?: unknown }) | undefined): ListMeta {
  const token = metadata?.continue ?? metadata?._continue;
  return {
    ...(typeof metadata?.resourceVersion === 'string' && { resourceVersion: metadata.resourceVersion }),
    ...(typeof token === 'string' && { continue: token }),
  };
}

async function* framesOf<T extends KubernetesObject>(
  events: AsyncIterable<WatchEvent<T>>,
  toCached: (object: T) => Cached<T>,
): CachedFrames<T> {
  for await (const event of events) yield [frameOf(event, toCached)];
}

function frameOf<T extends KubernetesObject>(event: WatchEvent<T>, toCached: (object: T) => Cached<T>): CachedFrame<T> {
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      try {
        return { type: event.type, object: toCached(event.object) };
      } catch (error) {
        return { type: 'BROKEN', broken: brokenObject(event.object, error) };
      }
    case 'BOOKMARK': {
      const metadata = event.object?.metadata;
      return {
        type: 'BOOKMARK',
        resourceVersion: metadata?.resourceVersion ?? '',
        initialEventsEnd: metadata?.annotations?.[INITIAL_EVENTS_END] === 'true',
      };
    }
    case 'ERROR':
      return {
        type: 'ERROR',
        status: isStatus(event.object)
          ? event.object
          : { kind: 'Status', status: 'Failure', message: 'the watch sent an ERROR event without a Status in it' },
      };
    default: {
      const { type, object } = (event ?? {}) as { type?: unknown; object?: unknown };
      return {
        type: 'BROKEN',
        broken: brokenObject(object, new TidewatchError('malformed', `an event has the unknown type ${String(type)}`)),
      };
    }
  }
}

function brokenObject(object: unknown, error: unknown): BrokenObject {
  const { namespace, name } = (object as KubernetesObject | null | undefined)?.metadata ?? {};
  const problem = asError(error);
  return typeof name === 'string' && name !== ''
    ? { problem, key: namespace ? `${namespace}/${name}` : name }
    : { problem };
}
