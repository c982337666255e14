/**
 * Follows one MODIFIED from the socket to a handler with V8's coverage, and demands that ARCHITECTURE.md tells the truth about it:
 * every file of `src` that ran is linked in the walk, no other file is, and they are no more than 40.
 *
 *     tsx scripts/check-walk.ts [--list]
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../src/cluster/cluster.ts';
import { pods } from '../src/generated/api/core/v1.ts';
import { SharedInformerFactory } from '../src/informer/shared-informer-factory.ts';
import { silentLogger } from '../src/observe/logger.ts';

const MOST_FILES = 40;
const root = resolve(import.meta.dirname, '..');

/** A field of a protobuf message that holds bytes, a text or another message. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const varint = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint]), bytes]);
}

function podBytes(version: string, node: string): Buffer {
  const [name, namespace, uid] = [field(1, 'web'), field(3, 'default'), field(5, 'uid-1')];
  const metadata = Buffer.concat([name, namespace, uid, field(6, version), field(11, mapEntry('app', 'web'))]);
  return Buffer.concat([field(1, metadata), field(2, field(10, node))]);
}

function bookmarkBytes(version: string): Buffer {
  const ended = mapEntry('k8s.io/initial-events-end', 'true');
  return field(1, Buffer.concat([field(6, version), field(12, ended)]));
}

function mapEntry(key: string, value: string): Buffer {
  return Buffer.concat([field(1, key), field(2, value)]);
}

/** As kube-apiserver writes it: the length, then a WatchEvent around an enveloped object. */
function frame(type: string, object: Buffer): Buffer {
  const envelope = Buffer.concat([field(1, Buffer.concat([field(1, 'v1'), field(2, 'Pod')])), field(2, object)]);
  const magic = Buffer.from('k8s\0');
  const event = Buffer.concat([field(1, type), field(2, field(1, Buffer.concat([magic, envelope])))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

/** The files of `src` in which a function ran between the two calls. */
async function filesRunDuring(what: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await what();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(
      ({ url, functions }) =>
        url.startsWith('file:') && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    )
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((path) => path.startsWith('src/'))
    .sort();
}

async function walk(): Promise<string[]> {
  const watches: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' });
    response.write(Buffer.concat([frame('ADDED', podBytes('1', 'node-1')), frame('BOOKMARK', bookmarkBytes('2'))]));
    watches.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cluster = await Cluster.connect({ server: `http://127.0.0.1:${port}`, logger: silentLogger });
  const factory = new SharedInformerFactory(cluster, { logger: silentLogger });
  const informer = factory.for(pods).informer();
  let notify: (node: string | undefined) => void = () => {};
  informer.addEventHandler({ onUpdate: (_old, pod) => notify(pod.metadata?.resourceVersion) });
  factory.start();
  await factory.waitForCacheSync();
  const change = async (version: number) => {
    const notified = new Promise<string | undefined>((done) => {
      notify = done;
    });
    for (const watch of watches) watch.write(frame('MODIFIED', podBytes(String(version), `node-${version}`)));
    if ((await notified) !== String(version)) throw new Error('the handler did not see the change');
  };
  // As in the life of a program: what happens once, at the first changes of a kind, is not part of the walk.
  for (let version = 3; version < 23; version++) await change(version);
  await new Promise((done) => setTimeout(done, 100));
  const files = await filesRunDuring(() => change(23));
  await factory.shutdown();
  await cluster.close();
  server.closeAllConnections();
  server.close();
  return files;
}

/** The files that the numbered steps of ARCHITECTURE.md link. */
function filesOnTheMap(): Set<string> {
  const text = readFileSync(resolve(root, 'ARCHITECTURE.md'), 'utf8');
  const steps = text.slice(text.indexOf('\n1. '), text.indexOf('\n## '));
  return new Set([...steps.matchAll(/\]\((src\/[^)#]+\.ts)\)/g)].map(([, path]) => path as string));
}

const files = await walk();
if (process.argv.includes('--list')) console.log(files.join('\n'));
const onTheMap = filesOnTheMap();
const problems = [
  ...files
    .filter((path) => !onTheMap.has(path))
    .map((path) => `${path} runs, and the walk of ARCHITECTURE.md does not link it.`),
  ...[...onTheMap]
    .filter((path) => !files.includes(path))
    .map((path) => `The walk of ARCHITECTURE.md links ${path}, which does not run.`),
  ...(files.length > MOST_FILES ? [`${files.length} files run, more than ${MOST_FILES}.`] : []),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`One MODIFIED runs through ${files.length} files, all of them on the map.`);
