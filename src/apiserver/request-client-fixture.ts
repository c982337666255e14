import type { Transport, TransportRequest } from '../api/transport.ts';
import type { JsonObject } from './values/json.ts';

export interface Answer {
  status: number;
  headers: ReadonlyMap<string, string>;
  text: string;
  /** The body as JSON; an empty object when it is none. */
  body: JsonObject;
}

export interface WatchLine {
  type: string;
  object: JsonObject;
}

export interface OpenWatch {
  status: number;
  /** The next event; undefined at the end of the stream. */
  next(): Promise<WatchLine | undefined>;
  /** The next `count` events, or fewer when the stream ends first. */
  take(count: number): Promise<WatchLine[]>;
  close(): Promise<void>;
}

/** Requests to a server under test, with JSON in and out. */
export class RequestClient {
  readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  async send(method: TransportRequest['method'], target: string, body?: unknown, headers?: Record<string, string>) {
    const [path = '', query = ''] = target.split('?');
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type = text === undefined ? {} : { 'content-type': 'application/json' };
    const response = await this.transport.request({
      method,
      path,
      query,
      headers: { ...type, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await readAnswer(response.status, response.headers, response.body);
    // What a write sets off is done soon after it; on a busy machine in more than one slice.
    if (method !== 'GET') for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    return answer;
  }

  get(target: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send('GET', target, undefined, headers);
  }

  post(target: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('POST', target, body, headers);
  }

  put(target: string, body: unknown): Promise<Answer> {
    return this.send('PUT', target, body);
  }

  patch(target: string, body: unknown, type = 'merge-patch+json'): Promise<Answer> {
    return this.send('PATCH', target, body, { 'content-type': `application/${type}` });
  }

  delete(target: string, body?: unknown): Promise<Answer> {
    return this.send('DELETE', target, body);
  }

  async watch(target: string, headers: Record<string, string> = {}): Promise<OpenWatch> {
    const [path = '', query = ''] = target.split('?');
    const response = await this.transport.request({ method: 'GET', path, query: `watch=1&${query}`, headers });
    const chunks = response.body[Symbol.asyncIterator]();
    let text = '';
    const next = async (): Promise<WatchLine | undefined> => {
      for (;;) {
        const end = text.indexOf('\n');
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return JSON.parse(line) as WatchLine;
        }
        const { done, value } = await chunks.next();
        if (done) return undefined;
        text += Buffer.from(value).toString();
      }
    };
    return {
      status: response.status,
      next,
      async take(count) {
        const taken: WatchLine[] = [];
        for (let event = await next(); event; event = await next()) {
          taken.push(event);
          if (taken.length === count) break;
        }
        return taken;
      },
      async close() {
        await chunks.return?.();
      },
    };
  }
}

async function readAnswer(
  status: number,
  headers: ReadonlyMap<string, string>,
  body: AsyncIterable<Uint8Array>,
): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  try {
    return { status, headers, text, body: JSON.parse(text) as JsonObject };
  } catch {
    return { status, headers, text, body: {} };
  }
}
