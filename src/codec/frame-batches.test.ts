import { describe, expect, it } from 'vitest';
import type { CachedFrame } from '../api/cached.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { SLICE_MS } from '../observe/scheduler.ts';
import { FrameBatches, type FrameDecoder } from './frame-batches.ts';

/** Each letter is a bookmark at that version; `!` is damage, a comma half a frame. A `~` takes as long as a slice. */
function decoderOf(clock: FakeClock): FrameDecoder<object> {
  let text = '';
  return {
    append: (chunk) => {
      text += String(chunk);
    },
    next: () => {
      while (text.startsWith('~')) {
        clock.spend(SLICE_MS);
        text = text.slice(1);
      }
      const [resourceVersion = ''] = text;
      if (resourceVersion === '' || resourceVersion === ',') return undefined;
      text = text.slice(1);
      if (resourceVersion === '!') throw new Error('damaged');
      return { type: 'BOOKMARK', resourceVersion, initialEventsEnd: false };
    },
    end: () => {
      if (text !== '') throw new Error('half a frame');
    },
  };
}

/** A body of these chunks; without an end it then waits until it is left. */
function bodyOf(chunks: readonly string[], { isEndless = false } = {}) {
  const calls: string[] = [];
  let leave = (_: IteratorResult<Uint8Array>) => {};
  let at = 0;
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      calls.push('next');
      const chunk = chunks[at++];
      if (chunk !== undefined) return { done: false, value: Buffer.from(chunk) };
      if (!isEndless) return { done: true, value: undefined };
      return await new Promise<IteratorResult<Uint8Array>>((resolve) => {
        leave = resolve;
      });
    },
    return: async () => {
      calls.push('return');
      leave({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
  };
  return { calls, [Symbol.asyncIterator]: () => iterator };
}

function batchesOf(body: AsyncIterable<Uint8Array>, counted: number[] = []) {
  const clock = new FakeClock();
  const decoder = decoderOf(clock);
  return new FrameBatches({ body, decoder, clock, onBytes: (count) => void counted.push(count) });
}

const text = (batch: readonly CachedFrame[] | undefined) =>
  batch?.map((frame) => (frame.type === 'BOOKMARK' ? frame.resourceVersion : frame.type)).join('');

/** What comes, batch by batch, and what ends it. */
async function readAll(batches: FrameBatches<object>): Promise<unknown[]> {
  const read: unknown[] = [];
  try {
    for await (const batch of batches) read.push(text(batch));
  } catch (error) {
    read.push(error);
  }
  return read;
}

describe('FrameBatches', () => {
  it('gives what one chunk held as one batch, and nothing for a chunk without a frame', async () => {
    const counted: number[] = [];
    const body = bodyOf(['abc', '', 'd']);
    expect(await readAll(batchesOf(body, counted))).toEqual(['abc', 'd']);
    expect(counted).toEqual([3, 0, 1]);
    expect(body.calls).not.toContain('return');
  });

  it('gives what is ready when a slice is over, and reads no more of the body before the chunk is used up', async () => {
    const body = bodyOf(['ab~c~d', 'e']);
    const batches = batchesOf(body);
    const read: unknown[] = [];
    for await (const batch of batches) read.push([text(batch), body.calls.length]);
    expect(read).toEqual([
      ['abc', 1],
      ['d', 1],
      ['e', 2],
    ]);
  });

  it('gives what came whole before the damage, then leaves the body and throws, once', async () => {
    const body = bodyOf(['ab!c', 'd']);
    const batches = batchesOf(body);
    expect(await readAll(batches)).toEqual(['ab', new Error('damaged')]);
    expect(body.calls).toEqual(['next', 'return']);
    expect(await batches.next()).toEqual({ done: true, value: undefined });
    expect(await readAll(batchesOf(bodyOf(['!'])))).toEqual([new Error('damaged')]);
  });

  it('throws on half a frame at the end', async () => {
    expect(await readAll(batchesOf(bodyOf(['ab,'])))).toEqual(['ab', new Error('half a frame')]);
  });

  it('leaves the body at once, also while that has yet to bring the next chunk, and takes that for no damage', async () => {
    const body = bodyOf(['a,'], { isEndless: true });
    const batches = batchesOf(body);
    expect(text((await batches.next()).value)).toBe('a');
    const waiting = batches.next();
    await batches.return();
    expect(body.calls).toEqual(['next', 'next', 'return']);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await batches.next()).toEqual({ done: true, value: undefined });
  });

  it('gives no more of a chunk after it was left in a pause', async () => {
    const batches = batchesOf(bodyOf(['ab~cd']));
    expect(text((await batches.next()).value)).toBe('abc');
    const paused = batches.next();
    await batches.return();
    expect(await paused).toEqual({ done: true, value: undefined });
  });
});
