import { ApiError } from '../api/api-error.ts';
import type { Resource } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import type { Clock } from '../observe/clock.ts';
import { SharedCall } from '../transport/shared-call.ts';

/** How long an answer of the server's discovery is good for. */
const FRESH_MS = 5_000;
/** A discovery document of one group version is far smaller. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

interface Answer {
  readonly atMs: number;
  readonly plurals: SharedCall<ReadonlySet<string>>;
}

/**
 * Whether the server knows a type of object at all. A 404 on a list can also be a proxy's, so an informer asks here
 * before it believes it. All informers of a group version share one request in five seconds.
 */
export class GroupPresence {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer>();

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /** Rejects when the server cannot say. The request ends when the signals of all who wait for it have aborted. */
  async isServed(resource: Pick<Resource, 'group' | 'version' | 'plural'>, signal?: AbortSignal): Promise<boolean> {
    const { group, version, plural } = resource;
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const nowMs = this.#clock.now();
    let answer = this.#answers.get(path);
    if (!answer || answer.plurals.isAbandoned || nowMs - answer.atMs >= FRESH_MS) {
      answer = { atMs: nowMs, plurals: new SharedCall((abandoned) => this.#ask(path, abandoned)) };
      this.#answers.set(path, answer);
    }
    return (await answer.plurals.join(signal)).has(plural);
  }

  async #ask(path: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const headers = { accept: 'application/json' };
    const response = await this.#transport.request({ method: 'GET', path, headers, signal, clock: this.#clock });
    const body = await readText(response.body);
    if (response.status === 404) return new Set();
    if (response.status !== 200) throw ApiError.fromResponse(response.status, body, { request: `GET ${path}` });
    const { resources } = JSON.parse(body) as { resources?: { name?: string }[] };
    return new Set((resources ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])));
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error(`the discovery document is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
