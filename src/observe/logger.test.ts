import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Logger, leveled, safeLogger } from './logger.ts';
import { noMetrics } from './metrics.ts';

function recorder(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

describe('leveled', () => {
  it.each([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ] as const)('passes on what is at least %s', (level, count) => {
    const sink = recorder();
    const logger = leveled(sink, level);
    for (const own of ['debug', 'info', 'warn', 'error'] as const) logger[own]('x');
    expect(sink.lines).toHaveLength(count);
  });

  it('accepts console as a logger', () => {
    const logger: Logger = console;
    expect(leveled(logger, 'silent').warn('x')).toBeUndefined();
  });
});

describe('safeLogger', () => {
  it('writes a message whose details cannot be shown', () => {
    let text = '';
    const stream = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    const hostile = {
      [inspect.custom]() {
        throw new Error('do not look');
      },
    };
    const logger = safeLogger(new Console(stream));
    logger.error('controller site: default/a failed', hostile);
    logger.error('and goes on', { fine: true });
    expect(text).toBe('controller site: default/a failed\nand goes on { fine: true }\n');
  });
});

describe('noMetrics', () => {
  it('takes everything', () => {
    const definition = { name: 'x_total', help: 'x' };
    noMetrics.counter(definition).add(1);
    noMetrics.gauge(definition).set(1);
    noMetrics.histogram(definition).observe(1, { a: 'b' });
  });
});
