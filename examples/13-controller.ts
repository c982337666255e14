/**
 * A controller: each ConfigMap with the label `copies` gets as many copies as it says, which go when it goes. The manager runs the function
 * when something changes, again when it failed, and not before the cache holds what the last run wrote.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stored } from 'tidewatch';
import { type ConfigMap, configMaps } from 'tidewatch/api/core/v1';
import { Manager } from 'tidewatch/controller';
import { type ExampleContext, runExample, type Story } from './example-cluster.ts';

const wanted = ({ metadata }: Stored<ConfigMap>) => Number(metadata.labels?.copies ?? 0);

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  const manager = new Manager(cluster, { namespace: 'default' });
  manager
    .controller('copies')
    .for(configMaps, { when: ({ object }) => object.metadata.labels?.copies !== undefined })
    .owns(configMaps)
    .reconcile(async ({ key, object, own, client, lister }) => {
      if (!object) {
        log(`${key} is gone`);
        return;
      }
      const copies = lister(configMaps).list(`copy-of=${object.metadata.name}`);
      const tooMany = copies.slice(wanted(object));
      const missing = Math.max(wanted(object) - copies.length, 0);
      for (let n = 0; n < missing; n++) {
        const metadata = { generateName: `${object.metadata.name}-`, labels: { 'copy-of': object.metadata.name } };
        await client(configMaps).create(own({ metadata, ...(object.data && { data: object.data }) }));
      }
      for (const copy of tooMany) await client(configMaps).delete(copy.metadata.name);
      if (missing > 0) log(`${key}: made ${missing} copies`);
      if (tooMany.length > 0) log(`${key}: deleted ${tooMany.length} copies`);
    });
  const stop = new AbortController();
  const running = manager.run({ signal: AbortSignal.any([signal, stop.signal]) });

  const page = { metadata: { name: 'page', labels: { copies: '3' } }, data: { text: 'Hello' } };
  await meanwhile((others) => others.client(configMaps).create(page));
  await untilDone();
  stop.abort();
  await running;
}

/** Somebody wants fewer copies, and then none. */
const changesOfMind: Story = async (others, signal) => {
  await sleep(500, undefined, { signal });
  await others.client(configMaps).patch('page', { metadata: { labels: { copies: '1' } } });
  await sleep(500, undefined, { signal });
  await others.client(configMaps).delete('page');
  await sleep(500, undefined, { signal });
};

await runExample(import.meta.url, main, { story: changesOfMind });
