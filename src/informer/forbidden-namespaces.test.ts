import { describe, expect, it } from 'vitest';
import { configMaps } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { clusterFixture, until } from './cluster-fixture.ts';
import { deleted } from './conditions.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';

/** Namespaces `a` and `b`; `b` is forbidden until `allow` is called. */
async function setup(options: SharedInformerFactoryOptions) {
  const fixture = await clusterFixture();
  for (const name of ['a', 'b']) {
    await fixture.createNamespace(name);
    await fixture.createConfigMap(`of-${name}`, name);
  }
  const allow = fixture.server.access.deny({ verbs: ['list', 'watch'], resources: ['configmaps'], namespaces: ['b'] });
  const clock = new FakeClock();
  const factory = new SharedInformerFactory(fixture.cluster, { namespace: ['a', 'b'], clock, ...options });
  const informer = factory.for(configMaps).informer();
  const heard: string[] = [];
  const registration = informer.addEventHandler({
    onAdd: ({ metadata }, isInInitialList) => void heard.push(`${metadata?.name} ${isInInitialList}`),
  });
  return {
    ...fixture,
    allow,
    clock,
    factory,
    informer,
    heard,
    registration,
    tick: () => clock.advance(50),
    async [Symbol.asyncDispose]() {
      await factory.shutdown();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe("onForbidden: 'skip'", () => {
  it('lets the rest sync, says what is missing, and lets it join when the right comes', async () => {
    await using scene = await setup({ onForbidden: 'skip' });
    const { factory, informer, registration, heard, tick, allow, clock } = scene;
    factory.start();
    const synced = factory.waitForCacheSync();
    await until(() => informer.state.missing !== undefined && informer.state.phase === 'watching', tick);
    expect((await synced).get(configMaps)).toBe(true);
    await registration.synced;
    const { state } = informer;
    expect(state.missing).toMatchObject([{ namespace: 'b', lastError: { kind: 'forbidden' } }]);
    expect(state.missing?.[0]?.nextAttempt).toBeGreaterThan(0);
    expect([state.behindSince, state.lastError]).toEqual([undefined, undefined]);
    expect(factory.health()).toEqual({ ok: true, behind: [] });
    allow();
    await until(
      () => informer.state.missing === undefined && informer.store.size === 2,
      () => clock.advance(5_000),
    );
    await until(() => heard.length === 2, tick);
    expect(heard).toEqual(['of-a true', 'of-b false']);
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([true, true]);
  });

  it('does not take what is missing for absent', async () => {
    await using scene = await setup({ onForbidden: 'skip' });
    const { factory, informer, tick, allow, clock } = scene;
    factory.start();
    await until(() => informer.hasSynced(), tick);
    let isTold = false;
    const waiting = informer.waitUntil('b/never', deleted).then(() => {
      isTold = true;
    });
    await clock.advance(1_000);
    expect(isTold).toBe(false);
    allow();
    await until(
      () => isTold,
      () => clock.advance(5_000),
    );
    await waiting;
  });

  it('has not synced as long as everything is forbidden', async () => {
    await using scene = await setup({ onForbidden: 'skip', namespace: ['b'] });
    const { factory, informer, tick, allow, clock } = scene;
    factory.start();
    await until(() => informer.state.phase === 'forbidden', tick);
    expect(informer.hasSynced()).toBe(false);
    expect(informer.state.missing).toMatchObject([{ namespace: 'b' }]);
    allow();
    await until(
      () => informer.hasSynced(),
      () => clock.advance(5_000),
    );
    expect(informer.state.missing).toBeUndefined();
  });

  it('answers an added namespace that is forbidden with false', async () => {
    await using scene = await setup({ onForbidden: 'skip', namespace: ['a'] });
    const { factory, informer, tick } = scene;
    factory.start();
    await until(() => informer.hasSynced(), tick);
    let answer: boolean | undefined;
    const adding = factory.namespaces.add('b').then((added) => {
      answer = added;
    });
    await until(() => answer !== undefined, tick);
    await adding;
    expect(answer).toBe(false);
    expect(informer.state.missing).toMatchObject([{ namespace: 'b' }]);
  });
});

describe("onForbidden: 'wait'", () => {
  it('is the default: the informer syncs when it has everything', async () => {
    await using scene = await setup({});
    const { factory, informer, tick, allow, clock } = scene;
    factory.start();
    await until(() => informer.state.phase === 'forbidden' && informer.store.size === 1, tick);
    expect([informer.hasSynced(), informer.state.missing]).toEqual([false, undefined]);
    allow();
    await until(
      () => informer.hasSynced(),
      () => clock.advance(5_000),
    );
    expect(informer.store.size).toBe(2);
  });
});
