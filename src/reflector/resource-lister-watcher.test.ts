import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { CachedFrames } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import { defineResource } from '../api/resource.ts';
import type { Transport, TransportRequest } from '../api/transport.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import {
  type ResourceCodec,
  ResourceListerWatcher,
  type ResourceListerWatcherOptions,
} from './resource-lister-watcher.ts';
import { list, type Pod } from './scripted-fixture.ts';

const pods = defineResource<Pod>({ version: 'v1', plural: 'pods', kind: 'Pod' });
const signal = new AbortController().signal;

async function* bytes(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** Answers every request in the same way, and remembers them. */
class OneAnswer implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly #status: number;
  readonly #body: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly #headers: Record<string, string>;

  constructor(status = 200, body: (signal: AbortSignal) => AsyncIterable<Uint8Array> = () => bytes(), headers = {}) {
    this.#status = status;
    this.#body = body;
    this.#headers = headers;
  }

  async request(request: TransportRequest) {
    this.requests.push(request);
    return {
      status: this.#status,
      headers: new Map(Object.entries(this.#headers)),
      body: this.#body(request.signal ?? signal),
    };
  }

  async close(): Promise<void> {}
}

const codec: ResourceCodec<Pod> = {
  accept: 'application/lists',
  acceptWatch: 'application/watches',
  async readList(body, contentType) {
    let size = 0;
    for await (const chunk of body) size += chunk.length;
    return list(`${size} bytes of ${contentType}`);
  },
  async *readWatch(body, contentType): CachedFrames<Pod> {
    for await (const chunk of body) {
      yield [{ type: 'BOOKMARK', resourceVersion: `${chunk.length} of ${contentType}`, initialEventsEnd: false }];
    }
  },
};

const make = (transport: Transport, options: Partial<ResourceListerWatcherOptions<Pod>> = {}) =>
  new ResourceListerWatcher({ transport, codec, resource: pods, ...options });

describe('ResourceListerWatcher', () => {
  it('asks for lists and watches with one request each', async () => {
    const transport = new OneAnswer(200, () => bytes('12345'), { 'content-type': 'application/x' });
    const lw = make(transport, { namespace: 'default' });
    expect((await lw.list({ resourceVersion: '0', limit: 500 }, { signal })).metadata.resourceVersion).toBe(
      '5 bytes of application/x',
    );
    for await (const batch of await lw.watch(
      { resourceVersion: '7', allowWatchBookmarks: true, timeoutSeconds: 300 },
      { signal },
    )) {
      expect(batch).toMatchObject([{ resourceVersion: '5 of application/x' }]);
    }
    expect(transport.requests).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/namespaces/default/pods',
        query: 'resourceVersion=0&limit=500',
        headers: { accept: 'application/lists' },
      },
      {
        path: '/api/v1/namespaces/default/pods',
        query: 'resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300&watch=true',
        headers: { accept: 'application/watches' },
        headersTimeoutMs: 330_000,
      },
    ]);
    expect(transport.requests[0]).not.toHaveProperty('headersTimeoutMs');
  });

  it('lets the options be tweaked on every list and watch, in place or by a new object', async () => {
    const tweaks: ((options: ListOptions) => void)[] = [
      (options) => {
        options.labelSelector = 'app=web';
      },
      (options) => ({ ...options, labelSelector: 'app=web' }),
    ];
    for (const tweakListOptions of tweaks) {
      const transport = new OneAnswer();
      const lw = make(transport, { tweakListOptions });
      const options: ListOptions = { limit: 5 };
      await lw.list(options, { signal });
      await lw.watch(options, { signal });
      expect(transport.requests.map(({ query }) => query)).toEqual([
        'limit=5&labelSelector=app%3Dweb',
        'limit=5&labelSelector=app%3Dweb&watch=true',
      ]);
      expect(options).toEqual({ limit: 5 });
    }
  });

  it('asks for a single object by a list in its namespace, with what the options are tweaked to', async () => {
    const transport = new OneAnswer();
    await make(transport).listOne({ namespace: 'default', name: 'a' }, { signal });
    const tweakListOptions = (options: ListOptions) => {
      options.labelSelector = 'app=web';
      options.fieldSelector = 'spec.nodeName=n';
    };
    await make(transport, { namespace: 'b', tweakListOptions }).listOne({ namespace: 'b', name: 'x,y=z' }, { signal });
    const nodes = { ...pods, namespaced: false, plural: 'nodes' };
    await make(transport, { resource: nodes }).listOne({ namespace: '', name: 'n' }, { signal });
    expect(transport.requests.map(({ path, query }) => `${path} ${decodeURIComponent(query ?? '')}`)).toEqual([
      '/api/v1/namespaces/default/pods fieldSelector=metadata.name=a',
      '/api/v1/namespaces/b/pods labelSelector=app=web&fieldSelector=spec.nodeName=n,metadata.name=x\\,y\\=z',
      '/api/v1/nodes fieldSelector=metadata.name=n',
    ]);
  });

  it('throws an ApiError with the request and the Retry-After header when the server says no', async () => {
    const status = JSON.stringify({ kind: 'Status', reason: 'TooManyRequests', message: 'slow down', code: 429 });
    const transport = new OneAnswer(429, () => bytes(status.slice(0, 9), status.slice(9)), { 'retry-after': '7' });
    const lw = make(transport);
    for (const call of [lw.list({}, { signal }), lw.watch({}, { signal })]) {
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({
        code: 429,
        retryAfterSeconds: 7,
        message: 'GET /api/v1/pods: 429 TooManyRequests: slow down',
      });
    }
  });

  it('reads a bounded part of an answer that is no Status, and survives a body that breaks', async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(1024 * ++sent, '<html>');
    }
    await expect(make(new OneAnswer(502, endless)).list({}, { signal })).rejects.toMatchObject({ code: 502 });
    expect(sent).toBeLessThan(50);
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('Bad Gate');
      throw new Error('reset');
    }
    await expect(make(new OneAnswer(502, breaking)).list({}, { signal })).rejects.toThrow('Bad Gate');
  });

  it('lets the codec read a Status in its own format', async () => {
    const own = { ...codec, readStatus: (body: Uint8Array) => ({ reason: `${body.length} bytes` }) };
    await expect(
      make(new OneAnswer(410, () => bytes('k8s')), { codec: own }).list({}, { signal }),
    ).rejects.toMatchObject({
      code: 410,
      reason: '3 bytes',
    });
  });

  it('gives its clock to every request, so that the limits of the transport go by it', async () => {
    const clock = new FakeClock();
    const transport = new OneAnswer();
    const lw = make(transport, { clock });
    await lw.list({}, { signal });
    await lw.watch({}, { signal });
    expect(transport.requests.map((request) => request.clock === clock)).toEqual([true, true]);
  });

  it('passes an abort on', async () => {
    const stop = new AbortController();
    const transport: Transport = {
      request: ({ signal: given }) =>
        new Promise((_, reject) => given?.addEventListener('abort', () => reject(given.reason))),
      close: async () => {},
    };
    const calls = [make(transport).list({}, stop), make(transport).watch({}, stop)];
    stop.abort(new Error('stopped'));
    for (const call of calls) await expect(call).rejects.toThrow('stopped');
  });
});
