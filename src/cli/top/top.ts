import type { Cluster } from '../../cluster/cluster.ts';
import type { ManagerStatus } from '../../controller/manager-status.ts';
import { type Lease, leases } from '../../generated/api/coordination/v1.ts';
import { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import { silentLogger } from '../../observe/logger.ts';
import { UsageError } from '../cli-error.ts';
import { type CliIo, Interrupted } from '../cli-io.ts';
import type { Invocation } from '../command.ts';
import { connect } from '../connection-flags.ts';
import { phaseSpans, trouble } from '../informer-status.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { RepaintTimer } from '../terminal/repaint-timer.ts';
import { Screen } from '../terminal/screen.ts';
import { Painter, type Span } from '../terminal/style.ts';
import { untilAborted } from '../until-aborted.ts';
import { fittedWidths, GAP } from '../watch/column-layout.ts';
import { HEADINGS, type HealthAnswer, topRows } from './top-table.ts';

const HEALTH_MS = 2_000;

export interface TopRequest {
  readonly namespace: string;
  readonly name: string | undefined;
  readonly health: readonly string[];
  readonly plain: boolean;
}

export async function top(invocation: Invocation): Promise<number> {
  const { io, flags, positionals } = invocation;
  const health = flags.texts('health').map(statusUrl);
  const cluster = await connect(invocation);
  const leave = () => void cluster.close();
  io.signal.addEventListener('abort', leave, { once: true });
  try {
    const namespace = flags.text('namespace') ?? cluster.namespace;
    return await topOn(cluster, { namespace, name: positionals[0], health, plain: flags.on('plain') }, io);
  } finally {
    io.signal.removeEventListener('abort', leave);
    await cluster.close();
  }
}

/** The same on a cluster that is already found. */
export async function topOn(cluster: Cluster, request: TopRequest, io: CliIo): Promise<number> {
  const { namespace, name } = request;
  // Whatever the server has against the request shows here, at once; an informer would go on trying.
  const { items } = await cluster.client(leases).list({ namespace, signal: io.signal });
  const capabilities = capabilitiesOf(io.stdout, io.env);
  const painter = new Painter(capabilities);
  if (capabilities.live && !request.plain) return live(cluster, request, io, painter);
  const answers = await askAll(request.health, io.signal);
  for (const answer of answers) if ('error' in answer) io.stderr.write(`${painter.plain(answer.error)}\n`);
  const rows = topRows(items, answers, { nowMs: io.clock.now(), name });
  if (rows.length === 0) io.stderr.write(`No Leases found in namespace "${namespace}".\n`);
  else io.stdout.write(`${tableLines(rows, painter, Number.POSITIVE_INFINITY).join('\n')}\n`);
  return 0;
}

async function live(
  cluster: Cluster,
  { namespace, name, health }: TopRequest,
  io: CliIo,
  painter: Painter,
): Promise<number> {
  const informer = new SharedIndexInformer<Lease>({
    cluster,
    resource: leases,
    namespace,
    clock: io.clock,
    logger: silentLogger,
  });
  let answers: readonly HealthAnswer[] = [];
  const timer = new RepaintTimer({ clock: io.clock, idleMs: 1_000, paint: () => paint() });
  const screen = new Screen({ output: io.stdout, onStale: () => timer.request() });
  const paint = () => {
    if (!screen.ready) return;
    const { columns } = screen;
    const nowMs = io.clock.now();
    const problem = trouble(informer.state, nowMs) ?? answers.flatMap((one) => ('error' in one ? one.error : []))[0];
    const title: Span[] = [
      { text: `leases in ${namespace}`, style: 'bold' },
      { text: `  ${cluster.server}`, style: 'dim' },
    ];
    const status: Span[] = [
      ...phaseSpans(informer.state, painter.glyphs.dot),
      ...(problem === undefined ? [] : [{ text: `  ${problem}`, style: 'red' as const }]),
    ];
    const rows = topRows(informer.lister().list(), answers, { nowMs, name });
    const room = Math.max(1, screen.rows - 5);
    const lines = tableLines(rows, painter, columns).slice(0, room + 1);
    screen.draw([
      painter.line(title, columns),
      painter.line(status, columns),
      '',
      ...lines,
      ...Array.from({ length: Math.max(0, room + 1 - lines.length) }, () => ''),
      painter.line([{ text: 'q quit', style: 'dim' }], columns),
    ]);
  };
  const stop = new AbortController();
  const signal = AbortSignal.any([io.signal, stop.signal]);
  let leave: (how: number | Interrupted) => void = () => {};
  const left = new Promise<number>((resolve, reject) => {
    leave = (how) => (typeof how === 'number' ? resolve(how) : reject(how));
  });
  left.catch(() => {});
  const keyboard = new Keyboard(io.stdin, (key) => {
    if (key === 'q') leave(0);
    else if (key === 'ctrl-c') leave(new Interrupted('SIGINT'));
  });
  const changed = () => timer.request();
  informer.addEventHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
  const ended = untilAborted(io.signal).then(() => Promise.reject(io.signal.reason));
  ended.catch(() => {});
  screen.open();
  keyboard.open();
  timer.request();
  const running = informer.run({ signal });
  const asking = (async () => {
    while (health.length > 0 && !signal.aborted) {
      answers = await askAll(health, signal);
      timer.request();
      await io.clock.sleep(HEALTH_MS, signal).catch(() => {});
    }
  })();
  try {
    return await Promise.race([left, ended]);
  } finally {
    timer.stop();
    keyboard.close();
    screen.close();
    stop.abort();
    await Promise.all([running, asking]);
  }
}

function tableLines(rows: readonly (readonly string[])[], painter: Painter, columns: number): string[] {
  const all = [HEADINGS as readonly string[], ...rows];
  const wanted = HEADINGS.map((_, at) => Math.max(...all.map((row) => painter.width(row[at] ?? ''))));
  const widths = Number.isFinite(columns) ? fittedWidths(wanted, columns) : wanted;
  return all.map((row, index) => {
    const text = row.map((cell, at) => painter.fit(cell, widths[at] ?? 0)).join(' '.repeat(GAP));
    if (!Number.isFinite(columns)) return text.trimEnd();
    return painter.line([{ text, ...(index === 0 && { style: 'bold' as const }) }], columns);
  });
}

function statusUrl(text: string): string {
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return new URL('/debug/status', url).href;
  } catch {
    // Said below.
  }
  throw new UsageError(`"${text}" is not the URL of a health server`, 'Write it as http://127.0.0.1:8081.');
}

function askAll(urls: readonly string[], signal: AbortSignal): Promise<HealthAnswer[]> {
  return Promise.all(urls.map((url) => ask(url, signal)));
}

async function ask(url: string, signal: AbortSignal): Promise<HealthAnswer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(HEALTH_MS)]) });
    if (!response.ok) return { url, error: `${url} answered ${response.status}` };
    const status = (await response.json()) as ManagerStatus;
    if (!Array.isArray(status?.controllers)) return { url, error: `${url} is not the health server of a manager` };
    return { url, status };
  } catch (error) {
    return { url, error: `${url} does not answer: ${(error as Error).message}` };
  }
}
