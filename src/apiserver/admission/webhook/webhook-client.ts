import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../../observe/clock.ts';
import type { Store } from '../../storage/storage.ts';
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../../values/json.ts';

/** How much of an answer is read: as much as client-go reads. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

/** Where a webhook is, as `clientConfig` says: by URL, or by the name of a service. */
export type ClientConfig = JsonObject;

/** The webhook could not be asked, or its answer is not one. The message says why, and not which webhook. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

/** Sends reviews to webhooks, over TLS that is always verified. */
export class WebhookClient {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #running = new Set<AbortController>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Ends all calls. */
  stop(): void {
    for (const call of this.#running) call.abort();
  }

  /** The JSON that the webhook answers with. Throws `WebhookCallError`. */
  async post(config: ClientConfig, body: JsonObject, timeoutSeconds: number): Promise<JsonValue> {
    const { url, connect } = this.#place(config);
    if (timeoutSeconds > 0) url.searchParams.set('timeout', `${timeoutSeconds}s`);
    const call = new AbortController();
    this.#running.add(call);
    const timer = this.#clock.setTimeout(() => call.abort(), timeoutSeconds * 1000);
    const failed = (why: string) => new WebhookCallError(`Post ${JSON.stringify(url.href)}: ${why}`);
    try {
      const ca = Buffer.from(asString(config.caBundle), 'base64').toString();
      const answer = await send(url, JSON.stringify(body), {
        signal: call.signal,
        ...(ca === '' ? {} : { ca }),
        ...connect,
      });
      return readAnswer(answer);
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      if (call.signal.aborted) throw failed('context deadline exceeded');
      throw failed(connectionProblem(error));
    } finally {
      timer.clear();
      this.#running.delete(call);
    }
  }

  #place(config: ClientConfig): { url: URL; connect: { host?: string; servername?: string } } {
    if (!isObject(config.service)) {
      const url = new URL(asString(config.url));
      return { url, connect: {} };
    }
    const { namespace, name, path, port = 443 } = config.service;
    const servername = `${asString(name)}.${asString(namespace)}.svc`;
    const url = new URL(`https://${servername}:${Number(port)}/`);
    url.pathname = asString(path) || '/';
    return { url, connect: { host: this.#hostOf(asString(namespace), asString(name), url.href), servername } };
  }

  /** Nothing routes the addresses of a cluster here, but the names of others can be followed. */
  #hostOf(namespace: string, name: string, url: string): string {
    const service = this.#store.table('services').objects.get(`${namespace}/${name}`);
    const failed = (why: string) => new WebhookCallError(`Post ${JSON.stringify(url)}: ${why}`);
    if (!service) throw failed(`service ${JSON.stringify(name)} not found`);
    const spec = asObject(service.decode().spec);
    const host = spec.type === 'ExternalName' ? asString(spec.externalName) : asString(spec.clusterIP);
    if (host === '' || host === 'None') throw failed(`no endpoints available for service ${JSON.stringify(name)}`);
    return host;
  }
}

const UNTRUSTED = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

/** What went wrong below HTTP, in Go's words where users search for them. */
function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as Error & { code?: string; address?: string; port?: number };
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code !== undefined && UNTRUSTED.has(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  return error.message;
}

interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function send(
  url: URL,
  body: string,
  options: { signal: AbortSignal; ca?: string; host?: string; servername?: string },
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'user-agent': 'kube-apiserver-admission',
      'content-length': Buffer.byteLength(body),
      host: url.host,
    };
    // Each call has a connection of its own, so that none outlives it.
    const sent = httpsRequest(
      {
        method: 'POST',
        host: url.hostname,
        port: url.port || 443,
        path: `${url.pathname}${url.search}`,
        headers,
        agent: false,
        // Whatever the environment says.
        rejectUnauthorized: true,
        ...options,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let length = 0;
        answer.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > MAX_ANSWER_BYTES) answer.destroy(new Error('the answer is too long'));
          else chunks.push(chunk);
        });
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            type: answer.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString(),
          }),
        );
        answer.on('error', reject);
        answer.on('close', () => reject(new Error('unexpected EOF')));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function readAnswer({ status, type, text }: RawAnswer): JsonValue {
  const isGood = status >= 200 && status < 300;
  if (isGood && text === '')
    throw new WebhookCallError(`0-length response with status code: ${status} and content type: ${type}`);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // What is not JSON is read as YAML, where most of it is a text.
    value = text;
  }
  if (isGood && isObject(value)) return value;
  if (isGood) throw new WebhookCallError(notAnObject(value));
  const { kind, message } = asObject(value);
  throw new WebhookCallError(kind === 'Status' && message ? asString(message) : serverError(status, type, text));
}

function notAnObject(value: JsonValue): string {
  const what = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const fields = 'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\""';
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into Go value of type struct { ${fields} }`;
}

const CLIENT_TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** What client-go makes of an error that is not a Status. */
function serverError(status: number, type: string, text: string): string {
  const said = type === '' || type.startsWith('text/') ? text.trim() : 'unknown';
  if (status === 403) return said;
  if (status === 500)
    return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return (
    CLIENT_TEXTS[status] ?? `the server responded with the status code ${status} but did not return more information`
  );
}
