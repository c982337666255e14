/**
 * What the embedded API server bears, in process.
 *
 *   npx tsx benchmarks/apiserver.ts [--creates 5000] [--watchers 1000] [--changes 1000] [--rounds 3] [--objects 100000] [--json]
 *
 * Watchers in JSON and in protobuf take turns, and the best of the rounds counts; the two are compared by the CPU time that they take.
 * `--json` prints one line for each measurement instead of the table.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type ConfigMap, configMaps } from '../src/generated/api/core/v1.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { LoopTurns } from './loop-turns.ts';

const { values: options } = parseArgs({
  options: {
    creates: { type: 'string', default: '5000' },
    watchers: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    objects: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
  },
});

interface Measured {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The promise; unset: it is only reported. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

const NAMESPACE = 'default';
const CONCURRENT = 50;

/** A config map of a given size in JSON, roughly. */
function configMap(index: number, bytes: number): ConfigMap {
  const name = `load-${String(index).padStart(7, '0')}`;
  return { metadata: { name, labels: { app: 'load' } }, data: { filling: 'x'.repeat(Math.max(0, bytes - 300)) } };
}

async function createMany(server: ApiServer, count: number, bytes: number, concurrent: number): Promise<number> {
  const client = server.cluster().client(configMaps, { namespace: NAMESPACE });
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await client.create(configMap(next++, bytes));
  };
  await Promise.all(Array.from({ length: concurrent }, worker));
  return count / ((performance.now() - start) / 1000);
}

async function measureCreates(): Promise<Measured[]> {
  const count = Number(options.creates);
  const measured: Measured[] = [];
  // The first server only warms the compiler up.
  for (const [what, concurrent] of [
    ['', 1],
    ['creates a second, one at a time', 1],
    [`creates a second, ${CONCURRENT} at a time`, CONCURRENT],
  ] as const) {
    await using server = await ApiServer.start({ listen: false });
    const value = await createMany(server, count, 1_000, concurrent);
    if (what !== '') measured.push({ what, value, unit: '/s' });
  }
  return measured;
}

const ENCODINGS = [
  { name: 'JSON', accept: 'application/json', counter: newlineCounter },
  { name: 'protobuf', accept: 'application/vnd.kubernetes.protobuf;stream=watch', counter: frameCounter },
] as const;

interface Round {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly longestMs: number;
}

async function measureWatchers(): Promise<Measured[]> {
  const [watchers, changes] = [Number(options.watchers), Number(options.changes)];
  const rounds = new Map<string, Round[]>(ENCODINGS.map(({ name }) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const encoding of ENCODINGS) rounds.get(encoding.name)?.push(await watcherRound(encoding));
  }
  const best = (name: string, what: keyof Round) => Math.min(...(rounds.get(name) ?? []).map((round) => round[what]));
  return [
    ...ENCODINGS.flatMap(({ name }): Measured[] => [
      { what: `${changes} changes to ${watchers} watchers each, in ${name}`, value: best(name, 'seconds'), unit: 's' },
      {
        what: `events delivered a second, in ${name}`,
        value: (watchers * changes) / best(name, 'seconds'),
        unit: '/s',
      },
      { what: 'longest turn of the event loop in it', value: best(name, 'longestMs'), unit: 'ms' },
    ]),
    {
      what: 'events for the same CPU time, protobuf beside JSON',
      value: best('JSON', 'cpuSeconds') / best('protobuf', 'cpuSeconds'),
      unit: 'x',
      atLeast: 1,
    },
  ];
}

async function watcherRound({ accept, counter }: (typeof ENCODINGS)[number]): Promise<Round> {
  const watchers = Number(options.watchers);
  const changes = Number(options.changes);
  await using server = await ApiServer.start({ listen: false });
  const transport = server.transport();
  const stopping = new AbortController();
  const watches = Array.from({ length: watchers }, async () => {
    const { body } = await transport.request({
      method: 'GET',
      path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
      query: `watch=true&resourceVersion=${server.resourceVersion}`,
      headers: { accept },
      signal: stopping.signal,
    });
    let seen = 0;
    const count = counter();
    for await (const chunk of body) {
      seen += count(chunk);
      if (seen >= changes) return;
    }
  });
  while (server.openWatches < watchers) await nextTurn();
  const turns = new LoopTurns().start();
  const start = performance.now();
  const cpu = process.cpuUsage();
  await createMany(server, changes, 1_000, 1);
  await Promise.all(watches);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  return { seconds, cpuSeconds: (user + system) / 1e6, longestMs: turns.stop().longestMs };
}

async function measureList(): Promise<Measured[]> {
  const objects = Number(options.objects);
  await using server = await ApiServer.start({ listen: false });
  const rate = await createMany(server, objects, 2_000, CONCURRENT);
  const transport = server.transport();
  const list = async () => {
    const { body } = await transport.request({ method: 'GET', path: '/api/v1/configmaps', query: 'resourceVersion=0' });
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    return bytes;
  };
  const turns = new LoopTurns().start();
  const start = performance.now();
  const bytes = await list();
  const seconds = (performance.now() - start) / 1000;
  const { longestMs, p99Ms } = turns.stop();
  return [
    { what: `creates a second, ${objects} objects of 2 KB`, value: rate, unit: '/s' },
    { what: `list of them (${Math.round(bytes / 1e6)} MB)`, value: seconds, unit: 's' },
    { what: 'longest turn of the event loop in it', value: longestMs, unit: 'ms', atMost: 50 },
    { what: 'turns of the event loop in it, p99', value: p99Ms, unit: 'ms' },
  ];
}

function newlineCounter(): (chunk: Uint8Array) => number {
  return (chunk) => {
    let count = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
    return count;
  };
}

/** Counts the frames that begin; each says in its first four bytes how long it is. */
function frameCounter(): (chunk: Uint8Array) => number {
  /** Bytes of the next chunk that belong to what has begun. */
  let ahead = 0;
  return (chunk) => {
    let count = 0;
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // In process, chunks end where frames end.
    let at = ahead;
    for (; at < chunk.length; at += 4 + view.getUint32(at)) count++;
    ahead = at - chunk.length;
    return count;
  };
}

for (const measure of [measureCreates, measureWatchers, measureList]) {
  for (const measured of await measure()) {
    const { what, value, unit } = measured;
    if (options.json) console.log(JSON.stringify(measured));
    else
      console.log(
        `${value.toLocaleString('en', { maximumFractionDigits: 2 }).padStart(12)} ${unit.padEnd(3)} ${what}${verdict(measured)}`,
      );
  }
}

function verdict({ value, atMost, atLeast }: Measured): string {
  if (atMost !== undefined) return `  ${value <= atMost ? 'holds' : 'MISSED'} (at most ${atMost})`;
  if (atLeast !== undefined) return `  ${value >= atLeast ? 'holds' : 'MISSED'} (at least ${atLeast})`;
  return '';
}
