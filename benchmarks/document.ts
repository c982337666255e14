import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.ts';
import type { Contestant } from './contestants.ts';
import { withLastResults } from './last-result.ts';
import { withSection } from './marked-section.ts';
import { type Outcome, rows } from './outcome.ts';
import type { PodSizes } from './programs.ts';
import { ALLOWANCE } from './promise.ts';
import { ratios } from './ratios.ts';
import { STANDARD, titleOf } from './scene.ts';
import { speedSentences } from './speed-sentences.ts';
import { lossTable, ratioTable, readTables, resultTable, shortTable, targetTable } from './tables.ts';
import { targets } from './targets.ts';
import { machine, peerVersions } from './versions.ts';

/**
 * Writes docs/benchmarks.md, docs/images/benchmarks.svg and the sections of README.md. Every figure comes from this run, but for those of
 * the benchmarks that run apart, which stay as they are.
 */
export function writeDocument(outcome: Outcome, podSizes: PodSizes): void {
  const { summary, contestants } = outcome;
  const standard = titleOf(STANDARD);
  const charted = summary.scenes.includes(standard) ? standard : (summary.scenes[0] ?? standard);
  mkdirSync(pathOf('docs/images/'), { recursive: true });
  writeFileSync(pathOf('docs/images/benchmarks.svg'), chart(summary, charted, contestants));
  const old = readFileSync(pathOf('docs/benchmarks.md'), 'utf8');
  writeFileSync(pathOf('docs/benchmarks.md'), withLastResults(page(outcome, charted, podSizes), old));
  const readme = withSection(readFileSync(pathOf('README.md'), 'utf8'), 'speed', speedSentences(summary, charted));
  writeFileSync(pathOf('README.md'), withSection(readme, 'benchmarks', readmeSection(outcome, charted)));
}

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function readmeSection({ summary, contestants }: Outcome, charted: string): string {
  return `![Time to sync, memory a pod and events a second, for each client](docs/images/benchmarks.svg)

${shortTable(summary, charted, contestants)}

Pods of ${workloads(charted)} workloads, over TLS. Each client gets the same bytes, by turns, on one machine, and keeps its
defaults. tidewatch drops managedFields by default. [docs/benchmarks.md](docs/benchmarks.md) has the rows in which the others drop
them too, other sizes and kinds, what reads cost, and the method.`;
}

/** The fleet has ten pods a workload. */
function workloads(scene: string): string {
  return (Number(scene.split(' ')[0]?.replaceAll(',', '')) / 10).toLocaleString('en');
}

function page(outcome: Outcome, charted: string, podSizes: PodSizes): string {
  const { summary, scenes } = outcome;
  const tables = scenes.map((scene) => resultTable(summary, titleOf(scene), rows(outcome, scene)));
  const reads = scenes.flatMap((scene) => readTables(summary, titleOf(scene), rows(outcome, scene)));
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
  return `# Benchmarks

<!-- Written by \`npm run bench -- --write\`. Change benchmarks/document.ts instead. -->

tidewatch beside the informers of client-go, kube-rs and @kubernetes/client-node, in one run, on the same bytes. This page says how
each figure is made, and [what you lose](#what-you-lose-when-memory-is-saved) when memory is saved.

![Time to sync, memory a pod and events a second, for each client](images/benchmarks.svg)

## How it is measured

- A server that is never the bottleneck sends each client the same objects, encoded by the serializers of Kubernetes and made from a
  seed. **Pods** are those of many workloads, about ten of each: workloads differ in labels, annotations, owner, containers (1 to 4,
  with 0 to 30 environment variables), probes and volumes; pods differ in all that pods of one workload differ in: name, uid,
  version, node, addresses, times, container ids, the name of the volume with their token, and what their status says. On average a
  pod has ${kilobytes(podSizes.json)} in JSON and ${kilobytes(podSizes.protobuf)} in protobuf, ${kilobytes(podSizes.jsonWithoutManagedFields)} and ${kilobytes(podSizes.protobufWithoutManagedFields)} without managedFields.
- The other kinds: **Events** of about 1 KB; **ConfigMaps**, half of them the certificate authority that each namespace has;
  **Secrets** from passwords to releases of Helm; **custom resources**, nested JSON of 2 KB and their managedFields. **Copies of one pod**
  (12.3 KB in JSON) differ only in name, namespace, uid and version.
- Over TLS, unless a table says plain HTTP. The server offers HTTP/2 and HTTP/1.1, and each client takes what it takes by
  default: client-go HTTP/2, the others HTTP/1.1.
- Each client is a small program of its own in \`benchmarks/peers/\`, with one handler, and otherwise with its defaults. It fills its
  cache, and then receives 20,000 MODIFIED events, in random order, as fast as it reads them: pods restart, get ready and stop being
  ready. A run counts only if the cache holds every object at the end.
- The clients take turns, round after round, so that whatever else the machine does falls on all of them. Of times and
  rates the best round counts, because other programs can only make them worse; of memory the median.
  Rounds: ${roundsSentence(outcome)}.
- The machine: ${machine()}; loopback.
- The clients: ${peerVersions()}. One whose toolchain is missing is left out.

Times move from machine to machine, the ratios much less.

## Results

${tables.join('\n\n')}

- **sync**: from the start of the informer until its cache holds everything. **CPU**: user and system time of the process
  in that phase, all threads.
- **bytes each**: growth of the memory in use, after the 20,000 events and a garbage collection, divided by the objects. In Node, the
  V8 heap and what it holds outside; in Go, the live heap; in Rust, what the allocator has handed out. **of V8**: the part of it that the
  garbage collector has to look at. **peak RSS**: of the process, until it has synced.
- **events/s**: from the first event that reaches the handler to the last.
- **loop delay**: how late the event loop is while it syncs, 99 times in 100 and at worst, for clients in Node; 1 ms is the
  least that can be measured.
- tidewatch drops managedFields unless told otherwise; so the rows of the others where they are dropped are there too.
- **everything read**: an index function and a handler that read all of every object, which costs tidewatch the decoding
  that it otherwise saves, with the packed store and with \`store: 'plain'\`.

## Ratios

${ratioTable(ratios(summary))}

## Promises of its own

${targetTable(targets(summary))}

## Reads

${reads.join('\n\n')}

Each figure is a mean over many objects, after as many reads that do not count, of the cache as the events have left it.

- **get and metadata**: one object by its key, and its name. **first image**: one object, and the image of its first container (of a custom
  resource: of its first component). **again**: the same of the same view.
- **all names**: \`lister.list()\`, and the name of each. **two fields of all**: \`status.phase\` and \`spec.nodeName\` of each (of a custom
  resource: \`spec.className\`). **by \`project\`**: both and the name, without views.
- **by index**: all objects of one namespace, and the name of each.
- From 100,000 pods on, the cache is also read while it syncs, every 50 ms: the list of one namespace, the same by index, and one object.
  As in client-go, a cache shows nothing before the server has sent everything.

## What you lose when memory is saved

client-go stores decoded objects, so a read is a pointer. tidewatch stores bytes, and a read decodes them. With ${charted}:

${lossTable(summary, charted)}

- A program that reads every field of every object again and again pays that price each time: \`store: 'plain'\` decodes each object once, when it
  arrives, for the memory of the row "tidewatch, plain".
- A view that you hold keeps what it has decoded; two calls of \`get\` give two views, and each decodes for itself.
- In return an object costs the garbage collector next to nothing: the column "of V8" is what it has to look at.

## Idle watches

\`npm run bench:idle\` prints what a watch costs that brings nothing but bookmarks. An informer of 1,000 namespaces that hold nothing, so
with 1,000 watches on 1,000 connections, runs beside a program with as many bare sockets (\`net.connect\`, \`tls.connect\`), which send the
same request and look at what comes; over plain HTTP and over TLS, by turns.

- **in use**: growth of the V8 heap and of what it holds outside, after a garbage collection, divided by the watches. One watch was open
  before, so that code and certificates do not count. **resident**: growth of the resident memory, in which TLS has its own, and V8 what
  it has not given back.
- **CPU a bookmark**: user and system time of the process for 20 bookmarks to each watch, 50 ms apart, after 30 that do not count.
- Promised: 30 KB in use over plain HTTP; over TLS 30 KB more than a bare socket; 20 µs.

<!-- idle: begin -->
<!-- idle: end -->

## Beside curl

\`npm run bench:curl\` needs the programs of a real control plane (\`npx tsx scripts/build-control-plane.ts\`) and curl. It creates 5,000 pods on a
kube-apiserver, and fetches them by turns: with an informer, \`watchList: false\`, from its start until it has synced; with a socket of Node that
drops what it reads; and with curl, from its start to its last byte, which goes to /dev/null. All open a new connection with TLS, and send
one LIST at resourceVersion 0 without pages, with the same \`Accept\` and \`Accept-Encoding\`, over HTTP/1.1, each with a \`User-Agent\` of its
own; once without compression, and once with gzip. The start of the processes does not count. Promised: at most 1.15 times the time of
curl.

The code that reads the list runs for the first time then, and is compiled while it runs, on the two cores that the server needs, too; and
the server sends small TLS records, each of which is a call from Node into JavaScript.

<!-- curl: begin -->
<!-- curl: end -->

## Warm restart

\`npm run bench:restart\` starts a program with a \`snapshot\` twice in each round, with 100,000 pods over TLS: without a file, so that it lists
and leaves a snapshot behind, and with that file. It compares the time until the cache can be read (\`waitForSync\`), the CPU time of the
process until then, and the bytes of lists and watches that the server has sent; and it tells how long the snapshot takes to write.
Promised: at most 0.25 times the time and the CPU time of a list, and at most 2 % of the bytes. Much of the CPU
time of a start from a snapshot is the kernel's, which copies the file into new memory.

<!-- restart: begin -->
<!-- restart: end -->

## Run it

Node and Go are needed, and cargo for the row of kube-rs.

\`\`\`sh
npm run bench                                      # every scene and client, about twenty minutes
npm run bench -- --sizes 20000 --rounds 1          # one size of pods, once
npm run bench -- --scenes 'custom resources'       # some of the scenes, by a part of their titles
npm run bench -- --only tidewatch                  # some of the rows, by a part of their names
npm run bench -- --sizes 1000000 --any-size        # also the clients that are not expected to manage
npm run bench -- --json                            # one line of JSON for each run of each client
npm run bench -- --check                           # about three minutes; fails when a ratio is worse by ${Math.round((ALLOWANCE - 1) * 100)} %
npm run bench -- --write                           # this page, its picture, and the table of the README
npm run bench:idle                                 # a thousand idle watches
npm run bench:curl                                 # a first list beside curl, on a real kube-apiserver
npm run bench:restart                              # a start from a snapshot beside a list
npm run bench:restart -- --write                   # its part of this page; so do bench:idle and bench:curl
\`\`\`
`;
}

function roundsSentence({ summary, contestants }: Outcome): string {
  const sentences = summary.scenes.map((scene) => {
    const rounds = ({ name }: Contestant) => summary.rounds(name, scene);
    const most = Math.max(...contestants.map(rounds));
    const fewer = contestants.filter((contestant) => rounds(contestant) < most && rounds(contestant) > 0);
    const except = fewer.map((contestant) => `${contestant.name} ${rounds(contestant)}`).join(', ');
    return `${most} with ${scene}${except === '' ? '' : ` (${except})`}`;
  });
  return sentences.join(', ');
}
