import type { Cluster } from '../../cluster/cluster.ts';
import { type Lease, leases } from '../../generated/api/coordination/v1.ts';
import { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import { silentLogger } from '../../observe/logger.ts';
import { type CliIo, Interrupted } from '../cli-io.ts';
import { phaseSpans, trouble } from '../informer-status.ts';
import { JobControl, type Stoppable } from '../terminal/job-control.ts';
import { type Key, Keyboard } from '../terminal/keyboard.ts';
import { RepaintTimer } from '../terminal/repaint-timer.ts';
import { Screen } from '../terminal/screen.ts';
import { scrollStep } from '../terminal/scroll-keys.ts';
import type { Painter, Span } from '../terminal/style.ts';
import { untilAborted } from '../until-aborted.ts';
import { askAll, HEALTH_MS } from './health-answers.ts';
import { tableLines } from './top-lines.ts';
import type { TopRequest } from './top-request.ts';
import { type HealthAnswer, topRows } from './top-table.ts';

/** Lines above and below the rows: title, status, blank, headings; and the keys. */
const FRAME_LINES = 5;

export interface TopScreenOptions {
  cluster: Cluster;
  request: TopRequest;
  io: CliIo;
  painter: Painter;
  /** What Ctrl-Z stops. Default: this process. */
  host?: Stoppable | undefined;
}

/** Leases and what waits, as they change. */
export class TopScreen {
  readonly #options: TopScreenOptions;
  readonly #informer: SharedIndexInformer<Lease>;
  readonly #timer: RepaintTimer;
  readonly #screen: Screen;
  #answers: readonly HealthAnswer[] = [];
  #offset = 0;

  constructor(options: TopScreenOptions) {
    const { cluster, request, io } = options;
    const { namespace } = request;
    this.#options = options;
    this.#informer = new SharedIndexInformer<Lease>({
      cluster,
      resource: leases,
      namespace,
      clock: io.clock,
      logger: silentLogger,
    });
    this.#timer = new RepaintTimer({ clock: io.clock, idleMs: 1_000, paint: () => this.#paint() });
    this.#screen = new Screen({ output: io.stdout, onStale: () => this.#timer.request() });
  }

  /** Until the user leaves. */
  async run(): Promise<number> {
    const { io, host } = this.#options;
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
      else if (key === 'ctrl-z') job.suspend();
      else this.#scroll(key);
    });
    const job = new JobControl({
      leave: () => {
        keyboard.close();
        this.#screen.close();
      },
      enter: () => {
        this.#screen.open();
        keyboard.open();
        this.#timer.request();
      },
      ...(host && { host }),
    });
    const changed = () => this.#timer.request();
    this.#informer.addEventHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
    const ended = untilAborted(io.signal).then(() => Promise.reject(io.signal.reason));
    ended.catch(() => {});
    this.#screen.open();
    keyboard.open();
    job.open();
    this.#timer.request();
    const running = this.#informer.run({ signal });
    const asking = this.#ask(signal);
    try {
      return await Promise.race([left, ended]);
    } finally {
      this.#timer.stop();
      job.close();
      keyboard.close();
      this.#screen.close();
      stop.abort();
      await Promise.all([running, asking]);
    }
  }

  /** Asks the health servers again and again. */
  async #ask(signal: AbortSignal): Promise<void> {
    const { io, request } = this.#options;
    while (request.health.length > 0 && !signal.aborted) {
      this.#answers = await askAll(request.health, signal);
      this.#timer.request();
      await io.clock.sleep(HEALTH_MS, signal).catch(() => {});
    }
  }

  #scroll(key: Key): void {
    const step = scrollStep(key, this.#room);
    if (step === undefined) return;
    this.#offset = Math.max(0, this.#offset + step);
    this.#timer.request();
  }

  /** For how many rows there is room. */
  get #room(): number {
    return Math.max(1, this.#screen.rows - FRAME_LINES);
  }

  #paint(): void {
    // A frame that the terminal has no time for is not worked out either.
    if (!this.#screen.ready) return;
    const { io, painter, request } = this.#options;
    const { columns } = this.#screen;
    const nowMs = io.clock.now();
    const rows = topRows(this.#informer.lister().list(), this.#answers, { nowMs, name: request.name });
    const room = this.#room;
    this.#offset = Math.min(this.#offset, Math.max(0, rows.length - room));
    const [headings = '', ...all] = tableLines(rows, painter, columns);
    const lines = all.slice(this.#offset, this.#offset + room);
    this.#screen.draw([
      painter.line(this.#title(), columns),
      painter.line(this.#status(nowMs), columns),
      '',
      headings,
      ...lines,
      ...Array.from({ length: room - lines.length }, () => ''),
      painter.line(this.#footer(lines.length, rows.length), columns),
    ]);
  }

  #title(): Span[] {
    const { cluster, request } = this.#options;
    return [
      { text: `leases in ${request.namespace}`, style: 'bold' },
      { text: `  ${cluster.server}`, style: 'dim' },
    ];
  }

  #status(nowMs: number): Span[] {
    const { state } = this.#informer;
    const silent = this.#answers.flatMap((answer) => ('error' in answer ? answer.error : []));
    const problem = trouble(state, nowMs) ?? silent[0];
    return [
      ...phaseSpans(state, this.#options.painter.glyphs.dot),
      ...(problem === undefined ? [] : [{ text: `  ${problem}`, style: 'red' as const }]),
    ];
  }

  #footer(shown: number, total: number): Span[] {
    const where = shown === 0 ? '' : `${this.#offset + 1}-${this.#offset + shown} of ${total}  `;
    return [{ text: `${where}q quit  j/k up/down  space page  g/G ends`, style: 'dim' }];
  }
}
