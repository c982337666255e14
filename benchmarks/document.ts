import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.ts';
import { withSection } from './marked-section.ts';
import { type Outcome, rows } from './outcome.ts';
import type { PodSizes } from './programs.ts';
import { ALLOWANCE } from './promise.ts';
import { ratios } from './ratios.ts';
import { speedSentences } from './speed-sentences.ts';
import { ratioTable, readTables, resultTable, shortTable, targetTable } from './tables.ts';
import { targets } from './targets.ts';
import { machine, peerVersions } from './versions.ts';

/** The size that the ratios are promised for. */
const STANDARD = 20_000;

/** Writes docs/benchmarks.md, docs/images/benchmarks.svg and the sections of README.md; every figure comes from this run. */
export function writeDocument(outcome: Outcome, podSizes: PodSizes): void {
  const { summary, contestants } = outcome;
  const objects = summary.sizes.includes(STANDARD) ? STANDARD : (summary.sizes.at(-1) ?? 0);
  mkdirSync(pathOf('docs/images/'), { recursive: true });
  writeFileSync(pathOf('docs/images/benchmarks.svg'), chart(summary, objects, contestants));
  writeFileSync(pathOf('docs/benchmarks.md'), page(outcome, objects, podSizes));
  const readme = withSection(readFileSync(pathOf('README.md'), 'utf8'), 'speed', speedSentences(summary, objects));
  writeFileSync(pathOf('README.md'), withSection(readme, 'benchmarks', readmeSection(outcome, objects)));
}

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function readmeSection({ summary, contestants }: Outcome, objects: number): string {
  return `![Time to sync, memory a pod and events a second, for each client](docs/images/benchmarks.svg)

${shortTable(summary, objects, contestants)}

Each client gets the same bytes, by turns, on one machine. tidewatch drops managedFields by default.
[docs/benchmarks.md](docs/benchmarks.md) has the rows in which the others drop them too, other sizes, reads, and the method.`;
}

function page(outcome: Outcome, charted: number, podSizes: PodSizes): string {
  const { summary } = outcome;
  const tables = summary.sizes.map((objects) => resultTable(summary, objects, rows(outcome, objects)));
  const reads = summary.sizes.flatMap((objects) => readTables(summary, objects, rows(outcome, objects)));
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
  return `# Benchmarks

<!-- Written by \`npm run bench -- --write\`. Change benchmarks/document.ts instead. -->

tidewatch beside the informers of client-go, kube-rs and @kubernetes/client-node, in one run, on the same bytes.

![Time to sync, memory a pod and events a second, for each client](images/benchmarks.svg)

## How it is measured

- A server that is never the bottleneck sends each client the same pods: one pod, encoded by the serializers of
  Kubernetes, whose name, namespace, uid and resourceVersion differ each time. It has two containers with 13 environment
  variables each, probes, volumes, a status, and the managedFields of two managers: ${kilobytes(podSizes.json)} in JSON and
  ${kilobytes(podSizes.protobuf)} in protobuf, ${kilobytes(podSizes.jsonWithoutManagedFields)} and ${kilobytes(podSizes.protobufWithoutManagedFields)} without managedFields.
- Each client is a small program of its own in \`benchmarks/peers/\`, with one handler. It fills its cache, and then receives
  MODIFIED events as fast as it reads them. A run counts only if the cache holds every pod at the end.
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
- **bytes a pod**: growth of the memory in use after garbage collection. In Node, the V8 heap and what it holds outside;
  in Go, the live heap; in Rust, what the allocator has handed out. **peak RSS**: of the process, until it has synced.
- **events/s**: from the first event that reaches the handler to the last.
- **loop delay**: how late the event loop is while it syncs, 99 times in 100 and at worst, for clients in Node; 1 ms is the
  least that can be measured.
- tidewatch drops managedFields unless told otherwise; so the rows of the others where they are dropped are there too.
- **everything read**: an index function and a handler that read all of every object, which costs tidewatch the decoding
  that it otherwise saves, with the packed store and with \`store: 'plain'\`.

## Ratios

With ${charted.toLocaleString('en')} pods:

${ratioTable(ratios(summary, charted))}

## Promises of its own

${targetTable(targets(summary))}

## Reads

${reads.join('\n\n')}

Each figure is a mean over many objects, after as many reads that do not count. A view decodes a top-level field when it is
first read; \`again\` is the same field of the same view. From 100,000 pods on, the cache is also read while it syncs, every 50 ms:
the list of one namespace, the same by index, and one object. As in client-go, a cache shows nothing before the server has sent
everything.

## Run it

Node and Go are needed, and cargo for the row of kube-rs.

\`\`\`sh
npm run bench                                      # every size and client, under half an hour
npm run bench -- --sizes 20000 --rounds 1          # one size, once
npm run bench -- --only tidewatch                  # some of the rows, by a part of their names
npm run bench -- --sizes 1000000 --any-size        # also the clients that are not expected to manage
npm run bench -- --json                            # one line of JSON for each run of each client
npm run bench -- --check                           # under three minutes; fails when a ratio is worse by ${Math.round((ALLOWANCE - 1) * 100)} %
npm run bench -- --write                           # this page, its picture, and the table of the README
\`\`\`
`;
}

function roundsSentence({ summary, contestants }: Outcome): string {
  const sentences = summary.sizes.map((objects) => {
    const counts = contestants.map(({ name }) => summary.rounds(name, objects)).filter((count) => count > 0);
    const most = Math.max(...counts);
    const fewer = contestants.filter(
      ({ name }) => summary.rounds(name, objects) < most && summary.rounds(name, objects) > 0,
    );
    const except = fewer.map(({ name }) => `${name} ${summary.rounds(name, objects)}`).join(', ');
    return `${most} with ${objects.toLocaleString('en')} pods${except === '' ? '' : ` (${except})`}`;
  });
  return sentences.join(', ');
}
