/**
 * The program that is looked at: it follows all pods of the replay server, with an inspector, without, or with one that nobody opens. Its standard
 * input asks for figures, a line each: `cpu` is answered with the milliseconds that its first thread has had a processor, `turns` begins to measure turns of the event
 * loop, and `longest` ends that with the longest of them.
 */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { serveInspector } from 'tidewatch/inspector';
import { LoopTurns } from './loop-turns.ts';
import { ThreadTime } from './thread-time.ts';

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: '' },
    ca: { type: 'string' },
    inspect: { type: 'boolean', default: false },
  },
});
const logger = leveled(console, 'error');
const cluster = await Cluster.connect({
  server: values.server,
  certificateAuthority: values.ca,
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
  logger,
});
const factory = new SharedInformerFactory(cluster, { logger });
const informer = factory.for(pods).informer();
let heard = 0;
informer.addEventHandler(
  {
    onUpdate: (_, { metadata }) => {
      if (metadata?.resourceVersion) heard++;
    },
  },
  { name: 'counting' },
);
const inspector = values.inspect ? await serveInspector({ factories: [factory], port: 0, logger }) : undefined;
factory.start();
await informer.waitForSync();
answer(inspector?.url ?? 'none');

using time = new ThreadTime();
let turns: LoopTurns | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'cpu') answer(`${time.now()} ${heard}`);
  else if (line === 'turns') {
    turns = new LoopTurns().start();
    answer('measuring');
  } else if (line === 'longest') answer(String(turns?.stop().longestMs ?? 0));
}
await inspector?.stop();
await factory.shutdown();
await cluster.close();

function answer(text: string): void {
  process.stdout.write(`${text}\n`);
}
