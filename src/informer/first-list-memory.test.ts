import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { configMaps } from '../generated/api/core/v1.ts';
import { clusterFixture, until } from './cluster-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it.each([
  ['a WatchList', true],
  ['a LIST', false],
])('what %s brought is not kept alive by the watch after it', async (_, watchList) => {
  await using fixture = await clusterFixture();
  await fixture.createConfigMap('a');
  // The memory of a compact cache knows a few versions that are gone, until it writes over them.
  const options = { cluster: fixture.cluster, resource: configMaps, watchList, store: 'plain' } as const;
  await using informer = new SharedIndexInformer(options);
  void informer.run();
  await informer.waitForSync();
  const stored = () => informer.table.get('default/a');
  const first = new WeakRef(stored() as object);
  const version = stored()?.resourceVersion;
  await fixture.admin.client(configMaps, { namespace: 'default' }).patch('a', { data: { changed: 'yes' } });
  await until(() => stored()?.resourceVersion !== version);
  // More of them than a batch or a queue could still hold.
  for (let i = 0; i < 3; i++) await fixture.createConfigMap(`other-${i}`);
  await until(() => informer.table.size === 4);
  await until(() => {
    collectGarbage();
    return first.deref() === undefined;
  });
  expect(first.deref()).toBeUndefined();
});
