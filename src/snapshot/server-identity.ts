import { ApiError } from '../api/api-error.ts';
import type { Transport } from '../api/transport.ts';

const PATH = '/api/v1/namespaces/kube-system';
/** The namespace, or what says no, is a fraction of this. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface ServerIdentityOptions {
  transport: Transport;
  /** Its address, for servers that do not tell more. Unset: it has none. */
  server: string | undefined;
}

/**
 * Which cluster a server is: the uid of the namespace kube-system, which every cluster has and none shares, or the address where that
 * namespace cannot be read. Asked once.
 */
export class ServerIdentity {
  readonly #options: ServerIdentityOptions;
  #known: string | undefined;

  constructor(options: ServerIdentityOptions) {
    this.#options = options;
  }

  /** Undefined when there is no telling it from another. Rejects, as any request, when the server does not answer. */
  async get(signal?: AbortSignal): Promise<string | undefined> {
    this.#known ??= await this.#ask(signal);
    return this.#known;
  }

  async #ask(signal: AbortSignal | undefined): Promise<string | undefined> {
    const { transport, server } = this.#options;
    const response = await transport.request({
      method: 'GET',
      path: PATH,
      headers: { accept: 'application/json' },
      ...(signal && { signal }),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString();
    if (response.status === 200) {
      const uid = uidOf(text);
      return uid === undefined ? server : `kube-system ${uid}`;
    }
    if ([401, 403, 404].includes(response.status)) return server;
    throw ApiError.fromResponse(response.status, text, { request: `GET ${PATH}` });
  }
}

function uidOf(text: string): string | undefined {
  try {
    const { metadata } = JSON.parse(text) as { metadata?: { uid?: unknown } };
    return typeof metadata?.uid === 'string' && metadata.uid !== '' ? metadata.uid : undefined;
  } catch {
    return undefined;
  }
}
