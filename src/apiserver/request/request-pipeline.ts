import type { Api } from '../api.ts';
import type { Discovery } from '../handlers/discovery-handler.ts';
import { healthResponse, versionResponse } from '../handlers/health.ts';
import { plainResponse } from '../handlers/object-response.ts';
import { routeResource } from '../handlers/resource-router.ts';
import { ConnectionLost } from '../http/connection-lost.ts';
import { type Access, ANONYMOUS, attributesOf, type User } from './access.ts';
import { MAX_BODY_BYTES } from './body.ts';
import { untilReleased, withBodyFaults } from './body-faults.ts';
import { type FaultPlan, type MetFault, watchFaults } from './fault-plan.ts';
import { impersonated } from './impersonated-user.ts';
import { type RequestContext, type ServerRequest, type ServerResponse, textResponse } from './request.ts';
import { decodePath, type RequestInfo, requestInfo, splitPath } from './request-info.ts';
import { internalError, StatusError, statusError, tooLarge, unknownPath } from './status-error.ts';

/** Answers paths that are neither resources nor discovery; undefined when it does not know the path. */
export type ExtraPaths = (
  parts: readonly string[],
  request: ServerRequest,
) => ServerResponse | Promise<ServerResponse> | undefined;

export interface PipelineParts {
  readonly api: Api;
  readonly access: Access;
  readonly faults: FaultPlan;
  readonly discovery: Discovery;
  readonly extraPaths: ExtraPaths;
}

/** What anybody may ask, so that probes need no token. */
const PUBLIC_PATHS = /^\/(?:healthz|livez|readyz|version)(?:\/|$)/;

/** One request from end to end: who, which faults, whether allowed, and the answer. Throws only `ConnectionLost`. */
export class RequestPipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  async handle(encoded: ServerRequest): Promise<ServerResponse> {
    const { api, faults } = this.#parts;
    const path = decodePath(encoded.path);
    if (path === undefined) return textResponse(400, '400 Bad Request');
    const request = { ...encoded, path };
    const info = requestInfo(request.method, path, request.query);
    const authentication = this.#authenticate(request, info);
    const userName = authentication instanceof StatusError ? '' : authentication.name;
    const met = faults.meet(info, userName, request);
    const warnings: string[] = [];
    let response: ServerResponse;
    try {
      await this.#actOut(met, request.signal);
      if (authentication instanceof StatusError) throw authentication;
      const context = { request, user: authentication, warnings, faults: watchFaults(met) };
      response = await this.#answer(context, info);
    } catch (error) {
      if (error instanceof ConnectionLost || request.signal.aborted) throw asLost(error);
      if (!(error instanceof StatusError)) {
        api.logger.error(`${request.method} ${request.path} failed inside the embedded server.`, error);
      }
      response = errorResponse(error, request.headers.accept);
    }
    releaseOnAbort(response.body, request.signal);
    const complete = { ...response, headers: [...response.headers, ...warningHeaders(warnings)] };
    return withBodyFaults(complete, met, request.signal);
  }

  async #answer(context: RequestContext, info: RequestInfo): Promise<ServerResponse> {
    const { api, access, discovery, extraPaths } = this.#parts;
    const { request, user } = context;
    if (request.body.length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    access.authorize(user, attributesOf(info, request.path));
    // Nothing is served under an empty first segment, whatever follows it.
    if (request.path.startsWith('//')) return textResponse(404, '404 page not found\n');
    const parts = splitPath(request.path);
    if (info.isResource && servesGroup(api, info)) return routeResource(api, context, info);
    const found =
      healthResponse(request.path.split('/').slice(1), request.query) ??
      (parts.length === 1 && parts[0] === 'version' ? versionResponse() : undefined) ??
      discovery.respond(parts, request.headers.accept) ??
      (await extraPaths(parts, request));
    if (found) return found;
    const group = parts[0] === 'apis' ? parts[1] : undefined;
    const known = parts[0] === 'api' || (group !== undefined && api.registry.hasBuiltins(group));
    if (known) throw unknownPath();
    return textResponse(404, '404 page not found\n');
  }

  /** Who asks, or whom the request is allowed to ask for. */
  #authenticate({ headers, path }: ServerRequest, info: RequestInfo): User | StatusError {
    const { access } = this.#parts;
    const probe = headers.authorization === undefined && PUBLIC_PATHS.test(path);
    try {
      const user = access.requiresToken && probe ? ANONYMOUS : access.authenticate(headers.authorization);
      return impersonated(access, user, headers, attributesOf(info, path));
    } catch (error) {
      if (error instanceof StatusError) return error;
      throw error;
    }
  }

  /** The faults that come before an answer. */
  async #actOut(met: readonly MetFault[], signal: AbortSignal): Promise<void> {
    for (const { fault, released } of met) {
      if (fault.kind === 'drop') throw new ConnectionLost();
      if (fault.kind === 'stall') await untilReleased(released, signal);
      if (fault.kind === 'delay') await this.#parts.api.clock.sleep(fault.ms, signal);
      if (fault.kind === 'status') throw statusFault(fault);
    }
  }
}

/** In a group of custom resources alone, an unknown resource is a path that nobody knows. */
function servesGroup(api: Api, { group, version, resource }: RequestInfo): boolean {
  if (!api.registry.hasVersion(group, version)) return false;
  return api.registry.hasBuiltins(group) || api.registry.find(group, version, resource) !== undefined;
}

/** A client that goes while a stream waits must release it, however many faults are wrapped around. */
function releaseOnAbort(body: ServerResponse['body'], signal: AbortSignal): void {
  if (body instanceof Uint8Array) return;
  const { return: leave } = body as Partial<AsyncIterableIterator<Uint8Array>>;
  if (!leave) return;
  if (signal.aborted) void leave.call(body);
  else signal.addEventListener('abort', () => void leave.call(body), { once: true });
}

function asLost(error: unknown): ConnectionLost {
  return error instanceof ConnectionLost ? error : new ConnectionLost('the client has gone');
}

function statusFault(fault: Extract<MetFault['fault'], { kind: 'status' }>): StatusError | RawAnswer {
  const { code, retryAfterSeconds } = fault;
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const headers = { ...retry, ...fault.headers };
  if (fault.body !== undefined) return new RawAnswer(code, headers, fault.body);
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  const { status } = statusError(code, fault.reason ?? reasonOf(code), fault.message ?? 'a fault of the plan', details);
  return new StatusError(status, headers);
}

/** A fault that answers as a proxy would, with a page of its own. */
class RawAnswer extends StatusError {
  readonly text: string;

  constructor(code: number, headers: Readonly<Record<string, string>>, text: string) {
    super({ code, message: text }, headers);
    this.text = text;
  }
}

function reasonOf(code: number): string {
  const reasons: Readonly<Record<number, string>> = {
    400: 'BadRequest',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'NotFound',
    409: 'Conflict',
    410: 'Expired',
    429: 'TooManyRequests',
    500: 'InternalError',
    503: 'ServiceUnavailable',
    504: 'Timeout',
  };
  return reasons[code] ?? '';
}

function errorResponse(error: unknown, accept: string | undefined): ServerResponse {
  const known = error instanceof StatusError ? error : internalError(messageOf(error));
  const headers = Object.entries(known.headers);
  if (known instanceof RawAnswer) {
    const typed = headers.some(([name]) => name === 'content-type');
    const type: [string, string][] = typed ? [] : [['content-type', 'text/html']];
    return { status: known.status.code, headers: [...type, ...headers], body: Buffer.from(known.text) };
  }
  const response = plainResponse(known.status.code, known.status, accept);
  return { ...response, headers: [...response.headers, ...headers] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function warningHeaders(warnings: readonly string[]): [string, string][] {
  const texts = [...new Set(warnings)].map((text) => text.replace(/[\\"]/g, '\\$&').replace(/[^\x20-\x7e]/g, ' '));
  return texts.map((text) => ['warning', `299 - "${text}"`]);
}
