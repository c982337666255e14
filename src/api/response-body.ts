import { ApiError } from './api-error.ts';
import { redirectMessage } from './redirect.ts';
import type { Status } from './status.ts';
import { TidewatchError } from './tidewatch-error.ts';
import type { TransportResponse } from './transport.ts';

/** Far beyond any Status; what is longer may be the page of a proxy, or have no end. */
const MAX_REFUSAL_BYTES = 65_536;

/** A whole body as text. Rejects when it is longer than that. */
export async function bodyText(body: AsyncIterable<Uint8Array>, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new TidewatchError('tooLarge', `the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The server's no as an error, with what there is of its body: the status counts also without it. `request` is what was asked:
 * `GET /api/v1/pods`. `readStatus` knows other formats than JSON. Rejects only when the signal has aborted.
 */
export async function refusalOf(
  response: TransportResponse,
  request: string,
  signal?: AbortSignal,
  readStatus?: (body: Uint8Array) => Status | undefined,
): Promise<ApiError> {
  const { status: code, refusedLogin } = response;
  const body = await refusalBody(response.body, signal);
  const redirect = redirectMessage(response);
  if (redirect !== undefined) return new ApiError({ status: 'Failure', code, message: redirect }, { request });
  const context = { request, refusedLogin, retryAfterSeconds: retryAfterSeconds(response) };
  const status = readStatus?.(body);
  if (status !== undefined) return new ApiError({ ...status, code: status.code ?? code }, context);
  return ApiError.fromResponse(code, body.toString('utf8'), context);
}

async function refusalBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      // Its memory may be used again.
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size >= MAX_REFUSAL_BYTES) break;
    }
  } catch {
    signal?.throwIfAborted();
  }
  return Buffer.concat(chunks).subarray(0, MAX_REFUSAL_BYTES);
}

/** By the header `Retry-After`. Only the form in seconds: API servers and their proxies use no other. */
export function retryAfterSeconds({ headers }: Pick<TransportResponse, 'headers'>): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  return /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}
