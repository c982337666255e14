import { expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { ApiServer } from '../apiserver/apiserver.ts';
import { Cluster } from '../cluster/cluster.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { informerFixture, listener } from './informer-fixture.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const throws = () => {
  throw new Error('broken');
};
const rejects = async () => Promise.reject(new Error('broken'));

/** vitest fails a test on a rejection that nobody handles. */
it.each([
  ['throws', throws],
  ['returns a rejected promise', rejects],
])('an informer whose logger, metrics and handlers are such that each call %s follows the server', async (_, fail) => {
  const handler = listener();
  const metrics: Metrics = {
    counter: () => ({ add: fail }),
    gauge: () => ({ set: fail }),
    histogram: () => ({ observe: fail }),
  };
  const { source, informer, run, settle, stop } = informerFixture({
    metrics,
    logger: { debug: fail, info: fail, warn: fail, error: fail },
    watchErrorHandler: fail,
  });
  informer.addEventHandler(handler);
  informer.addEventHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
  source.listFailures.push(new Error('the first list fails'));
  source.set('a');
  const running = run();
  await settle(2_000);
  source.set('b');
  await settle();
  source.watchFailures.push(new ApiError({ code: 500 }));
  source.cut();
  await settle(2_000);
  source.set('c');
  source.remove('a');
  await settle();
  expect(informer.store.listKeys().toSorted()).toEqual(['default/b', 'default/c']);
  expect(handler.heard).toEqual(['add a@1!', 'add b@2', 'add c@3', 'delete a@4']);
  expect(informer.state.phase).toBe('watching');
  stop.abort();
  await running;
});

it('a change that is stored is not reported as one that could not be, when what observes the cache throws', async () => {
  const reports: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => void reports.push(message) };
  const { source, informer, run, settle, stop } = informerFixture({ logger });
  const seen: string[] = [];
  informer.observe(throws);
  informer.observe(({ object }) => void seen.push(object.key));
  source.set('a');
  const running = run();
  await settle();
  expect(informer.store.listKeys()).toEqual(['default/a']);
  expect(seen).toEqual(['default/a']);
  expect(reports).toEqual([`${informer.name}: default/a is stored, and what observes the cache failed on it.`]);
  stop.abort();
  await running;
});

it('an informer whose logger throws and that has no watch error handler gets over failures', async () => {
  const { source, informer, run, settle, stop } = informerFixture({
    logger: { debug: throws, info: throws, warn: throws, error: throws },
    // biome-ignore lint/suspicious/noExplicitAny: the types do not let anybody unset it
    watchErrorHandler: undefined as any,
  });
  source.listFailures.push(new Error('x'), new Error('y'));
  source.set('a');
  const running = run();
  await settle(10_000);
  expect(informer.hasSynced()).toBe(true);
  stop.abort();
  await running;
});

it('a client and an informer of a cluster whose metrics throw get their answers', async () => {
  await using server = await ApiServer.start({ logger: silentLogger, http: true });
  const failing: Metrics = {
    counter: () => ({ add: throws }),
    gauge: throws,
    histogram: () => ({ observe: throws }),
  };
  const env = { KUBECONFIG: '/dev/null' };
  await using cluster = await Cluster.connect({ server: server.url, env, metrics: failing, logger: silentLogger });
  await cluster.client(configMaps).create({ metadata: { name: 'a' } });
  await using factory = new SharedInformerFactory(cluster);
  const informer = factory.for(configMaps).informer();
  factory.start();
  await factory.waitForCacheSync();
  expect(informer.store.listKeys()).toContain('default/a');
});
