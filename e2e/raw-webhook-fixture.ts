import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeServingCertificate } from '../src/apiserver/http/certificate.ts';
import { getPath, type JsonObject } from '../src/apiserver/values/json.ts';

/** What a webhook answers to a review: an object or a text, which are sent as they are, or nothing. */
export type RawAnswer = (review: JsonObject) => JsonObject | string | 'hang';

/** An answer to the review that was sent. */
export function reviewed({ kind = '', apiVersion = '', request }: JsonObject, response: JsonObject): JsonObject {
  return { kind, apiVersion, response: { uid: getPath(request ?? null, 'uid') ?? '', ...response } };
}

/**
 * Webhooks that may say anything, unlike those of `WebhookServer`, which say what is right. One for each API server, so that what
 * they were sent can be compared.
 */
export class RawWebhooks {
  readonly #server: Server;
  readonly #ca: string;
  /** By path, without its slash. Who is not there does not answer. */
  readonly answers = new Map<string, { answer: RawAnswer; status: number }>();
  readonly reviews: JsonObject[] = [];

  constructor() {
    const { ca, certificate, key } = makeServingCertificate(['127.0.0.1']);
    this.#ca = ca;
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        const review = JSON.parse(text) as JsonObject;
        this.reviews.push(review);
        const hook = this.answers.get(new URL(request.url ?? '', 'https://x').pathname.slice(1));
        const said = hook?.answer(review) ?? 'hang';
        if (said === 'hang') return;
        const body = typeof said === 'string' ? said : JSON.stringify(said);
        response.writeHead(hook?.status ?? 200, { 'content-type': 'application/json' }).end(body);
      });
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  clientConfig(path: string): JsonObject {
    const { port } = this.#server.address() as AddressInfo;
    return { url: `https://127.0.0.1:${port}/${path}`, caBundle: Buffer.from(this.#ca).toString('base64') };
  }
}
