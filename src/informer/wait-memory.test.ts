import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { configMaps } from '../generated/api/core/v1.ts';
import { clusterFixture } from './cluster-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('a wait that is over leaves nothing behind in an informer that goes on', async () => {
  await using fixture = await clusterFixture();
  await using informer = new SharedIndexInformer({ cluster: fixture.cluster, resource: configMaps });
  void informer.run();
  await informer.waitForSync();
  const version = informer.lastSyncResourceVersion();
  const wait = async (times: number) => {
    for (let i = 0; i < times; i++) await informer.waitFor(version);
  };
  await wait(2_000);
  const before = heapBytes();
  await wait(20_000);
  // One reaction of a promise that has not settled would be about 200.
  expect((heapBytes() - before) / 20_000).toBeLessThan(40);
});
