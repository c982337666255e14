import { makeServingCertificate } from '../src/apiserver/http/certificate.ts';
import { getPath, type JsonObject } from '../src/apiserver/values/json.ts';
import { readBody } from '../src/http/request-fixture.ts';
import { ScriptedServer } from '../src/http/scripted-server-fixture.ts';

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
  readonly #certificate = makeServingCertificate(['127.0.0.1']);
  #server: ScriptedServer | undefined;
  /** By path, without its slash. Who is not there does not answer. */
  readonly answers = new Map<string, { answer: RawAnswer; status: number }>();
  readonly reviews: JsonObject[] = [];

  async listen(): Promise<void> {
    const { certificate, key } = this.#certificate;
    this.#server = await ScriptedServer.http(
      async (request, response) => {
        const review = JSON.parse(await readBody(request)) as JsonObject;
        this.reviews.push(review);
        const hook = this.answers.get(new URL(request.url ?? '', 'https://x').pathname.slice(1));
        const said = hook?.answer(review) ?? 'hang';
        if (said === 'hang') return;
        const body = typeof said === 'string' ? said : JSON.stringify(said);
        response.writeHead(hook?.status ?? 200, { 'content-type': 'application/json' }).end(body);
      },
      { cert: certificate, key },
    );
  }

  async close(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  clientConfig(path: string): JsonObject {
    return { url: `${this.#server?.url}/${path}`, caBundle: Buffer.from(this.#certificate.ca).toString('base64') };
  }
}
