import { describe, expect, it } from 'vitest';
import { systemClock } from '../observe/clock.ts';
import { Exchange } from './exchange.ts';

function exchange(): Exchange {
  return new Exchange({
    reuseChunks: true,
    signal: undefined,
    beforeSend: undefined,
    limits: { clock: systemClock, headMs: 0, bodyMs: 0, refusalMs: 0 },
    timeoutError: () => new Error('out of time'),
    wrapError: (error) => error,
    onDone: () => {},
  });
}

describe('Exchange', () => {
  it('hands on what comes in order, also while a reader waits for what came before', async () => {
    const received = exchange();
    received.onHead({
      status: 200,
      headers: new Map(),
      framing: { kind: 'chunked' },
      persistent: true,
    } as Parameters<Exchange['onHead']>[0]);
    const { body } = await received.response;
    const chunks = body[Symbol.asyncIterator]();
    received.onData(Buffer.from('first'));
    const first = chunks.next();
    received.onData(Buffer.from('second'));
    received.onEnd();
    expect(String((await first).value)).toBe('first');
    expect(String((await chunks.next()).value)).toBe('second');
    expect((await chunks.next()).done).toBe(true);
  });

  it('calls a reader that waits at once, and lets it wait for more meanwhile', async () => {
    const received = exchange();
    received.onHead({ status: 200, headers: new Map(), framing: { kind: 'close' }, persistent: false } as Parameters<
      Exchange['onHead']
    >[0]);
    await received.response;
    const seen: string[] = [];
    const reading = received.each((chunk) => void seen.push(String(chunk)));
    received.onData(Buffer.from('a'));
    received.onData(Buffer.from('b'));
    expect(seen).toEqual(['a', 'b']);
    received.onEnd();
    await reading;
  });
});
