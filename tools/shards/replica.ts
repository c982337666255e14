/**
 * One replica of a controller for ConfigMaps that shares its keys with others. SIGTERM stops it.
 *
 *     tsx tools/shards/replica.ts KUBECONFIG IDENTITY write|spin
 *
 * `write`: each run writes into its object who runs it, and for which round. `spin`: a run takes 20 ms and asks to be run again; how many have ended is
 * printed each second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../src/cluster/cluster.ts';
import { Manager } from '../../src/controller/manager.ts';
import { configMaps } from '../../src/generated/api/core/v1.ts';

const [kubeconfig = '', identity = '', mode = 'write'] = process.argv.slice(2);
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());

const cluster = await Cluster.connect({ kubeconfig });
const manager = new Manager(cluster, { namespace: 'default', sharding: { name: 'trial', identity } });
let runs = 0;
manager
  .controller('trial')
  .for(configMaps, {
    when: (event) => event.type !== 'update' || event.object.data?.round !== event.oldObject.data?.round,
  })
  .reconcile(
    async ({ name, object, client, signal }) => {
      if (!object) return undefined;
      if (mode === 'spin') {
        await sleep(20, undefined, { signal });
        runs++;
        return { requeueAfterMs: 1 };
      }
      await client(configMaps).patch(name, { data: { by: identity, done: object.data?.round ?? '' } });
      return undefined;
    },
    { concurrency: 8 },
  );
if (mode === 'spin') setInterval(() => process.stdout.write(`${runs}\n`), 1_000).unref();
await manager.run({ signal: stop.signal });
await cluster.close();
