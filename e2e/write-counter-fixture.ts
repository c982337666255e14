import type { Transport, TransportRequest, TransportResponse } from '../src/api/transport.ts';

/** What happens at a write: everything but a GET. */
export interface WriteHooks {
  /** Nothing has been sent. `n` counts from 1. */
  before?(n: number, request: TransportRequest): void | Promise<void>;
  /** The server has answered, so that it has stored what it will store. Nobody has seen the answer yet. */
  after?(n: number, request: TransportRequest): void | Promise<void>;
}

/** A transport that counts the writes that go through it. */
export class WriteCounter implements Transport {
  readonly #inner: Transport;
  readonly #hooks: WriteHooks;
  #writes = 0;

  constructor(inner: Transport, hooks: WriteHooks = {}) {
    this.#inner = inner;
    this.#hooks = hooks;
  }

  get writes(): number {
    return this.#writes;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (request.method === 'GET') return this.#inner.request(request);
    const n = ++this.#writes;
    await this.#hooks.before?.(n, request);
    const response = await this.#inner.request(request);
    await this.#hooks.after?.(n, request);
    return response;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
