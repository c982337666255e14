import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rejection } from '../http/request-fixture.ts';
import { jsonLines } from './json-lines.ts';

async function* chunked(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
  yield bytes.subarray(start);
}

async function linesOf(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of jsonLines(body)) lines.push(line);
  return lines;
}

describe('jsonLines', () => {
  it('gives the same lines wherever the bytes are cut, inside characters too', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text: `${text}€𝄞` }));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(2000)), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const inside = cuts.filter((cut) => cut <= bytes.length);
        expect(await linesOf(chunked(bytes, inside))).toEqual(lines);
      }),
    );
  });

  it('skips blank lines and takes CRLF', async () => {
    const lines = await linesOf(chunked(Buffer.from('\n{"a":1}\r\n \n\n{"b":2}\n'), [3]));
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('throws for every proper prefix that ends inside a line, after the lines before it', async () => {
    const bytes = Buffer.from('{"a":1}\n{"b":"ö"}\n');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length - 1 }), async (end) => {
        const cut = bytes.subarray(0, end);
        if (end === 8) {
          expect(await linesOf(chunked(cut, []))).toEqual(['{"a":1}']);
          return;
        }
        const seen: string[] = [];
        const read = async () => {
          for await (const line of jsonLines(chunked(cut, []))) seen.push(line);
        };
        expect(await rejection(read())).toMatchObject({ kind: 'reset' });
        expect(seen).toEqual(end > 8 ? ['{"a":1}'] : []);
      }),
    );
  });
});
