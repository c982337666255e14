import type { Cluster } from '../../cluster/cluster.ts';
import { type Lease, leases } from '../../generated/api/coordination/v1.ts';
import { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import { silentLogger } from '../../observe/logger.ts';
import type { CliIo } from '../cli-io.ts';
import { phaseSpans, trouble } from '../informer-status.ts';
import { FullScreen } from '../terminal/full-screen.ts';
import type { Stoppable } from '../terminal/job-control.ts';
import type { Key } from '../terminal/keyboard.ts';
import { scrollStep } from '../terminal/scroll-keys.ts';
import type { Painter, Span } from '../terminal/style.ts';
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
  readonly #screen: FullScreen;
  #answers: readonly HealthAnswer[] = [];
  #offset = 0;

  constructor(options: TopScreenOptions) {
    const { cluster, request, io, host } = options;
    const { namespace } = request;
    this.#options = options;
    this.#informer = new SharedIndexInformer<Lease>({
      cluster,
      resource: leases,
      namespace,
      clock: io.clock,
      logger: silentLogger,
    });
    this.#screen = new FullScreen({
      io,
      idleMs: 1_000,
      paint: () => this.#paint(),
      onKey: (key) => this.#scroll(key),
      host,
    });
  }

  /** Until the user leaves. */
  async run(): Promise<number> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#options.io.signal, stop.signal]);
    const changed = () => this.#screen.changed();
    this.#informer.addEventHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
    let ended: Promise<unknown> | undefined;
    try {
      return await this.#screen.show((left) => {
        ended = Promise.all([this.#informer.run({ signal }), this.#ask(signal)]);
        return left;
      });
    } finally {
      stop.abort();
      await ended;
    }
  }

  /** Asks the health servers again and again. */
  async #ask(signal: AbortSignal): Promise<void> {
    const { io, request } = this.#options;
    while (request.health.length > 0 && !signal.aborted) {
      this.#answers = await askAll(request.health, signal);
      this.#screen.changed();
      await io.clock.sleep(HEALTH_MS, signal).catch(() => {});
    }
  }

  #scroll(key: Key): void {
    const step = scrollStep(key, this.#room);
    if (step === undefined) return;
    this.#offset = Math.max(0, this.#offset + step);
    this.#screen.changed();
  }

  /** For how many rows there is room. */
  get #room(): number {
    return Math.max(1, this.#screen.rows - FRAME_LINES);
  }

  #paint(): void {
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
