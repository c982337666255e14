import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.ts';
import { contestants } from './contestants.ts';
import { toolchainVersions } from './programs.ts';
import { ratios } from './ratios.ts';
import type { Summary } from './summary.ts';
import { ratioTable, readTable, resultTable } from './tables.ts';

/** The size that the ratios are promised for. */
const STANDARD = 20_000;

/** Writes docs/benchmarks.md and docs/images/benchmarks.svg; every figure in them comes from this run. */
export function writeDocument(summary: Summary): void {
  const folder = new URL('../docs/', import.meta.url);
  mkdirSync(new URL('images/', folder), { recursive: true });
  const charted = summary.sizes.includes(STANDARD) ? STANDARD : (summary.sizes.at(-1) ?? 0);
  const asides = new Set(contestants.filter((contestant) => contestant.aside).map((contestant) => contestant.name));
  const peers = summary.peers(charted).filter((peer) => !asides.has(peer));
  writeFileSync(fileURLToPath(new URL('images/benchmarks.svg', folder)), chart(summary, charted, peers));
  writeFileSync(fileURLToPath(new URL('benchmarks.md', folder)), page(summary, charted));
}

function page(summary: Summary, charted: number): string {
  const tables = summary.sizes.map((objects) => resultTable(summary, objects));
  const reads = summary.sizes.map((objects) => readTable(summary, objects)).filter((table) => table !== '');
  return `# Benchmarks

<!-- Written by \`npm run bench -- --write\`. Change benchmarks/document.ts instead. -->

\`npm run bench\` runs tidewatch, client-go, kube-rs and @kubernetes/client-node by turns against a server that sends each
of them the same bytes: one pod, encoded by the serializers of Kubernetes, whose name, namespace, uid and
resourceVersion differ each time, so that the client is what limits the speed. The pod has two containers with 13
environment variables each, probes, volumes, a status, and the managedFields of two managers: 12.3 KB in JSON and 9.1 KB
in protobuf, 6.3 KB and 3.2 KB without managedFields. Each client has one handler, fills its cache, and then receives
MODIFIED events as fast as it reads them. A peer whose toolchain is missing is left out.

![Time to sync, memory a pod, peak RSS and events a second, for each client](images/benchmarks.svg)

${machine()}, loopback; the best of ${summary.rounds(charted)} rounds. Absolute figures move from machine to
machine, the ratios much less.

## Results

${tables.join('\n\n')}

- **sync**: from the start of the informer until its cache holds everything. **CPU**: user and system time of the process
  in that phase, all threads.
- **bytes a pod**: growth of the memory in use after garbage collection. In Node, the V8 heap and what it holds outside;
  in Go, the live heap; in Rust, what the allocator has handed out.
- **loop delay**: how late the event loop is while it syncs, 99 times in 100 and at worst, for clients in Node; 1 ms is the
  least that can be measured.
- tidewatch drops managedFields unless told otherwise; so the rows of the others where they are dropped are there too.

## Ratios

${ratioTable(ratios(summary, charted))}

A handler and an index function that read everything of every object cost tidewatch the decoding that it otherwise
saves; "everything read" is that case, with the packed store and with \`store: 'plain'\`.

## Reads

${reads.join('\n\n')}

Each figure is a mean over many objects. A view decodes a top-level field when it is first read; \`again\` is the same
field of the same view.

## Run it

\`\`\`sh
npm run bench                                  # 1,000 and 20,000 pods, a table
npm run bench -- --sizes 100000,1000000        # more; clients that cannot hold them are left out
npm run bench -- --only tidewatch --rounds 1   # some of the rows
npm run bench -- --json                        # one line of JSON for each run of each client
npm run bench -- --check                       # short; fails when a ratio gets worse by more than 30 %
\`\`\`
`;
}

function machine(): string {
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const model = processors[0]?.model.trim() ?? 'an unknown processor';
  const tools = [`Node ${process.versions.node}`, ...toolchainVersions()].join(', ');
  return `${processors.length} cores of ${model}, ${memory}, ${tools}`;
}
