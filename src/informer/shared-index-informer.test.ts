import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { defineResource } from '../api/resource.ts';
import { metaNamespaceIndex, NAMESPACE_INDEX } from '../store/index-definition.ts';
import { informerFixture, listener, type Thing } from './informer-fixture.ts';

describe('SharedIndexInformer', () => {
  it('fills its store, tells every handler, and follows changes', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    const [first, second] = [listener(), listener()];
    informer.addEventHandler(first);
    informer.addEventHandler(second);
    source.set('a');
    expect(informer.hasSynced()).toBe(false);
    expect(informer.state.phase).toBe('idle');
    expect(informer.isStopped()).toBe(false);
    const running = run();
    await settle();
    expect(informer.hasSynced()).toBe(true);
    expect(informer.state.phase).toBe('watching');
    expect(informer.isStopped()).toBe(false);
    source.set('a', { color: 'red' });
    source.set('b');
    source.remove('a');
    await settle();
    expect(first.heard).toEqual(['add a@1!', 'update a@1->2', 'add b@3', 'delete a@4']);
    expect(second.heard).toEqual(first.heard);
    expect(informer.store.listKeys()).toEqual(['default/b']);
    expect(informer.lastSyncResourceVersion()).toBe('4');
    stop.abort();
    await running;
    expect(informer.state.phase).toBe('stopped');
    expect(informer.isStopped()).toBe(true);
  });

  it.each(['delta', 'inOrder'] as const)('converges with the %s queue after every kind of break', async (queue) => {
    const { source, informer, run, settle, stop } = informerFixture({ queue });
    const handler = listener();
    informer.addEventHandler(handler);
    source.set('a');
    source.set('b');
    const running = run();
    await settle(2_000);
    source.cut();
    source.set('a', { color: 'red' });
    await settle(2_000);
    source.cut(new Error('socket hang up'));
    source.remove('b');
    await settle(2_000);
    source.quiet = true;
    source.set('c');
    source.remove('a');
    source.set('a');
    source.quiet = false;
    source.compact();
    source.cut();
    await settle(60_000);
    expect(
      informer.store
        .list()
        .map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`)
        .sort(),
    ).toEqual(
      [...source.objects.values()].map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).sort(),
    );
    // The deletion of the first `a` was missed, but its uid gave it away.
    expect(handler.heard.filter((line) => line.includes(' a@'))).toEqual([
      'add a@1!',
      'update a@1->3',
      'delete a@3!',
      'add a@7',
    ]);
    stop.abort();
    await running;
  });

  it('resumes without a list after a clean end, an error or a refused connection', async () => {
    const { source, run, settle, stop } = informerFixture();
    source.set('a');
    const running = run();
    await settle(2_000);
    source.cut();
    await settle(2_000);
    source.watchFailures.push(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    source.cut(new Error('reset'));
    await settle(5_000);
    expect(source.requests.filter((request) => request.startsWith('list'))).toHaveLength(1);
    expect(source.openWatches).toBe(1);
    stop.abort();
    await running;
  });

  it('tells the watch error handler of failed lists and recovers', async () => {
    const { source, informer, errors, run, settle, stop } = informerFixture();
    source.listFailures.push(new ApiError({ code: 500, message: 'boom' }), new ApiError({ code: 403, message: 'no' }));
    const running = run();
    await settle();
    expect(errors.map((error) => error.message)).toEqual(['500 InternalError: boom']);
    expect(informer.state).toMatchObject({ phase: 'backoff', lastError: { code: 500 } });
    await settle(900);
    expect(informer.state.phase).toBe('forbidden');
    await settle(10_000);
    expect(informer.state.phase).toBe('watching');
    stop.abort();
    await running;
  });

  it('gives a late handler the present state as its initial list, and then what comes', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    source.set('a');
    const running = run();
    await settle();
    const late = listener();
    const registration = informer.addEventHandler(late);
    expect(registration.hasSynced()).toBe(false);
    source.set('b');
    await settle();
    expect(late.heard).toEqual(['add a@1!', 'add b@2']);
    await registration.synced;
    stop.abort();
    await running;
  });

  it('tells relisted objects that have not changed only to handlers with a resync', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    const [plain, resyncing] = [listener(), listener()];
    informer.addEventHandler(plain, { resyncMs: 0 });
    informer.addEventHandler(resyncing, { resyncMs: 3_600_000 });
    source.set('a');
    source.set('b');
    const running = run();
    await settle(2_000);
    source.quiet = true;
    source.set('b', { color: 'red' });
    source.quiet = false;
    source.compact();
    source.cut();
    await settle(60_000);
    expect(plain.heard.slice(2)).toEqual(['update b@2->3']);
    expect(resyncing.heard.slice(2).sort()).toEqual(['update a@1->1', 'update b@2->3']);
    stop.abort();
    await running;
  });

  it('resyncs each handler at its own period, without a request', async () => {
    const { source, informer, run, settle, stop } = informerFixture({ resyncMs: 5_000 });
    const [byDefault, own, never] = [listener(), listener(), listener()];
    informer.addEventHandler(byDefault);
    informer.addEventHandler(own, { resyncMs: 2_000 });
    informer.addEventHandler(never, { resyncMs: 0 });
    source.set('a');
    const running = run();
    await settle(10_000);
    const late = listener();
    informer.addEventHandler(late, { resyncMs: 1_000 });
    await settle(3_500);
    expect(byDefault.heard.filter((line) => line.startsWith('update'))).toHaveLength(2);
    expect(own.heard.filter((line) => line.startsWith('update'))).toHaveLength(6);
    expect(late.heard.filter((line) => line.startsWith('update'))).toHaveLength(3);
    expect(never.heard).toEqual(['add a@1!']);
    expect(source.requests).toHaveLength(2);
    stop.abort();
    await running;
  });

  it('tells of what a relist brings as changes, not as an initial list', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    const handler = listener();
    informer.addEventHandler(handler);
    source.set('a');
    const running = run();
    await settle(2_000);
    source.quiet = true;
    source.set('a', { color: 'red' });
    source.set('b');
    source.quiet = false;
    source.compact();
    source.cut();
    await settle(60_000);
    expect(handler.heard).toEqual(['add a@1!', 'update a@1->2', 'add b@3']);
    stop.abort();
    await running;
  });

  it('bears handlers that come and go while changes pour in', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    const running = run();
    await settle();
    const steady = listener();
    informer.addEventHandler(steady);
    const removals: Promise<void>[] = [];
    for (let round = 0; round < 100; round++) {
      const passing = Array.from({ length: 5 }, () => informer.addEventHandler(listener()));
      for (let n = 0; n < 20; n++) source.set(`thing-${n}`);
      if (round % 10 === 0) await settle();
      for (const registration of passing) removals.push(registration.remove());
    }
    await Promise.all(removals);
    // A busy machine cuts the work into more slices than one settling has turns.
    const newest = () => steady.heard.filter((line) => Number(line.split('->')[1]) > 1_980);
    while (newest().length < 20) await settle();
    expect(steady.heard.filter((line) => line.startsWith('add'))).toHaveLength(20);
    expect(newest()).toHaveLength(20);
    expect(newest().filter((line) => /^update thing-19@\d+->2000$/.test(line))).toHaveLength(1);
    stop.abort();
    await running;
  });

  it('has nothing against the removal of a handler of another informer, twice, or after the end', async () => {
    const { informer, run, settle, stop } = informerFixture();
    const other = informerFixture();
    const running = run();
    const foreign = other.informer.addEventHandler(listener());
    const own = informer.addEventHandler(listener());
    await settle();
    await foreign.remove();
    await own.remove();
    await own.remove();
    const last = informer.addEventHandler(listener());
    stop.abort();
    await running;
    await last.remove();
    await other.informer.stop();
  });

  it('runs once: a second run warns and changes nothing', async () => {
    const { source, logger, run, settle, stop } = informerFixture();
    const running = run();
    const again = run();
    await settle();
    expect(logger.lines).toEqual(['things: run was called twice; an informer runs once.']);
    expect(source.requests).toHaveLength(2);
    stop.abort();
    await Promise.all([running, again]);
    await run();
    expect(logger.lines.at(-1)).toContain('after it stopped');
  });

  it('makes no request when its signal has aborted before', async () => {
    const { source, informer, run, stop } = informerFixture();
    stop.abort();
    await run();
    expect(source.requests).toEqual([]);
    expect(informer.state.phase).toBe('stopped');
  });

  it('calls nothing and keeps no timer after stop, whatever it was doing', async () => {
    const { source, informer, clock, run, settle } = informerFixture({ resyncMs: 1_000 });
    const handler = listener();
    informer.addEventHandler(handler);
    source.set('a');
    void run();
    await settle();
    const before = handler.heard.length;
    source.set('b');
    const stopping = informer.stop();
    source.set('c');
    await stopping;
    expect(clock.pendingTimers).toBe(0);
    expect(source.openWatches).toBe(0);
    await informer.stop();
    await settle(10_000);
    expect(handler.heard).toHaveLength(before);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([true, false])('refuses handlers after stop, and ends streams of events (had run: %s)', async (hasRun) => {
    const { source, informer, run, settle, stop } = informerFixture();
    source.set('a');
    if (hasRun) {
      const running = run();
      await settle();
      stop.abort();
      await running;
    } else await informer.stop();
    const late = listener();
    expect(() => informer.addEventHandler(late)).toThrow(
      expect.objectContaining({ kind: 'stopped', message: expect.stringContaining('things has stopped') }),
    );
    await settle();
    expect(late.heard).toEqual([]);
    expect(await informer.events().next()).toEqual({ done: true, value: undefined });
  });

  it('takes a transform and a watch error handler only before the start', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    informer.setTransform(({ metadata }) => ({ metadata: { name: metadata?.name ?? '' } }));
    source.set('a', { color: 'red' });
    const running = run();
    await settle();
    expect(informer.store.getByKey('default/a')).toEqual({
      metadata: { name: 'a', namespace: 'default', uid: expect.any(String), resourceVersion: expect.any(String) },
    });
    const tooLate = expect.objectContaining({ kind: 'misuse', message: expect.stringContaining('before the start') });
    expect(() => informer.setTransform((thing) => thing)).toThrow(tooLate);
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow(tooLate);
    source.remove('a');
    await settle();
    expect(informer.store.list()).toEqual([]);
    stop.abort();
    await running;
  });

  it('transforms what a list and a watch bring, once each, before anybody sees it', async () => {
    const seen: string[] = [];
    const { source, informer, run, settle, stop } = informerFixture({
      transform: (thing) => {
        seen.push(`${thing.metadata?.name}@${thing.metadata?.resourceVersion}`);
        return { ...thing, spec: { color: `dark ${thing.spec?.color}` } };
      },
    });
    const heard: (string | undefined)[] = [];
    informer.addEventHandler({
      onAdd: ({ spec }) => void heard.push(spec?.color),
      onUpdate: (old, { spec }) => void heard.push(`${old.spec?.color} to ${spec?.color}`),
      onDelete: ({ spec }) => void heard.push(`no ${spec?.color}`),
    });
    source.set('a', { color: 'red' });
    const running = run();
    await settle();
    source.set('b', { color: 'blue' });
    source.set('a', { color: 'green' });
    await settle();
    expect(informer.store.list().map(({ spec }) => spec?.color)).toEqual(['dark green', 'dark blue']);
    source.remove('b');
    await settle();
    expect(heard).toEqual(['dark red', 'dark blue', 'dark red to dark green', 'no dark blue']);
    expect(seen).toEqual(['a@1', 'b@2', 'a@3', 'b@4']);
    stop.abort();
    await running;
  });

  it('leaves out objects of another kind than its resource, from a list and from a watch, and reports them', async () => {
    const resource = defineResource<Thing>({ version: 'v1', plural: 'things', kind: 'Thing' });
    const { source, informer, errors, run, settle, stop } = informerFixture({ resource });
    source.set('a');
    source.objects.set('pod', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'pod', namespace: 'default' } });
    const running = run();
    await settle(10_000);
    expect(informer.store.listKeys()).toEqual(['default/a']);
    expect(informer.state.leftOut).toMatchObject([
      { key: 'default/pod', reason: expect.stringContaining('got a Pod') },
    ]);
    source.send({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'other' } } });
    await settle(10_000);
    expect(informer.store.listKeys()).toEqual(['default/a']);
    expect(errors.at(-1)?.message).toContain('expected a Thing of v1 and got a Pod of v1');
    stop.abort();
    await running;
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('not this one');
      },
    ],
    ['returns nothing', () => undefined],
  ])('leaves out an object whose transform %s, reports it, and goes on', async (_what, fail) => {
    const { source, informer, errors, run, settle, stop } = informerFixture({
      transform: (thing) => (thing.metadata?.name === 'bad' ? (fail() as never) : thing),
    });
    source.set('bad');
    source.set('good');
    const running = run();
    await settle(10_000);
    expect(informer.store.listKeys()).toEqual(['default/good']);
    expect(informer.hasSynced()).toBe(true);
    expect(informer.state.leftOut).toMatchObject([{ key: 'default/bad' }]);
    expect(errors.some((error) => error.message.includes('default/bad'))).toBe(true);
    source.set('good', { color: 'red' });
    await settle();
    expect(informer.store.getByKey('default/good')).toMatchObject({ spec: { color: 'red' } });
    stop.abort();
    await running;
  });

  it('leaves out an object on which an index function fails', async () => {
    const { source, informer, run, settle, stop } = informerFixture({
      indexers: {
        color: ({ spec }) => {
          if (spec?.color === undefined) throw new Error('colourless');
          return [spec.color];
        },
      },
    });
    source.set('a', { color: 'red' });
    const running = run();
    await settle(2_000);
    source.set('b');
    await settle(10_000);
    expect(informer.indexer.byIndex('color', 'red')).toHaveLength(1);
    expect(informer.state.leftOut).toMatchObject([{ key: 'default/b', reason: expect.stringContaining('colourless') }]);
    source.set('b', { color: 'blue' });
    await settle(2_000);
    expect(informer.state.leftOut).toBeUndefined();
    expect(informer.indexer.byIndex('color', 'blue')).toHaveLength(1);
    stop.abort();
    await running;
  });

  it('runs an index function once for each state, in the store, called by the consumer of the queue and by nothing before it', async () => {
    const stacks: string[] = [];
    const { source, informer, run, settle } = informerFixture({
      indexers: {
        color: ({ spec }) => {
          Error.stackTraceLimit = 50;
          stacks.push(new Error('here').stack ?? '');
          return [spec?.color ?? ''];
        },
      },
    });
    source.set('a', { color: 'red' });
    void run();
    await settle();
    source.set('a', { color: 'blue' });
    await settle();
    expect(stacks).toHaveLength(2);
    for (const stack of stacks) {
      const files = [...stack.matchAll(/src\/([\w-]+\/[\w-]+)\.ts/g)].map(([, file]) => file);
      // What follows in an asynchronous stack is who awaits the consumer.
      const calls = files.slice(files.indexOf('store/object-table'), files.indexOf('queue/queue-consumer') + 1);
      expect([...new Set(calls)]).toEqual([
        'store/object-table',
        'informer/delta-handler',
        'queue/poppable-queue',
        'queue/queue-consumer',
      ]);
      expect(files.filter((file) => /^(reflector|codec|http)\//.test(file ?? ''))).toEqual([]);
    }
    await informer.stop();
  });

  it('keeps the last state of an object until its next one cannot be indexed either, and notices when it is gone', async () => {
    const { source, informer, run, settle } = informerFixture({
      indexers: {
        color: ({ spec }) => {
          if (spec?.color === 'none') throw new Error('colourless');
          return [spec?.color ?? ''];
        },
      },
    });
    const handler = listener();
    informer.addEventHandler(handler);
    source.set('a', { color: 'red' });
    void run();
    await settle();
    source.set('a', { color: 'none' });
    await settle();
    expect(informer.indexer.byIndex('color', 'red')).toHaveLength(1);
    expect(informer.state.leftOut).toMatchObject([{ key: 'default/a', reason: expect.stringContaining('colourless') }]);
    await settle(10_000);
    expect(informer.store.listKeys()).toEqual([]);
    expect(handler.heard.map((heard) => heard.split(' ')[0])).toEqual(['add', 'delete']);
    expect(informer.state.leftOut).toHaveLength(1);
    source.remove('a');
    await settle();
    expect(informer.state.leftOut).toBeUndefined();
    expect(handler.heard).toHaveLength(2);
    await informer.stop();
  });

  it('adds indexers before and after the start', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    informer.addIndexers({ byName: 'metadata.name' });
    source.set('a', { color: 'red' });
    const running = run();
    await settle();
    informer.addIndexers({ color: 'spec.color' });
    source.set('b', { color: 'red' });
    await settle();
    expect(informer.indexer.byIndex('color', 'red')).toHaveLength(2);
    expect(informer.indexer.byIndex('byName', 'a')).toHaveLength(1);
    expect(() => informer.addIndexers({ color: 'spec.color' })).toThrow('exists already');
    expect(() => informer.indexer.byIndex('nope', 'x')).toThrow('"nope" does not exist');
    stop.abort();
    await running;
  });
});

describe('a handler that joins while the first list is stored', () => {
  it.each([
    ['without an index', {}],
    ['with the index of a factory', { [NAMESPACE_INDEX]: metaNamespaceIndex }],
  ])('hears of each object once, %s', async (_, indexers) => {
    const { source, informer, run, settle } = informerFixture({ indexers });
    const names = Array.from({ length: 100 }, (__, i) => `thing-${100 + i}`);
    for (const name of names) source.set(name);
    const late: string[] = [];
    let isAdded = false;
    informer.addEventHandler(
      { onAdd() {} },
      {
        filter: ({ metadata }) => {
          if (metadata?.name === 'thing-150' && !isAdded) {
            isAdded = true;
            informer.addEventHandler({ onAdd: (thing) => void late.push(thing.metadata?.name ?? '') });
          }
          return true;
        },
      },
    );
    void run();
    await settle(1_000);
    expect(late).toEqual(names);
    await informer.stop();
  });
});

describe('detectMutations', () => {
  it.each([
    ['without an index', {}],
    ['with the index of a factory', { [NAMESPACE_INDEX]: metaNamespaceIndex }],
  ])('reports a reader that changes a cached object, %s', async (_, indexers) => {
    const { source, informer, logger, run, settle } = informerFixture({ detectMutations: true, indexers });
    source.set('a', { color: 'red' });
    void run();
    await settle(1_000);
    const cached = informer.store.getByKey('default/a');
    if (cached?.spec) cached.spec.color = 'blue';
    await settle(2_000);
    expect(logger.lines).toEqual([expect.stringContaining('default/a was changed by a reader at spec.color')]);
    await informer.stop();
  });
});

describe('waiting', () => {
  it('waitForSync is true when synced, false after an abort or a stop, and rejects after its time', async () => {
    const { source, informer, clock, run, settle } = informerFixture();
    source.listFailures.push(new ApiError({ code: 500, message: 'boom' }));
    void run();
    const aborted = informer.waitForSync({ signal: AbortSignal.abort() });
    const late = informer.waitForSync({ timeoutMs: 100 });
    const synced = informer.waitForSync();
    const rejected = expect(late).rejects.toMatchObject({
      name: 'TidewatchError',
      kind: 'timeout',
      retryable: true,
      message: expect.stringContaining('things did not sync within 100 ms: it is backoff; last error: 500'),
    });
    await settle(10_000);
    await rejected;
    expect(await aborted).toBe(false);
    expect(await synced).toBe(true);
    await informer.stop();
    expect(clock.pendingTimers).toBe(0);
    const never = informerFixture();
    const waiting = never.informer.waitForSync();
    await never.informer.stop();
    expect(await waiting).toBe(false);
  });

  it('waitFor resolves when the cache holds the write, for an object and for a version', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    const running = run();
    await settle();
    const written = source.set('a', { color: 'red' });
    const byObject = informer.waitFor(written).then(() => informer.store.getByKey('default/a')?.spec?.color);
    const byVersion = informer.waitFor('1').then(() => informer.store.list().length);
    await settle();
    expect(await byObject).toBe('red');
    expect(await byVersion).toBe(1);
    stop.abort();
    await running;
  });

  it('waitFor says why it gave up', async () => {
    const { informer, run, settle, stop } = informerFixture();
    const running = run();
    const late = expect(informer.waitFor('99', { timeoutMs: 1_000 })).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('has not reached version 99'),
    });
    const aborted = expect(informer.waitFor('99', { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
    await settle(1_000);
    await Promise.all([late, aborted]);
    const stopped = expect(informer.waitFor('99')).rejects.toMatchObject({
      kind: 'stopped',
      retryable: false,
      message: expect.stringContaining('the informer stopped'),
    });
    stop.abort();
    await Promise.all([running, stopped]);
    await expect(informer.waitFor({})).rejects.toThrow(TypeError);
    await expect(informer.waitFor({})).rejects.toThrow('needs a resourceVersion');
  });

  it.each(['default/a', '', null, 5, () => true])('waitFor refuses %o, which no cache ever reaches', async (given) => {
    const { informer } = informerFixture();
    await expect(informer.waitFor(given as string, { timeoutMs: 0 })).rejects.toThrow(
      /^waitFor needs .* waitUntil\(key/,
    );
  });
});

describe('events', () => {
  it('gives a typed stream of the same changes, and ends with the informer', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    source.set('a');
    const heard: string[] = [];
    const reading = (async () => {
      for await (const event of informer.events()) {
        heard.push(event.type === 'update' ? `${event.type} ${event.oldObject.spec?.color}` : event.type);
      }
    })();
    const running = run();
    await settle();
    source.set('a', { color: 'red' });
    await settle();
    source.remove('a');
    await settle();
    stop.abort();
    await Promise.all([running, reading]);
    expect(heard).toEqual(['add', 'update undefined', 'delete']);
  });
});
