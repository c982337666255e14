/** A slow handler is slow alone; one that wants only the newest state of each object says so. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster, { namespace: 'default' });
  const informer = factory.for(pods).informer();

  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const calls = { quick: 0, every: 0, latest: 0 };
  const quick = informer.addEventHandler({ onUpdate: () => void calls.quick++ }, { name: 'quick' });
  // An async handler is awaited before its next call. These two hang until the gate opens.
  const slow = (name: 'every' | 'latest') => async () => {
    calls[name]++;
    await gate;
  };
  const every = informer.addEventHandler({ onUpdate: slow('every') }, { name: 'every' });
  const latest = informer.addEventHandler({ onUpdate: slow('latest') }, { name: 'latest', delivery: 'latest' });

  factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  await Promise.all([every.synced, latest.synced]);

  await meanwhile(async (others) => {
    for (let step = 1; step <= 50; step++) {
      for (const name of ['wordpress', 'mysql']) {
        const written = await others.client(pods).patch(name, { metadata: { annotations: { step: String(step) } } });
        if (step === 50) await informer.waitFor(written, { signal });
      }
    }
  });
  // The one that is running counts. With `latest`, at most one more for each object waits.
  log(`every: ${every.pending} wait, the oldest for ${every.lagMs} ms`);
  log(`latest: ${latest.pending} wait, the oldest for ${latest.lagMs} ms`);

  open();
  while ([quick, every, latest].some(({ pending }) => pending > 0)) await sleep(10);
  log(`calls: quick ${calls.quick}, every ${calls.every}, latest ${calls.latest}`);
  await untilDone();
}

await runExample(import.meta.url, main);
