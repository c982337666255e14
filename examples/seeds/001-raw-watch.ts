/** What an informer stands on: one watch, frame by frame, as the API server writes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample, type Story } from '../example-cluster.ts';

export async function main({ cluster, log, signal }: ExampleContext): Promise<void> {
  for await (const event of cluster.client(pods).watch({ signal })) {
    if (event.type === 'ERROR') throw new ApiError(event.object);
    const { kind, apiVersion, metadata: { name, resourceVersion } = {} } = event.object;
    log(JSON.stringify({ type: event.type, object: { kind, apiVersion, metadata: { name, resourceVersion } } }));
  }
}

const podChangesAndGoesAway: Story = async (others, signal) => {
  await sleep(1_000, undefined, { signal });
  await others.client(pods).patch('wordpress', { metadata: { labels: { tier: 'front' } } });
  await others.client(pods).delete('wordpress');
  await sleep(1_000, undefined, { signal });
};

await runExample(import.meta.url, main, { story: podChangesAndGoesAway });
