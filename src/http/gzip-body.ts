import { createGunzip, type Gunzip } from 'node:zlib';

/** Each piece is made in a thread of the pool, and costs a way there and back. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Decodes a body of one or several gzip members as it arrives: what a member holds is delivered when its bytes are
 * there, without waiting for the next member or for the end. A body without any byte is empty. Takes and gives
 * backpressure: one chunk of the wire is decoded ahead of the reader. `wrapError` makes a readable error of zlib's;
 * when it makes none, the body ends where it is damaged.
 */
export function gunzipBody(
  body: AsyncIterable<Uint8Array>,
  wrapError: (error: Error) => Error | undefined,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = body[Symbol.asyncIterator]();
      const decoded = decode({ [Symbol.asyncIterator]: () => source }, wrapError);
      return {
        next: () => decoded.next(),
        async return() {
          // The source first: a generator that waits for it would not hear of `return` before the next byte.
          await source.return?.();
          await decoded.return();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

async function* decode(
  body: AsyncIterable<Uint8Array>,
  wrapError: (error: Error) => Error | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const decoded: Buffer[] = [];
  let failure: { error: Error | undefined } | undefined;
  let empty = true;
  let wake = () => {};
  gunzip.on('data', (data: Buffer) => {
    decoded.push(data);
    wake();
  });
  gunzip.on('error', (error: Error) => {
    failure = { error: wrapError(error) };
  });
  try {
    for await (const chunk of body) {
      if (chunk.length === 0) continue;
      empty = false;
      let isWritten = false;
      void written(gunzip, chunk).then(() => {
        isWritten = true;
        wake();
      });
      // What has been decoded is read while the rest of the chunk is decoded in its thread.
      while (!isWritten || (decoded.length > 0 && !failure?.error)) {
        const piece = decoded.shift();
        if (piece !== undefined) yield piece;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      if (failure?.error) throw failure.error;
      if (failure) return;
    }
    if (empty) return;
    await ended(gunzip);
    if (failure?.error) throw failure.error;
    yield* decoded.splice(0);
  } finally {
    gunzip.destroy();
  }
}

/** Until the chunk has been decoded whole, or decoding has failed. */
function written(gunzip: Gunzip, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    gunzip.once('error', resolve);
    gunzip.write(chunk, () => {
      gunzip.off('error', resolve);
      // What is decoded but still buffered would otherwise be delivered with the next chunk; reading emits 'data'.
      while (gunzip.read() !== null);
      resolve();
    });
  });
}

function ended(gunzip: Gunzip): Promise<void> {
  return new Promise((resolve) => {
    gunzip.once('error', resolve).once('end', resolve);
    gunzip.end();
  });
}
