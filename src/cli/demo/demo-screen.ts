import type { CliIo } from '../cli-io.ts';
import { phaseSpans, trouble } from '../informer-status.ts';
import type { Capabilities } from '../terminal/capabilities.ts';
import { FullScreen } from '../terminal/full-screen.ts';
import type { Key } from '../terminal/keyboard.ts';
import { bytesText, countText, rateText } from '../terminal/number-text.ts';
import { Painter, type Span, type StyleName } from '../terminal/style.ts';
import type { DemoInformer } from './demo-informer.ts';
import type { DemoWorld } from './demo-world.ts';
import { entryText, type LogEntry, type LogKind } from './event-log.ts';
import { type PodRow, podRow } from './pod-row.ts';

export interface DemoScreenOptions {
  io: CliIo;
  world: DemoWorld;
  capabilities: Capabilities;
  /** Of the page that shows the same, if there is one. */
  address?: string | undefined;
}

const LOG_STYLES: Readonly<Record<LogKind, StyleName | undefined>> = {
  add: 'green',
  update: undefined,
  delete: 'yellow',
  action: 'bold',
  request: 'cyan',
  problem: 'red',
};

const POD_STYLES: ReadonlyMap<string, StyleName> = new Map([
  ['Running', 'green'],
  ['CrashLoopBackOff', 'red'],
  ['Terminating', 'dim'],
]);

/** The demo in a terminal: the informers, the pods of the cache, and what happened last. */
export class DemoScreen {
  readonly #options: DemoScreenOptions;
  readonly #painter: Painter;
  readonly #screen: FullScreen;

  constructor(options: DemoScreenOptions) {
    const { io, capabilities } = options;
    this.#options = options;
    this.#painter = new Painter(capabilities);
    this.#screen = new FullScreen({
      io,
      idleMs: 500,
      paint: () => this.#paint(),
      onKey: (key) => void this.#act(key),
    });
  }

  /** Until the user leaves: then the exit code is 0, whichever way they did. */
  async run(): Promise<number> {
    const { world } = this.#options;
    world.log.onEntry = () => this.#screen.changed();
    return this.#screen.show((left) => {
      world.begin();
      return left.catch(() => 0);
    });
  }

  async #act(key: Key): Promise<void> {
    const { world } = this.#options;
    if (key === 'c') world.cutWatches();
    else if (key === 'h') await world.compactHistory();
    else if (key === 's') await world.toggleServer();
    else if (key === 'w') await world.toggleSlowHandler();
    else if (key === '+' || key === '=') world.simulation.rate *= 2;
    else if (key === '-') world.simulation.rate /= 2;
    this.#screen.changed();
  }

  #paint(): void {
    const { columns, rows } = this.#screen;
    const nowMs = this.#options.io.clock.now();
    const head = this.#head(nowMs);
    const foot = rows < 10 ? [[{ text: 'q quit', style: 'dim' as const }]] : this.#keys(columns);
    const room = sharedRoom(rows - head.length - foot.length, this.#options.world.pods.informer.lister().list().length);
    const { log } = this.#options.world;
    const lines = [
      ...head,
      ...this.#pods(room.pods, nowMs),
      ...this.#log('WIRE', log.lastOnWire(room.wire - 2), room.wire),
      ...this.#log('EVENTS', log.lastEvents(room.events - 2), room.events),
    ].slice(0, Math.max(0, rows - foot.length));
    const blank = Array.from({ length: Math.max(0, rows - foot.length - lines.length) }, () => []);
    this.#screen.draw([...lines, ...blank, ...foot].map((spans) => this.#painter.line(spans, columns)));
  }

  #head(nowMs: number): Span[][] {
    const { world, address } = this.#options;
    const rate = rateText(world.simulation.rate);
    const state: Span = world.isDown
      ? { text: 'the server is stopped', style: ['bold', 'red'] }
      : { text: `${rate} changes/s`, style: 'dim' };
    return [
      [
        { text: 'tidewatch demo', style: 'bold' },
        { text: `  ${world.server.url || 'in process'}  `, style: 'dim' },
        state,
      ],
      address === undefined ? [] : [{ text: address, style: 'cyan' }],
      [{ text: this.#informerLine('INFORMER', 'STATE', 'OBJECTS', 'EVENTS/S', 'BYTES', 'VERSION'), style: 'bold' }],
      ...world.informers.map((informer) => this.#informer(informer, nowMs)),
      this.#handlers(),
    ];
  }

  #informer({ title, informer, rate }: DemoInformer, nowMs: number): Span[] {
    const { state, memory } = informer;
    const [phase] = phaseSpans(state, this.#painter.glyphs.dot);
    const line = this.#informerLine(
      title,
      phase?.text ?? '',
      countText(memory.objects),
      rateText(rate.perSecond()),
      bytesText(memory.liveBytes ?? 0),
      informer.lastSyncResourceVersion(),
    );
    const split = 14;
    const problem = trouble(state, nowMs);
    return [
      { text: line.slice(0, split) },
      { text: line.slice(split, split + 12), style: phase?.style },
      { text: line.slice(split + 12) },
      ...(problem === undefined ? [] : [{ text: `  ${problem}`, style: 'red' as const }]),
    ];
  }

  #informerLine(...[name = '', state = '', objects = '', rate = '', bytes = '', version = '']: string[]): string {
    const painter = this.#painter;
    return [
      painter.fit(name, 14),
      painter.fit(state, 12),
      painter.fitRight(objects, 8),
      painter.fitRight(rate, 10),
      painter.fitRight(bytes, 10),
      painter.fitRight(version, 9),
    ].join('');
  }

  #handlers(): Span[] {
    const { pods, slowHandler } = this.#options.world;
    const lag = slowHandler && slowHandler.lagMs >= 1_000 ? `, ${Math.round(slowHandler.lagMs / 1_000)} s behind` : '';
    return [
      { text: `handlers of pods: screen ${countText(pods.registration.pending)} waiting`, style: 'dim' },
      ...(slowHandler
        ? [{ text: `  slow ${countText(slowHandler.pending)} waiting${lag}`, style: 'yellow' as const }]
        : []),
    ];
  }

  #pods(lines: number, nowMs: number): Span[][] {
    if (lines < 3) return [];
    const rows = this.#options.world.pods.informer
      .lister()
      .list()
      .map((pod) => podRow(pod, nowMs))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const shown = rows.slice(0, rows.length > lines - 2 ? lines - 3 : lines - 2);
    const heading: PodRow = {
      name: 'POD',
      ready: 'READY',
      status: 'STATUS',
      restarts: 'RESTARTS',
      node: 'NODE',
      age: 'AGE',
    };
    return [
      [],
      this.#podLine(heading, 'bold'),
      ...shown.map((row) => this.#podLine(row, POD_STYLES.get(row.status) ?? 'yellow')),
      ...(shown.length < rows.length
        ? [[{ text: `${this.#painter.glyphs.ellipsis} and ${rows.length - shown.length} more`, style: 'dim' as const }]]
        : []),
    ];
  }

  #podLine({ name, ready, status, restarts, node, age }: PodRow, style: StyleName): Span[] {
    const painter = this.#painter;
    const plain: Span['style'] = style === 'bold' || style === 'dim' ? style : undefined;
    return [
      { text: `${painter.fit(name, 20)}  ${painter.fit(ready, 5)}  `, style: plain },
      { text: painter.fit(status, 17), style },
      { text: `${painter.fitRight(restarts, 8)}  ${painter.fit(node, 8)}  ${age}`, style: plain },
    ];
  }

  #log(title: string, entries: readonly LogEntry[], lines: number): Span[][] {
    if (lines < 3) return [];
    const shown = entries.map((entry): Span[] => [
      { text: `${new Date(entry.atMs).toISOString().slice(11, 19)} `, style: 'dim' },
      { text: entryText(entry), style: LOG_STYLES[entry.kind] },
    ]);
    const blank = Array.from({ length: lines - 2 - shown.length }, () => []);
    return [[], [{ text: title, style: 'bold' }], ...shown, ...blank];
  }

  #keys(columns: number): Span[][] {
    const { world } = this.#options;
    const isNarrow = columns < 110;
    const keys: readonly [string, string][] = [
      ['c', isNarrow ? 'cut' : 'cut the watches'],
      ['h', isNarrow ? 'compact' : 'compact the history'],
      ['s', `${world.isDown ? 'start' : 'stop'}${isNarrow ? '' : ' the server'}`],
      ['w', isNarrow ? 'slow handler' : `${world.slowHandler ? 'remove the' : 'add a'} slow handler`],
      ['+/-', isNarrow ? 'rate' : 'faster/slower'],
      ['q', 'quit'],
    ];
    const lines: Span[][] = [[]];
    let width = 0;
    for (const [key, what] of keys) {
      const room = key.length + what.length + 3;
      if (width > 0 && width + room > columns) {
        lines.push([]);
        width = 0;
      }
      lines.at(-1)?.push({ text: key, style: 'inverse' }, { text: ` ${what}  ` });
      width += room;
    }
    return lines;
  }
}

/**
 * How many lines each section has, its heading and the blank above it included. Each of the logs has its share first,
 * then the pods as many as there are, and the events what is left over.
 */
function sharedRoom(lines: number, pods: number): { pods: number; wire: number; events: number } {
  const wire = Math.min(10, Math.floor(lines * 0.34));
  const events = Math.min(8, Math.floor(lines * 0.28));
  const wanted = Math.min(pods + 2, lines - wire - events);
  return { wire, pods: wanted, events: lines - wire - wanted };
}
