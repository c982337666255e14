import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import type { Clock } from '../observe/clock.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { ReadyzProber } from './readyz-prober.ts';

type Answer = number | Error | 'stall' | 'stallBody' | 'ignoreAbort';

/** Answers each request as it is told to at that moment. */
class ScriptedTransport implements Transport {
  answer: Answer = new TransportError('refused', 'nobody listens');
  readonly requests: (TransportRequest & { atMs: number })[] = [];
  running = 0;
  busiest = 0;
  readonly #clock: FakeClock;
  readonly #startMs: number;

  constructor(clock: FakeClock) {
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push({ ...request, atMs: this.#clock.now() - this.#startMs });
    this.busiest = Math.max(this.busiest, ++this.running);
    try {
      const { answer } = this;
      if (answer instanceof Error) throw answer;
      if (answer === 'ignoreAbort') return await new Promise<never>(() => {});
      if (answer === 'stall') await aborted(request.signal);
      return { status: typeof answer === 'number' ? answer : 200, headers: new Map(), body: body(answer, request) };
    } finally {
      this.running--;
    }
  }

  get atMs(): number[] {
    return this.requests.map(({ atMs }) => atMs);
  }

  async close(): Promise<void> {}
}

async function aborted(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
}

async function* body(answer: Answer, { signal }: TransportRequest): AsyncGenerator<Uint8Array> {
  yield Buffer.from('ok');
  if (answer === 'stallBody') await aborted(signal);
}

let clock: FakeClock;
let transport: ScriptedTransport;
let stop: AbortController;
let luck: () => number;

beforeEach(() => {
  clock = new FakeClock();
  transport = new ScriptedTransport(clock);
  stop = new AbortController();
  luck = () => 0.5;
});

afterEach(async () => {
  stop.abort();
  await clock.advance(0);
  expect(clock.pendingTimers).toBe(0);
});

const prober = () => new ReadyzProber({ transport, clock, random: () => luck() });

/** How many of the waits have ended well. */
function follow(...waits: Promise<void>[]) {
  const ends: number[] = [];
  for (const wait of waits) {
    wait.then(
      () => ends.push(clock.now()),
      () => {},
    );
  }
  return ends;
}

describe('ReadyzProber', () => {
  it('asks for /readyz once a second, for all who wait together, and never while nobody does', async () => {
    const probes = prober();
    await clock.advance(60_000);
    expect(transport.requests).toEqual([]);
    const ends = follow(...Array.from({ length: 10 }, () => probes.whenBack(stop.signal)));
    await clock.advance(10_000);
    expect(transport.atMs).toEqual(Array.from({ length: 10 }, (_, n) => 60_000 + (n + 1) * 1_000));
    expect(transport.requests[0]).toMatchObject({ method: 'GET', path: '/readyz' });
    expect(ends).toEqual([]);
    transport.answer = 200;
    await clock.advance(2_000);
    expect(ends).toHaveLength(10);
    await clock.advance(60_000);
    expect(transport.requests).toHaveLength(11);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([3_600_000, -3_600_000])('asks no sooner and no later when the wall clock jumps by %d ms', async (byMs) => {
    const probes = prober();
    const ends = follow(probes.whenBack(stop.signal));
    await clock.advance(500);
    clock.jump(byMs);
    await clock.advance(499);
    expect(transport.requests).toHaveLength(0);
    await clock.advance(1);
    expect(transport.requests).toHaveLength(1);
    transport.answer = 200;
    clock.jump(byMs);
    await clock.advance(1_010);
    expect(ends).toHaveLength(1);
  });

  it('begins again when somebody waits again', async () => {
    const probes = prober();
    transport.answer = 200;
    const first = follow(probes.whenBack(stop.signal));
    await clock.advance(2_000);
    const second = follow(probes.whenBack(stop.signal));
    await clock.advance(2_000);
    expect([first.length, second.length, transport.requests.length]).toEqual([1, 1, 2]);
  });

  it.each([200, 204, 301, 401, 403, 404, 429])('takes the status %d for an answer', async (status) => {
    transport.answer = status;
    const ends = follow(prober().whenBack(stop.signal));
    await clock.advance(1_100);
    expect(ends).toHaveLength(1);
  });

  it.each([500, 502, 503, 504])('does not take the status %d for an answer', async (status) => {
    transport.answer = status;
    const ends = follow(prober().whenBack(stop.signal));
    await clock.advance(10_000);
    expect(ends).toEqual([]);
    expect(transport.requests).toHaveLength(10);
  });

  it('spreads those who wait, the more the longer', async () => {
    const probes = prober();
    let turn = 0;
    luck = () => (turn++ % 100) / 100;
    const ends = follow(...Array.from({ length: 500 }, () => probes.whenBack(stop.signal)));
    transport.answer = 200;
    await clock.advance(10_000);
    expect(ends).toHaveLength(500);
    const first = Math.min(...ends);
    const perSecond = [0, 1, 2, 3, 4].map(
      (second) => ends.filter((end) => Math.floor((end - first) / 1_000) === second).length,
    );
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(101);
    expect(perSecond.reduce((sum, count) => sum + count)).toBe(500);
  });

  it('does not keep one alone waiting', async () => {
    luck = () => 0.99;
    transport.answer = 200;
    const ends = follow(prober().whenBack(stop.signal));
    await clock.advance(1_300);
    expect(ends).toHaveLength(1);
  });

  it('has jitter', async () => {
    const lucks = [0, 0.9999, 0.5];
    luck = () => lucks[transport.requests.length] ?? 0;
    follow(prober().whenBack(stop.signal));
    await clock.advance(3_000);
    expect(transport.atMs.map(Math.round)).toEqual([750, 2_000, 3_000]);
  });

  it.each(['stall', 'ignoreAbort'] as const)(
    'gives up a probe that gets no answer (%s), and asks again',
    async (answer) => {
      transport.answer = answer;
      const ends = follow(prober().whenBack(stop.signal));
      await clock.advance(3_999);
      expect(transport.requests).toHaveLength(1);
      expect(transport.requests[0]?.signal?.aborted).toBe(false);
      await clock.advance(1);
      expect(transport.requests[0]?.signal?.aborted).toBe(true);
      transport.answer = 200;
      await clock.advance(1_100);
      expect(ends).toHaveLength(1);
      if (answer === 'stall') expect(transport.busiest).toBe(1);
    },
  );

  it('needs no more than the status, and ends a response that has no end', async () => {
    transport.answer = 'stallBody';
    const ends = follow(prober().whenBack(stop.signal));
    await clock.advance(1_100);
    expect(ends).toHaveLength(1);
    await clock.advance(5_000);
    expect(transport.requests[0]?.signal?.aborted).toBe(true);
    expect(transport.requests).toHaveLength(1);
  });

  it('rejects with the reason of the signal, and stops at once when the last one leaves', async () => {
    const probes = prober();
    transport.answer = 'stall';
    const other = new AbortController();
    const waits = [probes.whenBack(stop.signal), probes.whenBack(other.signal)];
    const reasons = Promise.allSettled(waits);
    await clock.advance(1_000);
    other.abort('one leaves');
    await clock.advance(0);
    expect(transport.running).toBe(1);
    stop.abort('the other leaves');
    await clock.advance(0);
    expect(transport.running).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(await reasons).toMatchObject([{ reason: 'the other leaves' }, { reason: 'one leaves' }]);
    await expect(probes.whenBack(stop.signal)).rejects.toBe('the other leaves');
    await clock.advance(60_000);
    expect(transport.requests).toHaveLength(1);
  });

  it('asks on, one at a time, when one comes as the last one leaves', async () => {
    const probes = prober();
    const leaving = new AbortController();
    transport.answer = 'stall';
    follow(probes.whenBack(leaving.signal));
    await clock.advance(1_000);
    leaving.abort();
    const ends = follow(probes.whenBack(stop.signal));
    transport.answer = 200;
    await clock.advance(1_100);
    expect(ends).toHaveLength(1);
    expect(transport.busiest).toBe(1);
    expect(transport.requests).toHaveLength(2);
  });

  it('keeps one who leaves while others are let go from being let go', async () => {
    const probes = prober();
    const leaving = new AbortController();
    const left = follow(probes.whenBack(leaving.signal));
    const stayed = follow(...Array.from({ length: 100 }, () => probes.whenBack(stop.signal)));
    transport.answer = 200;
    await clock.advance(1_000);
    leaving.abort();
    await clock.advance(5_000);
    expect([left.length, stayed.length]).toEqual([0, 100]);
  });

  it('asks less often while a login fails, which a probe does not mend', async () => {
    transport.answer = new TransportError('credentials', 'the plugin failed');
    const ends = follow(prober().whenBack(stop.signal));
    await clock.advance(31_000);
    expect(transport.requests).toHaveLength(4);
    transport.answer = 200;
    await clock.advance(10_100);
    expect(ends).toHaveLength(1);
  });

  it('sets no timer that holds the process', async () => {
    const holding: number[] = [];
    const watched: Clock = {
      now: () => clock.now(),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
      setTimeout: (callback, delayMs, options) => {
        if (options?.keepAlive !== false) holding.push(delayMs);
        return clock.setTimeout(callback, delayMs);
      },
    };
    const probes = new ReadyzProber({ transport, clock: watched, random: () => 0.5 });
    const ends = follow(probes.whenBack(stop.signal));
    await clock.advance(3_000);
    transport.answer = 200;
    await clock.advance(3_000);
    expect(ends).toHaveLength(1);
    expect(holding).toEqual([]);
  });
});
