import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/decode-error.ts';
import type { Pod } from '../generated/api/core/v1.ts';
import type { ResourceEventHandler } from '../processor/processor.ts';
import { ReflectorError } from '../reflector/reflector-error.ts';
import { DerivedInformer } from './derived-informer.ts';
import { wireFixture } from './wire-fixture.ts';

/** Writes down which node it has read of each pod, or that it could not. */
function nodeReader(): ResourceEventHandler<Pod> & { heard: string[] } {
  const heard: string[] = [];
  const read = (what: string, pod: Pod) => {
    heard.push(`${what} ${pod.metadata?.name}`);
    heard.push(`on ${pod.spec?.nodeName}`);
  };
  return { heard, onAdd: (pod) => read('add', pod), onUpdate: (_old, pod) => read('update', pod) };
}

const damaged = { name: 'a', nodeName: 'node-1', isDamaged: true };
const whole = { name: 'a', nodeName: 'node-1', isDamaged: false };

describe.each(['protobuf', 'json'] as const)('a damaged object that came in %s', (encoding) => {
  it('gives its reader an error that names it, is reported once, fetched again, and shown as an update', async () => {
    const { server, informer, reports, start, settle } = wireFixture(encoding);
    server.set(damaged);
    server.set({ name: 'b', nodeName: 'node-2' });
    const handler = nodeReader();
    informer.addEventHandler(handler);
    const open = server.holdRefetches();
    await start();
    expect(handler.heard).toEqual(['add a', 'add b', 'on node-2']);
    const view = informer.lister().get('default/a');
    expect(view?.metadata?.name).toBe('a');
    expect(() => view?.spec).toThrow(DecodeError);
    expect(() => informer.lister().get('default/a')?.spec).toThrow(/default\/a/);
    expect(reports).toMatchObject([{ phase: 'watching', retryInMs: 0, error: { kind: 'damaged', key: 'default/a' } }]);
    expect(reports[0]?.error.cause).toBeInstanceOf(DecodeError);
    server.resend(whole);
    open();
    await settle(2_000);
    expect(server.refetches).toEqual(['list /api/v1/namespaces/default/pods fieldSelector=metadata.name=a']);
    expect(informer.lister().get('default/a')?.spec?.nodeName).toBe('node-1');
    expect(handler.heard.slice(3)).toEqual(['update a', 'on node-1']);
    expect(reports).toHaveLength(1);
    await informer.stop();
  });

  it('is asked for once, when the same damage comes again', async () => {
    const { server, informer, reports, start, settle } = wireFixture(encoding);
    server.set(damaged);
    informer.addEventHandler(nodeReader());
    await start();
    for (let reads = 0; reads < 20; reads++) {
      expect(() => informer.lister().get('default/a')?.spec).toThrow(DecodeError);
      await settle(1_000);
    }
    expect(server.refetches).toHaveLength(1);
    expect(reports).toHaveLength(1);
    // Another version is another matter.
    server.set(damaged);
    await settle(5_000);
    expect(server.refetches).toHaveLength(2);
    expect(reports).toHaveLength(2);
    await informer.stop();
  });

  it('is not taken when an index has to read what is damaged, and is named in the state', async () => {
    for (const node of ['spec.nodeName' as const, (pod: Pod) => [pod.spec?.nodeName ?? '']]) {
      const { server, informer, reports, start, settle } = wireFixture(encoding, { indexers: { node } });
      server.set(damaged);
      server.set({ name: 'b', nodeName: 'node-2' });
      await start();
      await settle(10_000);
      expect(informer.store.listKeys()).toEqual(['default/b']);
      expect(informer.hasSynced()).toBe(true);
      expect(informer.state.leftOut).toMatchObject([
        { key: 'default/a', reason: expect.stringContaining('default/a') },
      ]);
      expect(reports.map(({ error }) => error)).toMatchObject([{ kind: 'unusable' }, { kind: 'unusable' }]);
      expect(server.refetches).toEqual([]);
      server.set(whole);
      await settle();
      expect(informer.indexer.indexKeys('node', 'node-1')).toEqual(['default/a']);
      expect(informer.state.leftOut).toBeUndefined();
      await informer.stop();
    }
  });
});

describe('fetching a damaged object again', () => {
  it('brings it into the selections that could not tell before', async () => {
    const { server, informer, start, settle } = wireFixture('protobuf');
    const onNode = new DerivedInformer(informer, { fieldSelector: 'spec.nodeName=node-1' });
    server.set(whole);
    const handler = nodeReader();
    const gone: unknown[] = [];
    onNode.addEventHandler({ ...handler, onDelete: ({ metadata }) => void gone.push(metadata?.name) });
    await start();
    expect(handler.heard.splice(0)).toEqual(['add a', 'on node-1']);
    const open = server.holdRefetches();
    server.set(damaged);
    await settle();
    expect(gone).toEqual(['a']);
    expect(() => onNode.lister().list()).toThrow(DecodeError);
    server.resend(whole);
    open();
    await settle(2_000);
    expect(handler.heard).toEqual(['add a', 'on node-1']);
    expect(onNode.store.listKeys()).toEqual(['default/a']);
    await informer.stop();
  });

  it('keeps to the selectors of the user', async () => {
    const { server, informer, start, settle } = wireFixture('protobuf', {
      namespace: ['default', 'other'],
      tweakListOptions: (options) => {
        options.labelSelector = 'app=web';
        options.fieldSelector = 'status.phase=Running';
      },
    });
    server.set({ ...damaged, namespace: 'other' });
    await start();
    expect(() => informer.lister().get('other/a')?.spec).toThrow(DecodeError);
    await settle(2_000);
    expect(server.refetches).toEqual([
      'list /api/v1/namespaces/other/pods labelSelector=app=web&fieldSelector=status.phase=Running,metadata.name=a',
    ]);
    await informer.stop();
  });

  it('never begins more than 5 requests in 2 s, however much is damaged', async () => {
    const { server, clock, informer, reports, start, settle } = wireFixture('protobuf');
    for (let n = 0; n < 30; n++) server.set({ ...damaged, name: `p${n}` });
    await start();
    const timesMs: number[] = [];
    const request = server.request.bind(server);
    server.request = (call) => {
      timesMs.push(clock.now());
      return request(call);
    };
    for (const pod of informer.lister().list()) expect(() => pod.spec).toThrow(DecodeError);
    expect(reports).toHaveLength(30);
    await settle(60_000);
    expect(server.refetches).toHaveLength(30);
    for (const from of timesMs) {
      expect(timesMs.filter((at) => at >= from && at < from + 2_000).length).toBeLessThanOrEqual(5);
    }
    await informer.stop();
  });

  it('changes nothing when the object has changed or gone meanwhile', async () => {
    const { server, informer, start, settle } = wireFixture('protobuf');
    for (const name of ['a', 'b', 'c']) server.set({ ...damaged, name });
    await start();
    const open = server.holdRefetches();
    for (const pod of informer.lister().list()) expect(() => pod.spec).toThrow(DecodeError);
    await settle();
    // The request for a is under way; those for b and c would come next.
    for (const name of ['a', 'b']) server.set({ ...whole, name, nodeName: 'node-9' });
    server.remove({ name: 'c' });
    await settle();
    open();
    await settle(10_000);
    expect(server.refetches).toHaveLength(1);
    expect(
      informer
        .lister()
        .list()
        .map(({ metadata, spec }) => [metadata?.name, spec?.nodeName])
        .sort(),
    ).toEqual([
      ['a', 'node-9'],
      ['b', 'node-9'],
    ]);
    await informer.stop();
  });

  it('does not bring back what a watch has deleted while the answer was on its way', async () => {
    const { server, informer, start, settle } = wireFixture('protobuf');
    server.set(damaged);
    await start();
    let answer: Awaited<ReturnType<typeof server.request>> | undefined;
    const request = server.request.bind(server);
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.request = async (call) => {
      answer = await request(call);
      await gate;
      return answer;
    };
    expect(() => informer.lister().get('default/a')?.spec).toThrow(DecodeError);
    await settle();
    expect(answer).toBeDefined();
    server.remove({ name: 'a' });
    open();
    await settle(5_000);
    expect(informer.store.listKeys()).toEqual([]);
    await informer.stop();
  });

  it('leaves the rest to the watch when the object is not there any more', async () => {
    const { server, informer, reports, start, settle } = wireFixture('protobuf');
    server.set(damaged);
    await start();
    server.remove({ name: 'a' }, { quietly: true });
    expect(() => informer.lister().get('default/a')?.spec).toThrow(DecodeError);
    await settle(5_000);
    expect(informer.store.listKeys()).toEqual(['default/a']);
    expect(reports).toHaveLength(1);
    await informer.stop();
  });

  it('is reported when it fails, and not tried again', async () => {
    const { server, informer, reports, start, settle } = wireFixture('protobuf');
    server.set(damaged);
    await start();
    server.failure = 503;
    expect(() => informer.lister().get('default/a')?.spec).toThrow(DecodeError);
    await settle(60_000);
    expect(server.refetches).toHaveLength(1);
    expect(reports).toMatchObject([{ error: { kind: 'damaged' } }, { error: { code: 503 }, phase: 'watching' }]);
    expect(reports[1]).not.toHaveProperty('retryInMs');
    expect(informer.state.phase).toBe('watching');
    await informer.stop();
  });

  it('waits while a list is under way or the server is away', async () => {
    const { server, informer, start, settle } = wireFixture('protobuf');
    server.set(damaged);
    await start();
    server.isAway = true;
    server.expire();
    await settle(600);
    expect(() => informer.lister().get('default/a')?.spec).toThrow(DecodeError);
    await settle(10_000);
    expect(informer.state.phase).toBe('backoff');
    expect(server.refetches).toEqual([]);
    server.isAway = false;
    await settle(60_000);
    // The list that came first has brought the same damage.
    expect(server.refetches).toHaveLength(1);
    await informer.stop();
  });

  it('ends with the informer, in the middle of a request and before one', async () => {
    const { server, clock, informer, reports, logger, start, settle } = wireFixture('protobuf');
    server.set(damaged);
    server.set({ ...damaged, name: 'b' });
    await start();
    server.holdRefetches();
    const views = informer.lister().list();
    expect(() => views[0]?.spec).toThrow(DecodeError);
    await settle();
    expect(server.refetches).toHaveLength(1);
    await informer.stop();
    expect(() => views[1]?.spec).toThrow(DecodeError);
    await settle(10_000);
    expect(server.refetches).toHaveLength(1);
    expect(reports).toHaveLength(1);
    expect(logger.lines).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not done for what is shown and not stored any more, which is reported alone', async () => {
    const { server, informer, reports, start, settle } = wireFixture('protobuf');
    server.set(damaged);
    await start();
    const old = informer.lister().get('default/a');
    server.set(whole);
    await settle();
    expect(() => old?.spec).toThrow(DecodeError);
    await settle(5_000);
    expect(server.refetches).toEqual([]);
    expect(reports).toHaveLength(1);
    expect(reports[0]?.error).toBeInstanceOf(ReflectorError);
    expect(reports[0]).not.toHaveProperty('retryInMs');
    await informer.stop();
  });

  it('makes an update of what a whole list has repaired, too', async () => {
    const { server, informer, start, settle } = wireFixture('protobuf', { minWatchTimeoutMs: 300_000 });
    server.set(damaged);
    server.failure = 503;
    const handler = nodeReader();
    informer.addEventHandler(handler);
    await start();
    await settle(2_000);
    server.resend(whole);
    server.expire();
    await settle(60_000);
    expect(handler.heard).toEqual(['add a', 'update a', 'on node-1']);
    await informer.stop();
  });
});
