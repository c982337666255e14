import { readFileSync } from 'node:fs';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** What every peer in Node is started with. */
export interface PeerOptions {
  readonly server: string;
  /** The file with the certificate of the server; undefined over plain HTTP. */
  readonly ca: string | undefined;
  readonly kind: string;
  readonly encoding: 'json' | 'protobuf';
  /** For tidewatch alone. */
  readonly store: 'packed' | 'shared' | 'plain';
  readonly events: number;
  /** The resourceVersion of the last event. */
  readonly lastVersion: string;
  readonly reads: boolean;
  readonly readsDuringSync: boolean;
  readonly readAll: boolean;
}

export function peerOptions(): PeerOptions {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: '' },
      ca: { type: 'string' },
      kind: { type: 'string', default: 'pods' },
      encoding: { type: 'string', default: 'json' },
      store: { type: 'string', default: 'packed' },
      events: { type: 'string', default: '0' },
      'last-version': { type: 'string', default: '' },
      reads: { type: 'boolean', default: false },
      'reads-during-sync': { type: 'boolean', default: false },
      'read-all': { type: 'boolean', default: false },
    },
  });
  return {
    ...values,
    ca: values.ca,
    encoding: oneOf(['json', 'protobuf'], values.encoding),
    store: oneOf(['packed', 'shared', 'plain'], values.store),
    events: Number(values.events),
    lastVersion: values['last-version'],
    readsDuringSync: values['reads-during-sync'],
    readAll: values['read-all'],
  };
}

function oneOf<T extends string>(words: readonly T[], given: string): T {
  const word = words.find((it) => it === given);
  if (word === undefined) throw new Error(`"${given}" is none of ${words.join(', ')}`);
  return word;
}

/** What one phase costs this process: from its construction to `end()`. */
export class Measurement {
  readonly #before = memoryAfterGc();
  readonly #delay: IntervalHistogram;
  readonly #cpuBefore: NodeJS.CpuUsage;
  readonly #start: bigint;

  constructor() {
    // A millisecond is the finest that the monitor goes; it counts the delay of its own timer, so 1 ms is nothing.
    this.#delay = monitorEventLoopDelay({ resolution: 1 });
    this.#delay.enable();
    this.#cpuBefore = process.cpuUsage();
    this.#start = process.hrtime.bigint();
  }

  /** Collects garbage first, so it is read when nothing else is measured. */
  memoryGrowth(): Memory {
    const now = memoryAfterGc();
    return { all: now.all - this.#before.all, v8: now.v8 - this.#before.v8 };
  }

  async end() {
    const seconds = Number(process.hrtime.bigint() - this.#start) / 1e9;
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    const peak = peakRssMb();
    // A stretch that has blocked the loop until now is only counted when the monitor's timer runs.
    await setTimeout(5);
    this.#delay.disable();
    return {
      seconds,
      cpuSeconds: (user + system) / 1e6,
      peakRssMb: peak,
      eventLoopP99Ms: this.#delay.percentile(99) / 1e6,
      eventLoopMaxMs: this.#delay.max / 1e6,
    };
  }
}

/** From the first update that reaches a handler to the one with the last version. */
export class EventWatch {
  readonly done: Promise<void>;
  #finish: () => void = () => {};
  readonly #lastVersion: string;
  #first: bigint | undefined;
  #last = 0n;

  constructor(lastVersion: string) {
    this.#lastVersion = lastVersion;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  heard(resourceVersion: string | undefined): void {
    this.#first ??= process.hrtime.bigint();
    if (resourceVersion !== this.#lastVersion) return;
    this.#last = process.hrtime.bigint();
    this.#finish();
  }

  get seconds(): number {
    return Number(this.#last - (this.#first ?? 0n)) / 1e9;
  }
}

/** Waits for the events, and gives what they took. */
export async function measureEvents(options: PeerOptions, events: EventWatch) {
  const measurement = new Measurement();
  await events.done;
  const { cpuSeconds, peakRssMb, eventLoopP99Ms } = await measurement.end();
  return {
    eventsPerSecond: options.events / events.seconds,
    eventsCpuSeconds: cpuSeconds,
    eventsPeakRssMb: peakRssMb,
    eventsEventLoopP99Ms: eventLoopP99Ms,
  };
}

export function report(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

interface Memory {
  /** The V8 heap and what it holds outside; array buffers are part of the latter. */
  readonly all: number;
  readonly v8: number;
}

/** The memory in use, and what the kernel has given. Whoever wants it without garbage has collected that. */
export function memoryNow(): { readonly all: number; readonly rss: number } {
  const { heapUsed, external, rss } = process.memoryUsage();
  return { all: heapUsed + external, rss };
}

function memoryAfterGc(): Memory {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return { all: heapUsed + external, v8: heapUsed };
}

/** Not `maxRSS`, in which a process inherits the peak of the one that started it. */
function peakRssMb(): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes ?? 0) / 1024;
}
