import type {
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRequest,
  UpgradeResponse,
} from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import { markMetered } from '../observe/request-meter.ts';

/** A transport that is made, and whose code is loaded, with the first request. */
export class DeferredTransport implements Transport {
  readonly #make: () => Promise<Transport>;
  #made: Promise<Transport> | undefined;
  #closed = false;

  constructor(make: () => Promise<Transport>) {
    this.#make = make;
    markMetered(this);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    return (await this.#transport(request.signal)).request(request);
  }

  async upgrade(request: UpgradeRequest): Promise<UpgradeResponse> {
    const made = await this.#transport(request.signal);
    if (made.upgrade === undefined)
      throw new TransportError('protocol', 'the transport of this cluster has no WebSockets');
    return made.upgrade(request);
  }

  async close(): Promise<void> {
    this.#closed = true;
    // One that could not be made has nothing to close.
    await this.#made?.then(
      (transport) => transport.close(),
      () => {},
    );
  }

  #transport(signal: AbortSignal | undefined): Promise<Transport> {
    signal?.throwIfAborted();
    if (this.#closed) throw new TransportError('closed', 'the connection to the cluster has been closed with close()');
    this.#made ??= this.#make();
    return this.#made;
  }
}
