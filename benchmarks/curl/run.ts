/**
 * The first list of an informer beside the same request by curl, from a real kube-apiserver, by turns: same `Accept` and
 * `Accept-Encoding`, HTTP/1.1, one LIST at resourceVersion 0 without pages. A socket of Node that drops what it reads shows what of the
 * difference is Node's.
 *
 *   npm run bench:curl -- [--pods 5000] [--rounds 10] [--write]
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { Cluster } from '../../src/cluster/cluster.ts';
import { pods } from '../../src/generated/api/core/v1.ts';
import { ControlPlane } from '../../src/testing/control-plane.ts';
import { publish } from '../last-result.ts';
import { buildPeers } from '../programs.ts';
import { show } from '../promise.ts';
import { somePod } from './some-pod.ts';

const { values: options } = parseArgs({
  options: {
    pods: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
});
const count = Number(options.pods);
const CONCURRENT = 16;
const ACCEPT = 'application/vnd.kubernetes.protobuf,application/json';
const run = promisify(execFile);

interface Fetched {
  readonly seconds: number;
  readonly bytes?: number;
}

const [program = '', ...first] = (await buildPeers(new Set(['first-list']))).get('first-list') ?? [];
await using plane = await ControlPlane.start();
await createPods();
const times = new Map<string, Fetched[]>();
for (const gzip of [false, true]) {
  // The server has an answer in hand, and its own caches are warm.
  await curl(gzip);
  for (let round = 1; round <= Number(options.rounds); round++) {
    const clients = [
      ['tidewatch', tidewatch],
      ['a bare socket of Node', bare],
      ['curl', curl],
    ] as const;
    for (const [client, fetch] of clients) {
      const fetched = await fetch(gzip);
      const name = nameOf(client, gzip);
      console.error(`round ${round}: ${name} ${JSON.stringify(fetched)}`);
      times.set(name, [...(times.get(name) ?? []), fetched]);
    }
  }
}
print();

async function createPods(): Promise<void> {
  const cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile() });
  const client = cluster.client(pods, { namespace: 'default' });
  let next = 0;
  const worker = async () => {
    while (next < count) await client.create(somePod(next++));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  await cluster.close();
}

async function tidewatch(gzip: boolean): Promise<Fetched> {
  const { seconds, objects } = await firstList('tidewatch', gzip);
  if (objects !== count) throw new Error(`it holds ${objects} of ${count} pods`);
  return { seconds };
}

async function bare(gzip: boolean): Promise<Fetched> {
  const { seconds, bytes = 0 } = await firstList('bare', gzip);
  return { seconds, bytes };
}

async function firstList(client: string, gzip: boolean): Promise<Fetched & { readonly objects?: number }> {
  const args = ['--server', plane.server, '--ca', plane.caFile, '--token', plane.token, ...(gzip ? ['--gzip'] : [])];
  const { stdout } = await run(program, [...first, '--client', client, ...args]);
  return JSON.parse(stdout) as Fetched & { readonly objects?: number };
}

/** From its first request on, with the connection and its handshake, as tidewatch. What comes is decompressed, and dropped. */
async function curl(gzip: boolean): Promise<Fetched> {
  const headers = { accept: ACCEPT, authorization: `Bearer ${plane.token}`, 'user-agent': 'curl-benchmark' };
  const { stdout } = await run('curl', [
    ...['--silent', '--fail', '--http1.1', '--cacert', plane.caFile, '--output', '/dev/null'],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...(gzip ? ['--compressed', '--header', 'accept-encoding: gzip'] : []),
    ...['--write-out', '{"seconds":%{time_total},"bytes":%{size_download}}'],
    `${plane.server}/api/v1/pods?resourceVersion=0`,
  ]);
  return JSON.parse(stdout) as Fetched;
}

function nameOf(client: string, gzip: boolean): string {
  return `${client}${gzip ? ', gzip' : ''}`;
}

function print(): void {
  const scene = `${count.toLocaleString('en')} pods of a kube-apiserver`;
  const best = (name: string) => Math.min(...(times.get(name) ?? []).map(({ seconds }) => seconds));
  const lines = [`| ${scene} | time, ms | sent, MB |`, '|---|--:|--:|'];
  for (const [name] of times) {
    const bytes = times.get(name)?.[0]?.bytes;
    const sent = bytes === undefined ? '–' : (bytes / 1e6).toFixed(1);
    lines.push(`| ${name} | ${(best(name) * 1000).toFixed(0)} | ${sent} |`);
  }
  const promises = [false, true].map((gzip) => {
    const concerned = [nameOf('tidewatch', gzip), nameOf('curl', gzip)] as const;
    const value = best(concerned[0]) / best(concerned[1]);
    return show({
      what: gzip ? 'time in that of curl, gzip' : 'time in that of curl',
      scene,
      concerned,
      value,
      unit: '',
      limit: 1.15,
      guarded: 1.15,
      atLeast: false,
    });
  });
  publish({ section: 'curl', figures: lines.join('\n'), promises, write: options.write });
}
