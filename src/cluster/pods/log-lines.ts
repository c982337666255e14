const NEWLINE = 0x0a;
/** A longer line comes in pieces of this length. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Cuts the bytes of a log, in chunks of any size, into lines. What comes after the last line break is a line, too. */
export async function* logLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let pending = Buffer.alloc(0);
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([pending, chunk.subarray(start, end)]);
      pending = Buffer.alloc(0);
      start = end + 1;
      yield line.toString('utf8');
    }
    if (start < chunk.length) pending = Buffer.concat([pending, chunk.subarray(start)]);
    for (; pending.length > MAX_LINE_BYTES; pending = pending.subarray(MAX_LINE_BYTES)) {
      yield pending.toString('utf8', 0, MAX_LINE_BYTES);
    }
  }
  if (pending.length > 0) yield pending.toString('utf8');
}
