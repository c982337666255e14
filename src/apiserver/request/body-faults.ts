import { ConnectionLost } from '../http/connection-lost.ts';
import type { MetFault } from './fault-plan.ts';
import type { ServerResponse } from './request.ts';

/** Acts out the faults that harm the body of a response; the response comes back as it was when there are none. */
export function withBodyFaults(
  response: ServerResponse,
  met: readonly MetFault[],
  signal: AbortSignal,
): ServerResponse {
  let body: AsyncIterable<Uint8Array> | undefined;
  for (const { fault, released } of met) {
    const source = body ?? iterate(response.body);
    if (fault.kind === 'split') body = split(source, fault.bytes);
    else if (fault.kind === 'cut')
      body = stopAfter(source, fault.afterBytes, () => Promise.reject(new ConnectionLost()));
    else if (fault.kind === 'end') body = stopAfter(source, fault.afterBytes, () => Promise.resolve());
    else if (fault.kind === 'stall-body')
      body = stopAfter(source, fault.afterBytes, () => untilReleased(released, signal), true);
  }
  return body === undefined ? response : { ...response, body, streaming: true };
}

/** Resolves when the fault is removed; rejects when the client has gone. */
export function untilReleased(released: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ConnectionLost('the client has gone'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    released.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, reject);
  });
}

async function* iterate(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

/** Lets `afterBytes` bytes through, then does `then`; goes on afterwards only when `resume` is set. */
async function* stopAfter(
  source: AsyncIterable<Uint8Array>,
  afterBytes: number,
  then: () => Promise<void>,
  resume = false,
): AsyncGenerator<Uint8Array> {
  let left = afterBytes;
  let stopped = false;
  if (left <= 0) {
    stopped = true;
    await then();
    if (!resume) return;
  }
  for await (const chunk of source) {
    if (stopped) {
      yield chunk;
      continue;
    }
    if (chunk.length < left) {
      left -= chunk.length;
      yield chunk;
      continue;
    }
    yield chunk.subarray(0, left);
    stopped = true;
    await then();
    if (!resume) return;
    if (chunk.length > left) yield chunk.subarray(left);
  }
}

async function* split(
  source: AsyncIterable<Uint8Array>,
  bytes: number | readonly number[],
): AsyncGenerator<Uint8Array> {
  const sizes = (typeof bytes === 'number' ? [bytes] : bytes).filter((size) => size > 0);
  let turn = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const size = sizes[turn++ % Math.max(sizes.length, 1)] ?? chunk.length;
      yield chunk.subarray(at, at + size);
      at += size;
    }
  }
}
