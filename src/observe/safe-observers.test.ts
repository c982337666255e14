import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Logger, safeLogger } from './logger.ts';
import { type Metrics, noMetrics, safeMetrics } from './metrics.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let warnings: string[];
let unhandled: unknown[];
const onWarning = ({ name, message }: Error) => {
  if (name === 'TidewatchWarning') warnings.push(message);
};
const onUnhandled = (reason: unknown) => void unhandled.push(reason);

beforeEach(() => {
  warnings = [];
  unhandled = [];
  process.on('warning', onWarning);
  process.on('unhandledRejection', onUnhandled);
});

afterEach(async () => {
  await turn();
  process.off('warning', onWarning);
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

const broken: [string, () => void, string][] = [
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
    'disk full',
  ],
  ['returns a rejected promise', async () => Promise.reject(new Error('disk full')), 'disk full'],
  [
    'throws what cannot be shown',
    () => {
      throw Object.create(null);
    },
    'cannot be shown as text',
  ],
  [
    'returns a thenable that fails',
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: the attacker's seat
      get then() {
        throw new Error('disk full');
      },
    }),
    'disk full',
  ],
];

describe('safeLogger', () => {
  it.each(broken)('reports a logger that %s once, and does not pass it on', async (_, fail, said) => {
    const logger: Logger = { debug: fail, info: fail, warn: fail, error: fail };
    const safe = safeLogger(logger);
    for (let round = 0; round < 3; round++) {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) expect(safe[level]('x')).toBeUndefined();
      await turn();
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`The logger failed: `);
    expect(warnings[0]).toContain(said);
  });

  it('passes everything on, with the logger as `this`', () => {
    const heard: unknown[][] = [];
    class Sink implements Logger {
      #write(...what: unknown[]): void {
        heard.push(what);
      }
      debug(...what: unknown[]): void {
        this.#write('debug', ...what);
      }
      info(...what: unknown[]): void {
        this.#write('info', ...what);
      }
      warn(...what: unknown[]): void {
        this.#write('warn', ...what);
      }
      error(...what: unknown[]): void {
        this.#write('error', ...what);
      }
    }
    const safe = safeLogger(new Sink());
    for (const level of ['debug', 'info', 'warn', 'error'] as const) safe[level]('message', 1, 2);
    expect(heard).toEqual(['debug', 'info', 'warn', 'error'].map((level) => [level, 'message', 1, 2]));
  });

  it('wraps a logger once, so that a failure is reported once wherever the logger comes in', () => {
    const logger: Logger = console;
    expect(safeLogger(logger)).toBe(safeLogger(logger));
    expect(safeLogger(safeLogger(logger))).toBe(safeLogger(logger));
    expect(safeLogger({ ...console })).not.toBe(safeLogger(logger));
  });

  it('survives a logger that lacks a method', async () => {
    safeLogger({} as Logger).debug('x');
    await turn();
    expect(warnings).toHaveLength(1);
  });
});

describe('safeMetrics', () => {
  const definition = { name: 'x_total', help: 'x' };
  const useAll = (metrics: Metrics) => {
    metrics.counter(definition).add(1);
    metrics.gauge(definition).set(1);
    metrics.histogram(definition).observe(1);
  };

  it.each(broken)('reports series whose use %s once, and does not pass it on', async (_, fail, said) => {
    const safe = safeMetrics({
      counter: () => ({ add: fail }),
      gauge: () => ({ set: fail }),
      histogram: () => ({ observe: fail }),
    });
    useAll(safe);
    await turn();
    useAll(safe);
    await turn();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(said);
  });

  it.each(broken.slice(0, 1))('reports metrics whose making %s once, and measures nothing', async (_, fail) => {
    const make = fail as () => never;
    const safe = safeMetrics({ counter: make, gauge: make, histogram: make });
    useAll(safe);
    await turn();
    expect(warnings).toHaveLength(1);
  });

  it('passes values and labels on', () => {
    const heard: unknown[] = [];
    const note = (...what: unknown[]) => void heard.push(what);
    const safe = safeMetrics({
      counter: ({ name }) => ({ add: (value, labels) => note('add', name, value, labels) }),
      gauge: ({ name }) => ({ set: (value, labels) => note('set', name, value, labels) }),
      histogram: ({ name }) => ({ observe: (value, labels) => note('observe', name, value, labels) }),
    });
    safe.counter(definition).add(1, { a: 'b' });
    safe.gauge(definition).set(2, { a: 'b' });
    safe.histogram(definition).observe(3, { a: 'b' });
    expect(heard).toEqual([
      ['add', 'x_total', 1, { a: 'b' }],
      ['set', 'x_total', 2, { a: 'b' }],
      ['observe', 'x_total', 3, { a: 'b' }],
    ]);
  });

  it('wraps metrics once', () => {
    const metrics: Metrics = { ...noMetrics };
    expect(safeMetrics(metrics)).toBe(safeMetrics(metrics));
    expect(safeMetrics(safeMetrics(metrics))).toBe(safeMetrics(metrics));
    expect(safeMetrics()).toBe(noMetrics);
  });
});
