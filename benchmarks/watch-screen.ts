/**
 * What `tidewatch watch` costs on a busy table: 5,000 rows, 2,000 events a second. The server runs in a process of its
 * own, so that the CPU counted here is that of the command alone; phases in which the terminal takes no frame tell how
 * much of it the drawing is.
 *
 *     tsx benchmarks/watch-screen.ts [--rows 5000] [--rate 2000] [--seconds 12]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Interrupted } from '../src/cli/cli-io.ts';
import { runCli } from '../src/cli/run-cli.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '12' },
    serve: { type: 'boolean', default: false },
  },
});
const [rows, rate, seconds] = [Number(values.rows), Number(values.rate), Number(values.seconds)];

const ROUNDS = 4;

/** A terminal of 200 by 50 that counts what is written to it. */
class CountingTerminal extends Writable {
  readonly isTTY = true;
  readonly columns = 200;
  readonly rows = 50;
  frames = 0;
  bytes = 0;
  last = '';
  #isStuck = false;
  #resume = () => {};

  constructor() {
    super({ decodeStrings: false, highWaterMark: 1 });
  }

  /** Takes nothing for a while: the screen then works nothing out either. */
  set isStuck(isStuck: boolean) {
    this.#isStuck = isStuck;
    if (!isStuck) this.#resume();
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.frames++;
    this.bytes += chunk.length;
    this.last = chunk;
    const taken = () => {
      this.#resume = () => {};
      done();
    };
    if (this.#isStuck) this.#resume = taken;
    else setImmediate(taken);
  }
}

/**
 * In the child: what a kube-apiserver answers to this command, from templates, so that two thousand events a second are
 * not more than it can send.
 */
async function serve(): Promise<void> {
  let made = 0;
  const front = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    response.setHeader('content-type', 'application/json');
    const send = (body: object) => response.end(JSON.stringify(body));
    if (url.pathname === '/api') send({ kind: 'APIVersions', versions: ['v1'] });
    else if (url.pathname === '/apis') send({ kind: 'APIGroupList', apiVersion: 'v1', groups: [] });
    else if (url.pathname === '/api/v1') send(RESOURCES);
    else if (url.searchParams.get('watch') !== 'true')
      send({ ...table(0), metadata: { resourceVersion: '1', remainingItemCount: rows - 1 } });
    else {
      if (url.searchParams.get('sendInitialEvents') === 'true') {
        for (let at = 0; at < rows; at++) response.write(event('ADDED', table(at, at === 0)));
        const metadata = { resourceVersion: '1000', annotations: { 'k8s.io/initial-events-end': 'true' } };
        response.write(event('BOOKMARK', { kind: 'Table', rows: [{ cells: [], object: { metadata } }] }));
      }
      const startMs = performance.now();
      let sent = 0;
      const timer = setInterval(() => {
        let text = '';
        for (const due = ((performance.now() - startMs) / 1_000) * rate; sent < due; sent++, made++) {
          text += event('MODIFIED', table((made * 7919) % rows, false, made));
        }
        response.write(text);
      }, 5);
      response.on('close', () => clearInterval(timer));
    }
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` });
  process.on('message', (message) => {
    if (message === 'count') process.send?.({ made });
    else process.exit();
  });
}

const RESOURCES = {
  kind: 'APIResourceList',
  groupVersion: 'v1',
  resources: [
    {
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['get', 'list', 'watch'],
      shortNames: ['po'],
    },
  ],
};

const COLUMNS = ['Name', 'Ready', 'Status', 'Restarts', 'Age'].map((name) => ({
  name,
  type: 'string',
  description: name === 'Age' ? 'CreationTimestamp is a timestamp representing the server time' : '',
  priority: 0,
}));

/** A table of one row, with an object of about 2 KB in it. */
function table(at: number, columns = true, change = 0): object {
  const name = `pod-${String(at).padStart(5, '0')}`;
  const status = change % 2 === 0 ? 'Running' : 'CrashLoopBackOff';
  const env = Array.from({ length: 12 }, (_, index) => ({ name: `VARIABLE_${index}`, value: 'some value or other' }));
  const object = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: 'default',
      uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      resourceVersion: String(1_000 + change),
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'web', 'pod-template-hash': '5d4f8c7b9' },
    },
    spec: { nodeName: `node-${at % 50}`, containers: [{ name: 'main', image: 'registry.example.com/app:1.2.3', env }] },
    status: { phase: 'Running', podIP: '10.0.0.1', conditions: env.slice(0, 5) },
  };
  const cells = [name, status === 'Running' ? '1/1' : '0/1', status, change % 10, '5d'];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    columnDefinitions: columns ? COLUMNS : null,
    rows: [{ cells, object }],
  };
}

function event(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

async function ask(server: ChildProcess): Promise<number> {
  const answer = once(server, 'message');
  server.send('count');
  const [{ made }] = await answer;
  return made;
}

/** CPU, events, frames and bytes, each a second. */
interface Rates {
  cpu: number;
  events: number;
  frames: number;
  bytes: number;
}

async function phase(server: ChildProcess, terminal: CountingTerminal, isDrawing: boolean): Promise<Rates> {
  terminal.isStuck = !isDrawing;
  await sleep(500);
  const [frames, bytes, events] = [terminal.frames, terminal.bytes, await ask(server)];
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await sleep((seconds * 1_000) / ROUNDS);
  const { user, system } = process.cpuUsage(cpu);
  const took = (performance.now() - startMs) / 1_000;
  return {
    cpu: (user + system) / 1e6 / took,
    events: ((await ask(server)) - events) / took,
    frames: (terminal.frames - frames) / took,
    bytes: (terminal.bytes - bytes) / took,
  };
}

async function measure(): Promise<void> {
  const script = fileURLToPath(import.meta.url);
  const args = ['--serve', '--rows', String(rows), '--rate', String(rate)];
  const server = fork(script, args, { execArgv: process.execArgv });
  const [{ url }] = await once(server, 'message');
  const terminal = new CountingTerminal();
  const stop = new AbortController();
  const running = runCli(['watch', 'pods', '-s', url], {
    stdin: new PassThrough(),
    stdout: terminal,
    stderr: process.stderr,
    env: { TERM: 'xterm', LANG: 'C.UTF-8' },
    signal: stop.signal,
  });
  while (!terminal.last.includes('watching')) await sleep(100);
  await sleep(2_000);
  // In turns, so that whatever else the machine does falls on both alike.
  const drawing: Rates[] = [];
  const silent: Rates[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    drawing.push(await phase(server, terminal, true));
    silent.push(await phase(server, terminal, false));
  }
  stop.abort(new Interrupted('SIGINT'));
  await running;
  server.send('end');
  const mean = (rounds: readonly Rates[], of: keyof Rates) =>
    rounds.reduce((sum, one) => sum + one[of], 0) / rounds.length;
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
  const [cpu, without] = [mean(drawing, 'cpu'), mean(silent, 'cpu')];
  console.log(`${rows} rows, ${Math.round(mean(drawing, 'events'))} events/s, a window of 200 by 50`);
  console.log(
    `  frames       ${mean(drawing, 'frames').toFixed(1)}/s, ${(mean(drawing, 'bytes') / 1_000).toFixed(1)} KB/s`,
  );
  console.log(`  CPU          ${percent(cpu)} of a core`);
  console.log(`  CPU, drawing ${percent(cpu - without)} (${percent(without)} without a frame)`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if (values.serve) await serve();
else await measure();
