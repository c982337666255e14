import type {
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRequest,
  UpgradeResponse,
} from '../api/transport.ts';
import { onAbort } from '../observe/interruption.ts';
import { isMetered, markMetered } from '../observe/request-meter.ts';
import type { Fence } from './leadership.ts';

/**
 * The transport, for a leader: every request other than a GET is checked by `fence.mustLead()` when it is made and again right before its first byte
 * leaves, also when it is a repetition, and is aborted when leadership ends before its answer has begun. Reads pass; an upgrade (exec, attach, port-forward)
 * is checked when it is made, and its connection ends with leadership. What the server has received cannot be recalled.
 * `close` closes the transport that was given.
 */
export function fencedTransport(transport: Transport, fence: Fence): Transport {
  const upgrade = transport.upgrade?.bind(transport);
  const made: Transport = {
    async request(request) {
      if (request.method === 'GET') return transport.request(request);
      fence.mustLead();
      const beforeSend = () => {
        request.beforeSend?.();
        fence.mustLead();
      };
      return fenced(transport, { ...request, beforeSend }, fence.signal);
    },
    ...(upgrade && { upgrade: (request) => fencedUpgrade(upgrade, request, fence) }),
    close: () => transport.close(),
  };
  if (isMetered(transport)) markMetered(made);
  return made;
}

async function fenced(transport: Transport, request: TransportRequest, lost: AbortSignal): Promise<TransportResponse> {
  const { signal } = request;
  signal?.throwIfAborted();
  const own = new AbortController();
  const ignoreCaller = onAbort(signal, () => own.abort(signal?.reason));
  const ignoreLoss = onAbort(lost, () => own.abort(lost.reason));
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

async function fencedUpgrade(
  upgrade: NonNullable<Transport['upgrade']>,
  request: UpgradeRequest,
  fence: Fence,
): Promise<UpgradeResponse> {
  fence.mustLead();
  const { signal } = request;
  signal?.throwIfAborted();
  const own = new AbortController();
  const ignoreCaller = onAbort(signal, () => own.abort(signal?.reason));
  const ignoreLoss = onAbort(fence.signal, () => own.abort(fence.signal.reason));
  const ignoreBoth = () => {
    ignoreCaller();
    ignoreLoss();
  };
  try {
    const response = await upgrade({ ...request, signal: own.signal });
    response.connection?.once('close', ignoreBoth);
    if (response.connection) return response;
    ignoreLoss();
    return { ...response, body: withEnd(response.body, ignoreCaller) };
  } catch (error) {
    ignoreBoth();
    throw error;
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
