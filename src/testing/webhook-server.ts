import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KubernetesObject } from '../api/metadata.ts';
import { anObject, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { makeServingCertificate } from '../apiserver/http/certificate.ts';
import type { AdmissionRequest } from '../generated/api/admission/v1.ts';
import type { ConversionRequest } from '../generated/api/apiextensions/v1.ts';

/** One operation of a JSON patch. */
export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string;
  from?: string;
  value?: unknown;
}

/** What an admission webhook says. An empty one allows the request. */
export interface AdmissionAnswer {
  /** Default true, unless `message` says why not. */
  allowed?: boolean | undefined;
  /** Why the request is refused. */
  message?: string | undefined;
  /** The HTTP status of a refusal. Default 403. */
  code?: number | undefined;
  /** How a mutating webhook changes the object. */
  patch?: readonly PatchOperation[] | undefined;
  /** Shown to whoever sent the request. */
  warnings?: readonly string[] | undefined;
}

/** Decides about one request; may be asynchronous. An error that it throws is an answer of 500. */
export type AdmissionHandler = (
  request: AdmissionRequest,
) => AdmissionAnswer | undefined | Promise<AdmissionAnswer | undefined>;

/** An object of a custom resource in one of its versions, as a conversion webhook gets and gives it. */
export type VersionedObject = KubernetesObject & Record<string, unknown>;

/**
 * Makes an object of another version of an object: `apiVersion` is the one that is wanted, and the answer must have it. What it is
 * given may be changed. May be asynchronous. An error that it throws is the reason that the client is told.
 */
export type ConversionHandler = (
  object: VersionedObject,
  apiVersion: string,
) => VersionedObject | Promise<VersionedObject>;

/** What is served, by path. */
export interface WebhookHandlers {
  /** For the webhooks of a `ValidatingWebhookConfiguration` or a `MutatingWebhookConfiguration`. */
  admission?: Readonly<Record<string, AdmissionHandler>> | undefined;
  /** For `spec.conversion.webhook` of a CustomResourceDefinition. */
  conversion?: Readonly<Record<string, ConversionHandler>> | undefined;
}

const CHECKS: OptionChecks<WebhookHandlers> = { admission: anObject, conversion: anObject };

/** How an API server reaches a webhook: the `clientConfig` of a configuration. */
export interface WebhookClientConfig {
  url: string;
  /** PEM in base64. */
  caBundle: string;
}

interface Answered {
  status: number;
  body: unknown;
}

interface Review<T> {
  apiVersion: string;
  kind: string;
  request: T;
}

/**
 * Webhooks of your own, for tests: HTTPS on loopback with a certificate made a moment ago. The embedded server and a real
 * kube-apiserver on this machine call it where `clientConfig(path)` stands in a configuration.
 */
export class WebhookServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #ca: string;

  private constructor(server: Server, ca: string) {
    this.#server = server;
    this.#ca = ca;
  }

  /** Serves HTTPS on a free port of 127.0.0.1, with a certificate of its own: `clientConfig` says how to reach it. */
  static async start(handlers: WebhookHandlers): Promise<WebhookServer> {
    checkedOptions('WebhookServer.start', handlers, CHECKS);
    const { ca, certificate, key } = makeServingCertificate(['127.0.0.1', 'localhost']);
    const server = createServer({ cert: certificate, key }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { pathname } = new URL(request.url ?? '/', 'https://webhook');
        answer(handlers, pathname, Buffer.concat(chunks).toString()).then(
          ({ status, body }) => {
            response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
          },
          (error: unknown) => {
            response.writeHead(500, { 'content-type': 'text/plain' }).end(messageOf(error));
          },
        );
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    server.unref();
    return new WebhookServer(server, ca);
  }

  /** For the handler of this path. */
  clientConfig(path: string): WebhookClientConfig {
    const { port } = this.#server.address() as AddressInfo;
    return { url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(this.#ca).toString('base64') };
  }

  /** Closes the socket, and all connections with it. Idempotent. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

async function answer(
  { admission = {}, conversion = {} }: WebhookHandlers,
  path: string,
  text: string,
): Promise<Answered> {
  const admits = Object.hasOwn(admission, path) ? admission[path] : undefined;
  if (admits) {
    const { apiVersion, kind, request } = JSON.parse(text) as Review<AdmissionRequest>;
    const said = (await admits(request)) ?? {};
    return { status: 200, body: { apiVersion, kind, response: { uid: request.uid, ...admissionResponse(said) } } };
  }
  const converts = Object.hasOwn(conversion, path) ? conversion[path] : undefined;
  if (!converts) return { status: 404, body: { message: `no webhook is served at ${path}` } };
  const { apiVersion, kind, request } = JSON.parse(text) as Review<ConversionRequest>;
  return { status: 200, body: { apiVersion, kind, response: await conversionResponse(request, converts) } };
}

async function conversionResponse(
  { uid, objects, desiredAPIVersion }: ConversionRequest,
  convert: ConversionHandler,
): Promise<Record<string, unknown>> {
  const convertedObjects: VersionedObject[] = [];
  try {
    for (const object of objects) convertedObjects.push(await convert(object as VersionedObject, desiredAPIVersion));
    return { uid, convertedObjects, result: { status: 'Success' } };
  } catch (error) {
    return { uid, convertedObjects: [], result: { status: 'Failure', message: messageOf(error) } };
  }
}

function admissionResponse({
  allowed,
  message,
  code = 403,
  patch,
  warnings,
}: AdmissionAnswer): Record<string, unknown> {
  const isAllowed = allowed ?? message === undefined;
  return {
    allowed: isAllowed,
    ...(isAllowed ? {} : { status: { code, ...(message === undefined ? {} : { message }) } }),
    ...(patch && patch.length > 0
      ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
      : {}),
    ...(warnings && warnings.length > 0 ? { warnings } : {}),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
