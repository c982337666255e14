import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import { AbortListeners } from '../http/abort-listeners.ts';
import type { Fence } from './leadership.ts';

/**
 * The transport, for a leader: every request other than a GET is checked by `fence.mustLead()` when it is made and again right before its first byte
 * leaves, also when it is a repetition, and is aborted when leadership ends before its answer has begun. Reads pass. What the server has received cannot be recalled.
 * `close` closes the transport that was given.
 */
export function fencedTransport(transport: Transport, fence: Fence): Transport {
  const listeners = new AbortListeners();
  return {
    async request(request) {
      if (request.method === 'GET') return transport.request(request);
      fence.mustLead();
      const beforeSend = () => {
        request.beforeSend?.();
        fence.mustLead();
      };
      return fenced(transport, { ...request, beforeSend }, fence.signal, listeners);
    },
    close: () => transport.close(),
  };
}

async function fenced(
  transport: Transport,
  request: TransportRequest,
  lost: AbortSignal,
  listeners: AbortListeners,
): Promise<TransportResponse> {
  const { signal } = request;
  signal?.throwIfAborted();
  const own = new AbortController();
  const ignoreCaller = listeners.add(signal, () => own.abort(signal?.reason));
  const ignoreLoss = listeners.add(lost, () => own.abort(lost.reason));
  try {
    const response = await transport.request({ ...request, signal: own.signal });
    return { ...response, body: withEnd(response.body, ignoreCaller) };
  } catch (error) {
    ignoreCaller();
    throw error;
  } finally {
    // The server has decided: whoever reads its answer should have it.
    ignoreLoss();
  }
}

/** The body, and a call when it has been read or left. */
async function* withEnd(body: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    onEnd();
  }
}
