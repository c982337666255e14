/**
 * Opens watches that bring nothing but bookmarks, each on a connection of its own, and reports what they take: with `--client tidewatch`
 * an informer of as many namespaces, with `--client bare` sockets that send the same request and read what comes.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { parseArgs } from 'node:util';
import { Cluster, leveled, SharedIndexInformer } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { memoryNow, report } from './measurement.ts';

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: '' },
    ca: { type: 'string' },
    client: { type: 'string', default: 'tidewatch' },
    watches: { type: 'string', default: '1000' },
    warm: { type: 'string', default: '' },
    last: { type: 'string', default: '' },
  },
});

/** Many watches of one process. */
interface Watches {
  /** Resolves when each has been sent this version. */
  seen(version: string): Promise<void>;
  close(): Promise<void>;
}

const CLIENTS: Readonly<Record<string, (namespaces: readonly string[]) => Promise<Watches>>> = { tidewatch, bare };
const open = CLIENTS[values.client];
if (open === undefined) throw new Error(`--client cannot be "${values.client}"`);

// What is needed once, whatever the number of watches: code, the certificate, the first socket.
const one = await open(['warm-up']);
await settled();
const before = memoryNow();
const watches = await open(Array.from({ length: Number(values.watches) }, (_, i) => `quiet-${i}`));
await settled();
const after = memoryNow();
const count = Number(values.watches);
report({ rssBytes: (after.rss - before.rss) / count, usedBytes: (after.all - before.all) / count });

// The first bookmarks compile what they run through, and do not count.
await watches.seen(values.warm);
report({ warm: true });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const cpu = process.cpuUsage();
await watches.seen(values.last);
const { user, system } = process.cpuUsage(cpu);
const [bookmarks = '1'] = [(await lines.next()).value as string | undefined];
report({ microsABookmark: (user + system) / (count * Number(bookmarks)) });
await Promise.all([one.close(), watches.close()]);
process.exit();

/** What was only needed to open them is gone. */
async function settled(): Promise<void> {
  await setTimeout(200);
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  await setTimeout(50);
}

async function tidewatch(namespaces: readonly string[]): Promise<Watches> {
  const cluster = await Cluster.connect({
    server: values.server,
    certificateAuthority: values.ca,
    kubeconfig: [],
    env: {},
    serviceAccountFolder: '/nonexistent',
  });
  const informer = new SharedIndexInformer({
    cluster,
    resource: pods,
    namespace: [...namespaces],
    logger: leveled(console, 'error'),
  });
  informer.addEventHandler({ onAdd() {} });
  const running = new AbortController();
  void informer.run({ signal: running.signal });
  await informer.waitForSync();
  return {
    seen: (version) => informer.waitFor(version),
    async close() {
      running.abort();
      await cluster.close();
    },
  };
}

async function bare(namespaces: readonly string[]): Promise<Watches> {
  const { hostname, port, host, protocol } = new URL(values.server);
  const ca = values.ca === undefined ? undefined : readFileSync(values.ca);
  const waiting = new Map<string, { left: number; resolve: () => void }>();
  const sockets: Socket[] = [];
  for (const namespace of namespaces) {
    const socket =
      protocol === 'https:'
        ? connectTls({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] })
        : connectPlain({ host: hostname, port: Number(port) });
    await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
    socket.write(
      `GET /api/v1/namespaces/${namespace}/pods?watch=1 HTTP/1.1\r\nhost: ${host}\r\naccept: application/vnd.kubernetes.protobuf;stream=watch\r\n\r\n`,
    );
    socket.on('data', (bytes) => {
      for (const [version, wait] of waiting) {
        if (bytes.includes(version) && --wait.left === 0) wait.resolve();
      }
    });
    await once(socket, 'data');
    sockets.push(socket);
  }
  return {
    seen: (version) => new Promise((resolve) => waiting.set(version, { left: sockets.length, resolve })),
    async close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
