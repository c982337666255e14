/**
 * What a watch costs that brings nothing but bookmarks: an informer of a thousand namespaces beside as many bare sockets that send the
 * same request, over plain HTTP and over TLS, by turns.
 *
 *   npm run bench:idle -- [--watches 1000] [--rounds 3] [--write]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { publish } from '../last-result.ts';
import { buildPeers, buildReplayServer, type Command } from '../programs.ts';
import { show } from '../promise.ts';
import { Replay } from '../replay.ts';

const { values: options } = parseArgs({
  options: {
    watches: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});
/** As versions: beyond those of the objects. The first 30 warm up. */
const FIRST_BOOKMARK = 2_000_000_001;
const WARM = 30;
const MEASURED = 20;

interface Figures {
  /** Growth of the resident memory, and of what V8 holds on its heap and outside, for each watch. */
  readonly rssBytes: number;
  readonly usedBytes: number;
  /** User and system time. */
  readonly microsABookmark: number;
}

const server = buildReplayServer();
const command = (await buildPeers(new Set(['idle']))).get('idle');
if (command === undefined) throw new Error('the program cannot be built');
const results = new Map<string, Figures[]>();
for (const tls of [false, true]) {
  await using replay = await Replay.start(server, { kind: 'pods', objects: 10, tls }, new Set(['protobuf']));
  for (let round = 1; round <= Number(options.rounds); round++) {
    for (const client of ['tidewatch', 'bare']) {
      const figures = await run(command, replay, client);
      const name = nameOf(client, tls);
      console.error(`round ${round}: ${name} ${JSON.stringify(figures)}`);
      results.set(name, [...(results.get(name) ?? []), figures]);
    }
  }
}
print();

function nameOf(client: string, tls: boolean): string {
  return `${client}, ${tls ? 'TLS' : 'plain HTTP'}`;
}

async function run([program, ...first]: Command, replay: Replay, client: string): Promise<Figures> {
  const [warm, last] = [FIRST_BOOKMARK + WARM - 1, FIRST_BOOKMARK + WARM + MEASURED - 1];
  const own = ['--client', client, '--watches', options.watches, '--warm', String(warm), '--last', String(last)];
  const child = spawn(program, [...first, ...replay.clientArgs, ...own], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let figures = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line);
    figures = { ...figures, ...told };
    if ('rssBytes' in told) await bookmarks(replay, FIRST_BOOKMARK, warm);
    else if ('warm' in told) {
      await bookmarks(replay, warm + 1, last);
      child.stdin.end(`${MEASURED}\n`);
    }
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`${client} ended with ${code}`);
  return figures as Figures;
}

/** One after the other, so that each wakes the client up. */
async function bookmarks(replay: Replay, from: number, to: number): Promise<void> {
  for (let version = from; version <= to; version++) {
    const watches = await replay.sendBookmark(version);
    if (watches < Number(options.watches)) throw new Error(`only ${watches} watches are open`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function print(): void {
  const scene = `${Number(options.watches).toLocaleString('en')} idle watches`;
  const figure = (client: string, tls: boolean, name: keyof Figures) => {
    const sorted = (results.get(nameOf(client, tls)) ?? []).map((it) => it[name]).sort((a, b) => a - b);
    // Of memory the median; a processor that others use, too, can only take longer.
    return sorted[name === 'microsABookmark' ? 0 : sorted.length >> 1] ?? Number.NaN;
  };
  const lines = [`| ${scene} | resident, KB each | in use, KB each | CPU a bookmark, µs |`, '|---|--:|--:|--:|'];
  for (const tls of [false, true]) {
    for (const client of ['tidewatch', 'bare']) {
      const [rss, used] = [figure(client, tls, 'rssBytes'), figure(client, tls, 'usedBytes')];
      const micros = figure(client, tls, 'microsABookmark');
      const cells = [nameOf(client, tls), (rss / 1000).toFixed(1), (used / 1000).toFixed(1), micros.toFixed(1)];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  const kilobytes = { scene, unit: 'KB', limit: 30, guarded: 30, atLeast: false };
  const micros = { ...kilobytes, unit: 'µs', limit: 20, guarded: 20 };
  const plain = figure('tidewatch', false, 'usedBytes') / 1000;
  const more = (figure('tidewatch', true, 'usedBytes') - figure('bare', true, 'usedBytes')) / 1000;
  const promises = [
    show({ ...kilobytes, what: 'memory in use of a watch, plain HTTP', concerned: ['tidewatch'], value: plain }),
    show({
      ...kilobytes,
      what: 'memory in use of a watch, TLS, beyond that of a bare socket',
      concerned: ['tidewatch', 'bare'],
      value: more,
    }),
    ...[false, true].map((tls) => {
      const value = figure('tidewatch', tls, 'microsABookmark');
      return show({ ...micros, what: 'CPU a bookmark', concerned: [nameOf('tidewatch', tls)], value });
    }),
  ];
  publish({ section: 'idle', figures: lines.join('\n'), promises, write: options.write });
}
