import { TransportError } from '../api/transport-error.ts';

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes, in chunks of any size, into lines, and gives each as text. Lines are found among the bytes,
 * so that neither a character nor a line break that is split between chunks matters. Blank lines are skipped. Bytes
 * after the last line break mean that the stream was cut: they are an error, never a line.
 */
export async function* jsonLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let pending: Uint8Array[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = lineOf(pending, chunk.subarray(start, end));
      pending = [];
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (lineOf(pending, new Uint8Array()).trim() !== '') {
    throw new TransportError('reset', 'the watch ended in the middle of an event; the connection was cut');
  }
}

function lineOf(pending: readonly Uint8Array[], last: Uint8Array): string {
  const bytes =
    pending.length === 0
      ? Buffer.from(last.buffer, last.byteOffset, last.byteLength)
      : Buffer.concat([...pending, last]);
  return bytes.toString('utf8');
}
