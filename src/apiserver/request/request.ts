import type { Duplex } from 'node:stream';
import type { User } from './access.ts';
import type { WatchFaults } from './fault-plan.ts';

/** A request after the front has read it whole; the same over a socket and in process. */
export interface ServerRequest {
  /** In capitals. */
  readonly method: string;
  /** Percent-encoded as it came; behind the front door of the pipeline it is decoded, for everybody alike. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Whether its connection can leave HTTP. */
  readonly canUpgrade?: boolean;
}

/** What the handlers add while a request travels through the server. */
export interface RequestContext {
  readonly request: ServerRequest;
  readonly user: User;
  /** Texts for `Warning` headers, in order. */
  readonly warnings: string[];
  readonly faults: WatchFaults;
}

export interface ServerResponse {
  readonly status: number;
  /** Names in lower case. `Warning` may repeat. */
  readonly headers: readonly (readonly [string, string])[];
  /** Bytes when the answer is whole; a stream when it is long or has no end. Leaving the stream early releases it. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Set on watches: each chunk must reach the client at once, and nothing is compressed. */
  readonly streaming?: boolean;
  /** Set with 101: gets the connection, which is its own from then on. */
  readonly upgraded?: (connection: Duplex) => void;
}

export function jsonResponse(status: number, body: unknown): ServerResponse {
  return bytesResponse(status, Buffer.from(`${JSON.stringify(body)}\n`));
}

export function bytesResponse(status: number, body: Uint8Array, contentType = 'application/json'): ServerResponse {
  return { status, headers: [['content-type', contentType]], body };
}

export function textResponse(status: number, text: string): ServerResponse {
  return bytesResponse(status, Buffer.from(text), 'text/plain; charset=utf-8');
}
