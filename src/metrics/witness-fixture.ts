import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import type { FakeClock } from '../observe/fake-clock.ts';

/** A request, as the server answered it. */
export interface WitnessedRequest {
  readonly method: string;
  /** The status, or `<error>`. */
  readonly code: string;
  readonly path: string;
  readonly isWatch: boolean;
  readonly tookMs: number;
}

/** The answer to a list or a watch, as far as it has been sent. */
export interface WitnessedStream {
  readonly path: string;
  readonly isWatch: boolean;
  /** Begins with the whole state. */
  readonly isWatchList: boolean;
  bytes: number;
  /** The types of the frames of a watch. */
  readonly frames: string[];
  /** How many of them were the whole state, with the bookmark that ends it. Undefined: it did not come to that. */
  initial: number | undefined;
  /** Of a list. */
  items: number;
  lastVersion: string;
  /** When its whole state was there, by the monotonic time; of a watch without one, when it was accepted. */
  openedMs: number | undefined;
  lastByteMs: number;
  readonly startMs: number;
  endedMs: number | undefined;
}

interface Frame {
  readonly type: string;
  readonly object: { readonly metadata?: { resourceVersion?: string; annotations?: Record<string, string> } };
}

/** Stands between the client and the server and writes down what the server sends, in JSON, without any code of the client. */
export class Witness implements Transport {
  readonly requests: WitnessedRequest[] = [];
  readonly streams: WitnessedStream[] = [];
  readonly #inner: Transport;
  readonly #clock: FakeClock;

  constructor(inner: Transport, clock: FakeClock) {
    this.#inner = inner;
    this.#clock = clock;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, query = '' } = request;
    const startMs = this.#clock.monotonicMs();
    const isWatch = /(^|&)watch=(1|true)/.test(query);
    const ended = (code: string) =>
      this.requests.push({ method, code, path, isWatch, tookMs: this.#clock.monotonicMs() - startMs });
    try {
      const response = await this.#inner.request(request);
      ended(String(response.status));
      if (method !== 'GET' || response.status !== 200) return response;
      const stream: WitnessedStream = {
        path,
        isWatch,
        isWatchList: isWatch && query.includes('sendInitialEvents=true'),
        bytes: 0,
        frames: [],
        initial: undefined,
        items: 0,
        lastVersion: '',
        openedMs: undefined,
        lastByteMs: this.#clock.monotonicMs(),
        startMs,
        endedMs: undefined,
      };
      if (isWatch && !stream.isWatchList) stream.openedMs = this.#clock.monotonicMs();
      this.streams.push(stream);
      return { ...response, body: this.#read(response.body, stream) };
    } catch (error) {
      ended('<error>');
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async *#read(body: AsyncIterable<Uint8Array>, stream: WitnessedStream): AsyncGenerator<Uint8Array> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        stream.bytes += chunk.length;
        stream.lastByteMs = this.#clock.monotonicMs();
        text += decoder.decode(chunk, { stream: true });
        if (stream.isWatch) {
          const lines = text.split('\n');
          text = lines.pop() ?? '';
          for (const line of lines) this.#frame(JSON.parse(line) as Frame, stream);
        }
        yield chunk;
      }
      if (!stream.isWatch) this.#list(JSON.parse(text), stream);
    } finally {
      stream.endedMs = this.#clock.monotonicMs();
    }
  }

  #frame({ type, object }: Frame, stream: WitnessedStream): void {
    stream.frames.push(type);
    stream.lastVersion = object.metadata?.resourceVersion ?? stream.lastVersion;
    if (object.metadata?.annotations?.['k8s.io/initial-events-end'] === 'true') {
      stream.initial = stream.frames.length;
      stream.openedMs = this.#clock.monotonicMs();
    }
  }

  /** Also of a single object, which has no items. */
  #list({ items, metadata }: { items?: unknown[]; metadata: { resourceVersion: string } }, stream: WitnessedStream) {
    stream.items = items?.length ?? 0;
    stream.lastVersion = metadata.resourceVersion;
    stream.openedMs = this.#clock.monotonicMs();
  }
}

/** What the server has sent about one resource. */
export class WitnessedResource {
  readonly #streams: readonly WitnessedStream[];

  constructor({ streams }: Witness, plural: string) {
    this.#streams = streams.filter(({ path }) => path.endsWith(`/${plural}`));
  }

  /** Whole states. */
  get lists(): { items: number; tookMs: number }[] {
    return this.#streams.flatMap(({ isWatch, items, initial, openedMs, startMs }) =>
      openedMs === undefined || (isWatch && initial === undefined)
        ? []
        : { items: isWatch ? (initial ?? 1) - 1 : items, tookMs: openedMs - startMs },
    );
  }

  /** Those that were accepted, without what was a whole state. */
  get watches(): { events: number; lastedMs: number | undefined }[] {
    return this.#streams.flatMap(({ isWatch, frames, initial = 0, openedMs, endedMs }) =>
      !isWatch || openedMs === undefined
        ? []
        : { events: frames.length - initial, lastedMs: endedMs === undefined ? undefined : endedMs - openedMs },
    );
  }

  get endedWatches(): { events: number; lastedMs: number }[] {
    return this.watches.flatMap(({ events, lastedMs }) => (lastedMs === undefined ? [] : { events, lastedMs }));
  }

  get frames(): readonly string[] {
    return this.#streams.flatMap(({ frames }) => frames);
  }

  /** In lists and events. */
  get objects(): number {
    const events = this.frames.filter((type) => type !== 'BOOKMARK' && type !== 'ERROR').length;
    return events + sum(this.#streams.map(({ items }) => items));
  }

  get bytes(): number {
    return sum(this.#streams.map(({ bytes }) => bytes));
  }

  get lastVersion(): string {
    return this.#streams.findLast(({ lastVersion }) => lastVersion !== '')?.lastVersion ?? '';
  }

  get lastByteMs(): number {
    return Math.max(...this.#streams.map(({ lastByteMs }) => lastByteMs));
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
