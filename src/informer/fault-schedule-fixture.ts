import type { Stored } from '../api/metadata.ts';
import type { Fault, FaultMatch } from '../apiserver/request/fault-plan.ts';
import type { ServerSnapshot } from '../apiserver/storage/server-snapshot.ts';
import { type ConfigMap, configMaps, namespaces } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { HandlerRegistration, ResourceEventHandler } from '../processor/processor.ts';
import { ApiServer } from '../testing/api-server.ts';
import type { Informer } from './informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

/** Numbers in [0, 1), the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Dice {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(...choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] as T;
  }
}

interface Known {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A handler that holds the machinery to its word: add, updates, delete, in order, each from the state that was shown before. */
class Witness implements ResourceEventHandler<ConfigMap> {
  readonly known = new Map<string, Known>();
  readonly broken: string[] = [];
  readonly #name: string;
  readonly #pause: () => Promise<void> | undefined;
  /** A server that was restored may go back. */
  mayGoBack = false;

  constructor(name: string, pause: () => Promise<void> | undefined) {
    this.#name = name;
    this.#pause = pause;
  }

  onAdd(object: Stored<ConfigMap>): void | Promise<void> {
    const key = keyOf(object);
    if (this.known.has(key)) this.#breach(`add of ${key}, which was there`);
    this.known.set(key, knownOf(object));
    return this.#pause();
  }

  onUpdate(old: Stored<ConfigMap>, object: Stored<ConfigMap>): void | Promise<void> {
    const key = keyOf(object);
    const last = this.known.get(key);
    if (last === undefined) this.#breach(`update of ${key}, which was not there`);
    else if (last.resourceVersion !== old.metadata.resourceVersion)
      this.#breach(`update of ${key} from ${old.metadata.resourceVersion}, shown was ${last.resourceVersion}`);
    if (old.metadata.uid !== object.metadata.uid) this.#breach(`${key} became another object by an update`);
    if (!this.mayGoBack && Number(object.metadata.resourceVersion) < Number(old.metadata.resourceVersion))
      this.#breach(`${key} went back from ${old.metadata.resourceVersion} to ${object.metadata.resourceVersion}`);
    this.known.set(key, knownOf(object));
    return this.#pause();
  }

  onDelete(object: Stored<ConfigMap>): void | Promise<void> {
    const key = keyOf(object);
    const last = this.known.get(key);
    if (last === undefined) this.#breach(`delete of ${key}, which was not there`);
    else if (last.uid !== object.metadata.uid) this.#breach(`delete of ${key} with another uid than was shown`);
    this.known.delete(key);
    return this.#pause();
  }

  #breach(what: string): void {
    this.broken.push(`${this.#name}: ${what}`);
  }
}

const keyOf = ({ metadata }: Stored<ConfigMap>) => `${metadata.namespace}/${metadata.name}`;
const knownOf = ({ metadata: { uid, resourceVersion } }: Stored<ConfigMap>): Known => ({ uid, resourceVersion });
const isEven = ({ data }: ConfigMap) => Number(data?.n) % 2 === 0;

const NAMESPACES = ['a', 'b', 'c'];
const NAMES = ['one', 'two', 'three', 'constructor'];
const STEPS = 40;
/** Longer than it takes to suspect a restored server, twice over. */
const CALM_MS = 40 * 60_000;

/** What a server in trouble does. It never loses an event without a word: nobody could notice that. */
function anyFault(dice: Dice): Fault {
  return dice.of<() => Fault>(
    () => ({ kind: 'drop' }),
    () => ({ kind: 'stall' }),
    () => ({ kind: 'delay', ms: dice.below(90_000) }),
    () => ({ kind: 'status', code: dice.of(401, 403, 404, 408, 410, 429, 500, 502, 503, 504) }),
    () => ({ kind: 'status', code: 429, retryAfterSeconds: dice.below(30) }),
    () => ({ kind: 'status', code: 503, body: '<h1>no</h1>' }),
    () => ({ kind: 'cut', afterBytes: dice.below(600) }),
    () => ({ kind: 'end', afterBytes: dice.below(600) }),
    () => ({ kind: 'stall-body', afterBytes: dice.below(600) }),
    () => ({ kind: 'split', bytes: [1 + dice.below(5), 1 + dice.below(50)] }),
    () => ({ kind: 'stale', behind: dice.below(6) }),
    () => ({ kind: 'withhold-initial-events-end' }),
    () => ({ kind: 'withhold-bookmarks' }),
    () => ({ kind: 'delay-events', ms: dice.below(60_000) }),
    () => ({ kind: 'duplicate-events', count: 1 + dice.below(4) }),
    () => ({ kind: 'error-event', afterEvents: dice.below(3), code: dice.of(410, 429, 500, 504) }),
  )();
}

interface Watched {
  readonly informer: Informer<ConfigMap>;
  readonly inNamespace: (namespace: string) => boolean;
  readonly selects: (object: ConfigMap) => boolean;
  readonly handlers: { witness: Witness; selects: (object: ConfigMap) => boolean; registration: HandlerRegistration }[];
}

/**
 * A random life of informers on an embedded server under random faults, by a fake clock: what was promised and did not hold, one sentence
 * each. After the faults every cache must equal the server, and every handler must have been led to that state.
 */
export async function faultSchedule(seed: number): Promise<string[]> {
  const dice = new Dice(seed);
  const clock = new FakeClock();
  const server = await ApiServer.start({ listen: false, clock, random: seeded(seed + 1), logger: silentLogger });
  const admin = server.cluster({ clock }).client(configMaps);
  const places = server.cluster({ clock }).client(namespaces);
  for (const name of NAMESPACES) await places.create({ metadata: { name } });
  const cluster = server.cluster({ clock, logger: silentLogger });
  const log: string[] = [];
  const broken: string[] = [];
  const story = (what: string) => void log.push(`${clock.monotonicMs()}: ${what}`);

  const isPartial = dice.next() < 0.4;
  const own = new Set(isPartial ? ['a', 'b'] : NAMESPACES);
  const observers = { clock, random: seeded(seed + 3), logger: silentLogger };
  const factory = new SharedInformerFactory(cluster, {
    ...observers,
    ...(isPartial && { namespace: ['a', 'b'] }),
    store: dice.of(undefined, 'plain', 'shared'),
    encoding: dice.of('protobuf', 'json'),
    watchList: dice.next() < 0.7,
    pageSize: dice.of(500, 2),
    queue: dice.of('delta', 'inOrder'),
    resyncMs: dice.of(0, 7_000),
  });
  const watched: Watched[] = [
    {
      informer: factory.for(configMaps).informer(),
      inNamespace: (name) => own.has(name),
      selects: () => true,
      handlers: [],
    },
    {
      informer: factory.for(configMaps).select({ labelSelector: 'color=red' }),
      inNamespace: (name) => own.has(name),
      selects: ({ metadata }) => metadata?.labels?.color === 'red',
      handlers: [],
    },
  ];
  const join = () => {
    const { informer, handlers } = dice.of(...(watched as [Watched, Watched]));
    const selects = dice.of(isEven, undefined, undefined);
    const isSlow = dice.next() < 0.4;
    const pause = () => (isSlow ? clock.sleep(dice.below(4_000)) : undefined);
    const witness = new Witness(`handler ${handlers.length} of ${informer.name}`, pause);
    witness.mayGoBack = snapshot !== undefined;
    const registration = informer.addEventHandler(witness, {
      delivery: dice.of('all', 'latest'),
      resyncMs: dice.of(undefined, 0, 3_000, 11_000),
      filter: selects,
    });
    handlers.push({ witness, selects: selects ?? (() => true), registration });
  };
  let snapshot: ServerSnapshot | undefined;
  for (let count = 1 + dice.below(3); count > 0; count--) join();

  const write = async () => {
    const [namespace, name] = [dice.of('a', 'b', 'c'), NAMES[dice.below(NAMES.length)] ?? 'one'];
    const object = {
      metadata: { namespace, name, labels: { color: dice.of('red', 'blue') } },
      data: { n: String(dice.below(10)), ['__proto__']: 'x'.repeat(dice.below(300)) },
    };
    const exists = await admin.get(name, { namespace }).catch(() => undefined);
    const how = exists === undefined ? 'create' : dice.of('update', 'update', 'delete', 'replace');
    story(`${how} ${namespace}/${name}`);
    if (how === 'update') await admin.update(object);
    if (how === 'delete' || how === 'replace') await admin.delete(name, { namespace });
    if (how === 'create' || how === 'replace') await admin.create(object);
  };
  const steps: Record<string, () => unknown> = {
    write,
    writes: async () => {
      for (let count = dice.below(12); count > 0; count--) await write();
    },
    fault: () => {
      const fault = anyFault(dice);
      const verb = dice.of<string | string[]>('list', 'watch', ['list', 'watch'], ['list', 'watch']);
      const match: FaultMatch = { verb, path: /configmaps/ };
      story(`fault ${JSON.stringify(fault)} of ${verb}`);
      server.faults.add(match, fault, { times: 1 + dice.below(4), skip: dice.below(2) });
    },
    wait: () => clock.advance(dice.below(20_000)),
    'long wait': () => clock.advance(dice.below(400_000)),
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    cut: () => server.disconnectWatches({ abruptly: dice.next() < 0.5 }),
    compact: () => server.compact(),
    jump: () => clock.jump(dice.below(7_200_000) - 3_600_000),
    sleep: () => clock.suspend(dice.below(3_600_000)),
    clear: () => server.faults.clear(),
    join,
    leave: async () => {
      const { handlers } = dice.of(...(watched as [Watched, Watched]));
      const [gone] = handlers.splice(dice.below(handlers.length), 1);
      if (gone === undefined) return;
      void gone.registration.remove();
      gone.witness.known.clear();
      await clock.advance(5_000);
      if (gone.witness.known.size > 0) broken.push('a handler that was removed was called');
    },
    snapshot: () => {
      snapshot ??= server.snapshot();
    },
    restore: () => {
      if (snapshot === undefined) return;
      for (const { handlers } of watched) for (const { witness } of handlers) witness.mayGoBack = true;
      server.restore(snapshot);
    },
    'add namespace': () => {
      if (!isPartial || own.has('c')) return;
      own.add('c');
      void factory.namespaces.add('c').catch(() => {});
    },
    'remove namespace': () => {
      if (!isPartial || !own.has('c')) return;
      own.delete('c');
      void factory.namespaces.remove('c');
    },
  };
  const kinds = Object.keys(steps) as [string, ...string[]];
  await write();
  const starts = dice.below(4);
  for (let step = 0; step < STEPS; step++) {
    if (step === starts) factory.start();
    const kind = dice.next() < 0.5 ? dice.of('write', 'writes', 'fault', 'fault', 'wait', 'wait') : dice.of(...kinds);
    if (!['write', 'writes', 'fault'].includes(kind)) story(kind);
    await steps[kind]?.();
  }

  server.faults.clear();
  story('calm');
  await clock.advance(CALM_MS);
  const { items } = await admin.list();
  for (const { informer, inNamespace, selects, handlers } of watched) {
    const wanted = items.filter((object) => inNamespace(object.metadata.namespace ?? '') && selects(object));
    const differ = difference(wanted, informer.store.list());
    if (differ !== undefined) broken.push(`the cache of ${informer.name} (${informer.state.phase}): ${differ}`);
    for (const [nth, { witness, selects: shows }] of handlers.entries()) {
      broken.push(...witness.broken);
      const shown = [...witness.known].map(([key, { uid, resourceVersion }]) => `${key} ${uid} ${resourceVersion}`);
      const due = wanted.filter(shows).map(line);
      if (shown.toSorted().join() !== due.toSorted().join())
        broken.push(`handler ${nth} of ${informer.name} was left at ${shown}, and the server has ${due}`);
    }
    if (!informer.hasSynced()) broken.push(`${informer.name} has not synced`);
    // A silent watch is taken for that of a restored server now and then: a list follows at once.
    const { behindSince = clock.now() } = informer.state;
    if (clock.now() - behindSince > 60_000) broken.push(`${informer.name} says that it is behind`);
  }
  // A handler may be in the middle of its pause.
  await Promise.all([factory.shutdown(), clock.advance(5_000)]);
  if (server.openWatches > 0) broken.push(`${server.openWatches} watches are open after the shutdown`);
  await server.stop();
  await clock.advance(1);
  if (clock.pendingTimers > 0) broken.push(`${clock.pendingTimers} timers are left`);
  return broken.length === 0 ? [] : [...broken, ...log];
}

const line = (object: Stored<ConfigMap>) => {
  const { uid, resourceVersion } = knownOf(object);
  return `${keyOf(object)} ${uid} ${resourceVersion}`;
};

function difference(wanted: readonly Stored<ConfigMap>[], held: readonly Stored<ConfigMap>[]): string | undefined {
  const whole = (object: Stored<ConfigMap>) =>
    `${line(object)} ${JSON.stringify(Object.entries(object.data ?? {}).toSorted())}`;
  const [theirs, ours] = [wanted, held].map((objects) => objects.map(whole).toSorted().join('; '));
  return theirs === ours ? undefined : `the server has ${theirs}; the cache has ${ours}`;
}
