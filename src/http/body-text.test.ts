import { describe, expect, it } from 'vitest';
import { refusalText } from './body-text.ts';

async function* breaking(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
  throw new Error('the connection broke');
}

describe('the text of a refusal', () => {
  it('is what there is of a body that breaks', async () => {
    expect(await refusalText(breaking('{"ki', 'nd"'), undefined)).toBe('{"kind"');
    expect(await refusalText(breaking(), new AbortController().signal)).toBe('');
  });

  it('ends with the reason of an abort', async () => {
    const reason = new Error('stopped');
    await expect(refusalText(breaking('part'), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('ends after 64 KiB, and leaves the rest', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked += 1;
        yield Buffer.alloc(40_000, 'x');
      }
    }
    expect(await refusalText(endless(), undefined)).toBe('x'.repeat(65_536));
    expect(asked).toBe(2);
  });
});
