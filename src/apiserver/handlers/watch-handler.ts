import type { Timer } from '../../observe/clock.ts';
import { monotonicMs } from '../../observe/scheduler.ts';
import type { Api } from '../api.ts';
import type { WatchFaults } from '../request/fault-plan.ts';
import { type ParsedListOptions, parseResourceVersion } from '../request/list-parameters.ts';
import { expired, StatusError } from '../request/status-error.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Change } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { ConvertedWatch } from './converted-watch.ts';
import { selectorOf, untilFresh } from './list.ts';
import type { Representation } from './representation.ts';
import { WatchStream } from './watch-stream.ts';

const BOOKMARK_BEFORE_TIMEOUT_MS = 2_000;

export interface WatchScope {
  readonly resource: ServedResource;
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** Set when one object is watched by its path. */
  readonly name: string;
  readonly options: ParsedListOptions;
  readonly representation: Representation;
  readonly signal: AbortSignal;
  readonly faults: WatchFaults;
}

/**
 * Opens a watch. What is wrong with the request itself is thrown and becomes an HTTP status; what is wrong with the
 * revision asked for becomes an ERROR event on a stream that opened with 200, as on the real server.
 */
export async function openWatch(api: Api, scope: WatchScope): Promise<WatchStream> {
  const { options } = scope;
  const wanted = parseResourceVersion(options.resourceVersion, 'watch');
  try {
    if (options.sendInitialEvents) await untilFresh(api, scope.resource, wanted, scope.signal);
    return await startWatch(api, scope, wanted);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const stream = streamFor(api, scope, [], api.store.revision, false, () => {});
    stream.fail(error.status);
    return stream;
  }
}

function startWatch(api: Api, scope: WatchScope, wanted: bigint): WatchStream | Promise<WatchStream> {
  const { options, resource } = scope;
  const { store } = api;
  const prefix = scope.namespace === '' ? '' : `${scope.namespace}/`;
  let initial: readonly (StoredObject | Change)[];
  let revision = store.revision;
  if (options.sendInitialEvents) {
    initial = resource.table.objects.values('', prefix);
  } else if (wanted === 0n) {
    initial = [];
  } else {
    revision = Number(wanted);
    if (revision < store.compactedRevision) {
      if (resource.strategy.uncached) throw expired('The resourceVersion for the provided watch is too old.');
      throw expired(`too old resource version: ${wanted} (${store.compactedRevision})`);
    }
    initial = resource.table
      .changesSince(revision)
      .filter((change) => ((change.current ?? change.previous)?.key ?? '').startsWith(prefix));
  }
  // A watch from a revision that is yet to come hears nothing before it.
  const notBefore = wanted > BigInt(store.revision) ? Number(wanted) : 0;
  const bookmarked = options.sendInitialEvents === true && options.allowWatchBookmarks;
  const timers = new WatchTimers();
  let leave = () => {};
  const open = (items: readonly (StoredObject | Change)[]) =>
    streamFor(
      api,
      scope,
      items,
      revision,
      bookmarked,
      () => {
        timers.clear();
        leave();
      },
      notBefore,
    );
  if (resource.shown) {
    const converted = new ConvertedWatch(resource.shown, api.settings.watchQueueLimit);
    leave = api.watches.add(resource.table, scope.namespace, converted);
    return converted.initial(initial).then(
      (items) => {
        const stream = open(items);
        timers.start(api, scope, { end: () => stream.end(), bookmark: (to) => converted.bookmark(to) });
        converted.begin(stream);
        return stream;
      },
      (error: unknown) => {
        leave();
        throw error;
      },
    );
  }
  const stream = open(initial);
  leave = api.watches.add(resource.table, scope.namespace, stream);
  timers.start(api, scope, stream);
  return stream;
}

function streamFor(
  api: Api,
  scope: WatchScope,
  initial: readonly (StoredObject | Change)[],
  revision: number,
  initialEventsEnd: boolean,
  onClose: () => void,
  notBefore = 0,
): WatchStream {
  const { name, options, resource } = scope;
  const selects = selectorOf(resource, options);
  return new WatchStream({
    representation: scope.representation,
    selects: (object) => (name === '' || object.name === name) && selects(object),
    initial,
    revision,
    initialEventsEnd,
    notBefore,
    queueLimit: api.settings.watchQueueLimit,
    faults: scope.faults,
    clock: api.clock,
    onClose,
  });
}

/** The end of a watch, and its bookmarks: about every interval, and just before the end. */
class WatchTimers {
  #timers: Timer[] = [];
  #cleared = false;

  start(api: Api, { options, resource }: WatchScope, stream: Pick<WatchStream, 'end' | 'bookmark'>): void {
    const { clock, settings, identity } = api;
    const timeoutMs = options.timeoutSeconds
      ? options.timeoutSeconds * 1000
      : settings.minRequestTimeoutMs * (1 + identity.random());
    const deadlineMs = monotonicMs(clock) + timeoutMs;
    const set = (callback: () => void, delayMs: number) => {
      if (!this.#cleared) this.#timers.push(clock.setTimeout(callback, delayMs, { keepAlive: false }));
    };
    set(() => stream.end(), timeoutMs);
    if (!options.allowWatchBookmarks || resource.strategy.uncached) return;
    const schedule = () => {
      const untilLast = deadlineMs - BOOKMARK_BEFORE_TIMEOUT_MS - monotonicMs(clock);
      const delayMs = Math.min(settings.bookmarkIntervalMs, untilLast);
      if (delayMs < 0) return;
      set(() => {
        this.#timers.splice(1);
        stream.bookmark(api.store.revision);
        if (delayMs !== untilLast) schedule();
      }, delayMs);
    };
    schedule();
  }

  clear(): void {
    this.#cleared = true;
    for (const timer of this.#timers) timer.clear();
    this.#timers = [];
  }
}
