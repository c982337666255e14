/**
 * `/openapi/v2` and `/openapi/v3`: documents are built when first asked for, and again after the resources have changed.
 * `respond(parts, request)` is for the server's extra paths; `resources()` gives what is served at present, and `stamp()` a
 * value that is another whenever that differs.
 */
import { createHash } from 'node:crypto';
import { parseAccept } from '../request/negotiation.ts';
import type { ServerRequest, ServerResponse } from '../request/request.ts';
import { groupVersionPath, type OpenApiResource } from './open-api-resource.ts';
import { openApiV2 } from './v2.ts';
import { encodeV2 } from './v2-protobuf.ts';
import { openApiV3 } from './v3.ts';

export interface OpenApiDocumentsOptions {
  /** Every resource that is served, in the order of discovery. */
  resources(): readonly OpenApiResource[];
  /** Compared with `===`: a counter, or the last array itself. */
  stamp(): unknown;
  /** `1.36` */
  readonly serverVersion: string;
}

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** As the real server answers; an `@` is not allowed in a content type. */
const V2_PROTOBUF_ANSWER = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const JSON_TYPE = 'application/json';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

interface GroupVersion {
  readonly resources: readonly OpenApiResource[];
  readonly hash: string;
  body?: Uint8Array;
}

interface State {
  readonly stamp: unknown;
  readonly versions: ReadonlyMap<string, GroupVersion>;
  readonly v2: { readonly hash: string; json?: Uint8Array; protobuf?: Uint8Array };
}

export class OpenApiDocuments {
  readonly #options: OpenApiDocumentsOptions;
  #state: State | undefined;

  constructor(options: OpenApiDocumentsOptions) {
    this.#options = options;
  }

  /** Undefined for paths that are not of OpenAPI. `parts` is the path, split at its slashes and decoded. */
  respond(parts: readonly string[], request: ServerRequest): ServerResponse | undefined {
    const [root, generation, ...rest] = parts;
    if (root !== 'openapi') return undefined;
    if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, headers: [], body: EMPTY };
    if (generation === 'v2' && rest.length === 0) return this.#v2(request);
    if (generation !== 'v3') return undefined;
    return rest.length === 0 ? this.#index() : this.#v3(rest.join('/'), request);
  }

  #index(): ServerResponse {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const [path, { hash }] of this.#current().versions) {
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
    return answer(Buffer.from(JSON.stringify({ paths })), JSON_TYPE, [['cache-control', 'no-cache, private']]);
  }

  #v3(path: string, request: ServerRequest): ServerResponse {
    const version = this.#current().versions.get(path);
    if (version === undefined) return { status: 404, headers: [], body: EMPTY };
    if (chosenType(request, [JSON_TYPE]) === undefined) return { status: 406, headers: [], body: EMPTY };
    const wanted = request.query.get('hash');
    const etag: [string, string] = ['etag', `"${version.hash}"`];
    if (wanted !== null && wanted !== '' && wanted !== version.hash) {
      const location = `/openapi/v3/${path}?hash=${version.hash}`;
      return { status: 301, headers: [etag, ['location', location], ['vary', 'Accept']], body: EMPTY };
    }
    const caching = wanted === version.hash ? `public, immutable, max-age=${YEAR_SECONDS}` : 'no-cache, private';
    const headers: [string, string][] = [etag, ['cache-control', caching], ['vary', 'Accept']];
    if (request.headers['if-none-match'] === etag[1]) return { status: 304, headers, body: EMPTY };
    version.body ??= Buffer.from(JSON.stringify(openApiV3(version.resources, this.#options.serverVersion)));
    return answer(version.body, JSON_TYPE, headers);
  }

  #v2(request: ServerRequest): ServerResponse {
    const { v2 } = this.#current();
    const type = chosenType(request, [JSON_TYPE, V2_PROTOBUF, V2_PROTOBUF_ANSWER]);
    if (type === undefined) return { status: 406, headers: [], body: EMPTY };
    const etag = `"${v2.hash}"`;
    const headers: [string, string][] = [
      ['etag', etag],
      ['cache-control', 'no-cache, private'],
      ['vary', 'Accept'],
    ];
    if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: EMPTY };
    if (type === JSON_TYPE) {
      v2.json ??= Buffer.from(JSON.stringify(this.#buildV2()));
      return answer(v2.json, JSON_TYPE, headers);
    }
    v2.protobuf ??= encodeV2(this.#buildV2());
    return answer(v2.protobuf, V2_PROTOBUF_ANSWER, headers);
  }

  #buildV2() {
    return openApiV2(this.#options.resources(), this.#options.serverVersion);
  }

  /** Hashes are those of what the documents are made from, so that the index needs no document. */
  #current(): State {
    const stamp = this.#options.stamp();
    if (this.#state !== undefined && this.#state.stamp === stamp) return this.#state;
    const groups = new Map<string, OpenApiResource[]>();
    for (const resource of this.#options.resources()) {
      const path = groupVersionPath(resource.group, resource.version);
      groups.set(path, [...(groups.get(path) ?? []), resource]);
    }
    const before = this.#state?.versions;
    const versions = new Map<string, GroupVersion>();
    for (const [path, resources] of groups) {
      const hash = this.#hash(resources);
      const known = before?.get(path);
      versions.set(path, known?.hash === hash ? known : { resources, hash });
    }
    const v2 = { hash: this.#hash([...versions.values()].map(({ hash }) => hash)) };
    this.#state = { stamp, versions, v2: this.#state?.v2.hash === v2.hash ? this.#state.v2 : v2 };
    return this.#state;
  }

  #hash(content: readonly unknown[]): string {
    const described = JSON.stringify([this.#options.serverVersion, ...content.map(describe)]);
    return createHash('sha512').update(described).digest('hex').toUpperCase();
  }
}

const EMPTY = new Uint8Array();

/** Only what the documents depend on: what is served may hold much else. */
function describe(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const { group, version, plural, kind, listKind, namespaced, verbs, subresources, schema, customSchema } =
    item as OpenApiResource;
  return { group, version, plural, kind, listKind, namespaced, verbs, subresources, schema, customSchema };
}

function answer(body: Uint8Array, type: string, headers: readonly [string, string][]): ServerResponse {
  return { status: 200, headers: [['content-type', type], ...headers], body };
}

function chosenType(request: ServerRequest, offered: readonly string[]): string | undefined {
  const accept = request.headers.accept ?? '';
  if (accept.trim() === '') return offered[0];
  for (const { type } of parseAccept(accept)) {
    if (type === '*/*' || type === 'application/*') return offered[0];
    const found = offered.find((candidate) => candidate === type);
    if (found !== undefined) return found;
  }
  return undefined;
}
