import type { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import { phaseSpans, trouble } from '../informer-status.ts';
import { RateMeter } from '../rate-meter.ts';
import type { Capabilities } from '../terminal/capabilities.ts';
import { FullScreen } from '../terminal/full-screen.ts';
import type { Key } from '../terminal/keyboard.ts';
import { counted, countText, rateText } from '../terminal/number-text.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { scrollStep } from '../terminal/scroll-keys.ts';
import { Painter, type Span } from '../terminal/style.ts';
import type { WatchFailures } from './follow.ts';
import { LiveTable } from './live-table.ts';
import { RowTable } from './row-table.ts';
import type { TableRow } from './table-rows.ts';
import type { TableSource } from './table-source.ts';
import type { ViewColumn } from './table-view.ts';
import type { WatchContext } from './watch-context.ts';

export interface WatchScreenOptions extends Pick<WatchContext, 'io' | 'request' | 'target' | 'cluster'> {
  informer: SharedIndexInformer<TableRow>;
  source: Pick<TableSource, 'progress' | 'onProgress'>;
  columns: () => readonly ViewColumn[];
  failures: WatchFailures;
  capabilities: Capabilities;
}

/** Lines above and below the rows: title, status, blank, headings; and the keys. */
const FRAME_LINES = 5;

/** A live table of what an informer holds. */
export class WatchScreen {
  readonly #options: WatchScreenOptions;
  readonly #painter: Painter;
  readonly #screen: FullScreen;
  readonly #rows = new RowTable();
  readonly #rate: RateMeter;
  readonly #table: LiveTable;

  constructor(options: WatchScreenOptions) {
    const { io, capabilities, columns } = options;
    this.#options = options;
    this.#painter = new Painter(capabilities);
    this.#rate = new RateMeter(io.clock);
    this.#table = new LiveTable({ painter: this.#painter, rows: this.#rows, columns });
    this.#screen = new FullScreen({
      io,
      idleMs: 1_000,
      paint: () => this.#paint(),
      onKey: (key) => this.#scroll(key),
      onStale: () => this.#table.forgetWidths(),
    });
  }

  /** Until the user leaves, or there is no point in going on. */
  async run(): Promise<number> {
    const { io, informer, failures, source } = this.#options;
    failures.warns = false;
    source.onProgress = () => this.#screen.changed();
    const stop = new AbortController();
    this.#listen();
    let running: Promise<void> | undefined;
    try {
      return await this.#screen.show((left) => {
        running = informer.run({ signal: AbortSignal.any([io.signal, stop.signal]) });
        return Promise.race([left, failures.fatal]);
      });
    } finally {
      stop.abort();
      await running;
    }
  }

  #listen(): void {
    const { io, informer, request } = this.#options;
    const now = () => io.clock.now();
    const changed = () => {
      this.#rate.count();
      this.#screen.changed();
    };
    informer.addEventHandler({
      onAdd: (row, isInInitialList) => {
        if (isInInitialList && request.watchOnly) return;
        this.#rows.put(row, isInInitialList ? undefined : 'added', now());
        if (isInInitialList) this.#screen.changed();
        else changed();
      },
      onUpdate: (old, row) => {
        const isResync = old.metadata?.resourceVersion === row.metadata?.resourceVersion;
        if (!isResync) this.#rows.put(row, 'changed', now());
        changed();
      },
      onDelete: (row) => {
        this.#rows.delete(row, now());
        changed();
      },
    });
  }

  #scroll(key: Key): void {
    const step = scrollStep(key, this.#bodyLines());
    if (step === undefined) return;
    this.#table.scroll(step);
    this.#screen.changed();
  }

  #bodyLines(): number {
    return Math.max(1, this.#screen.rows - FRAME_LINES);
  }

  #paint(): void {
    const { columns } = this.#screen;
    const nowMs = this.#options.io.clock.now();
    const body = this.#table.lines(columns, this.#bodyLines(), nowMs);
    this.#screen.draw([
      this.#painter.line(this.#title(), columns),
      this.#painter.line(this.#status(columns, nowMs), columns),
      '',
      ...body.lines,
      ...Array.from({ length: Math.max(0, this.#bodyLines() + 1 - body.lines.length) }, () => ''),
      this.#painter.line(this.#footer(body.first, body.last), columns),
    ]);
  }

  #title(): Span[] {
    const { target, cluster } = this.#options;
    return [
      { text: target.title, style: 'bold' },
      { text: `  ${cluster.server}`, style: 'dim' },
    ];
  }

  #status(columns: number, nowMs: number): Span[] {
    const { informer, source } = this.#options;
    const { state } = informer;
    const spans = phaseSpans(state, this.#painter.glyphs.dot);
    const problem = trouble(state, nowMs);
    if (!informer.hasSynced() && problem === undefined) return [...spans, ...this.#progress(columns, source.progress)];
    const version = informer.lastSyncResourceVersion();
    return [
      ...spans,
      { text: `  ${counted(this.#rows.size, 'object')}` },
      { text: `  ${rateText(this.#rate.perSecond())} events/s`, style: 'dim' },
      ...(problem === undefined
        ? [{ text: version === '' ? '' : `  version ${version}`, style: 'dim' as const }]
        : [{ text: `  ${problem}`, style: 'red' as const }]),
    ];
  }

  #progress(columns: number, { received, total }: TableSource['progress']): Span[] {
    if (total === undefined || total === 0) return [{ text: `  ${counted(received, 'object')} so far` }];
    const known = Math.max(total, received);
    const text = `  ${countText(received)} of ${countText(known)}`;
    const room = Math.min(40, columns - text.length - 14);
    return [
      ...(room > 4
        ? [{ text: `  ${progressBar(this.#painter, received / known, room)}`, style: 'cyan' as const }]
        : []),
      { text },
    ];
  }

  #footer(first: number, last: number): Span[] {
    const total = this.#rows.size;
    const where = last < first ? '' : `${countText(first)}-${countText(last)} of ${countText(Math.max(total, last))}  `;
    return [{ text: `${where}q quit  j/k up/down  space page  g/G ends`, style: 'dim' }];
  }
}
