/** What an informer stands on: one watch, frame by frame, as the API server writes it. */
import { pathToFileURL } from 'node:url';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from '../example-cluster.ts';

export async function main({ cluster, log, signal }: ExampleContext): Promise<void> {
  for await (const event of cluster.client(pods).watch({ signal })) {
    const { kind, apiVersion, metadata } = event.object;
    log(JSON.stringify({ type: event.type, object: { kind, apiVersion, metadata } }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runExample(main);
