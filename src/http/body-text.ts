/** A whole body as text. */
export async function bodyText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Far beyond any Status; what is longer may be the page of a proxy, or have no end. */
const MAX_REFUSAL_BYTES = 65_536;

/** What there is of the body of a refusal, whose status counts also without it. Rejects only when the signal has aborted. */
export async function refusalText(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_REFUSAL_BYTES) break;
    }
  } catch {
    signal?.throwIfAborted();
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_REFUSAL_BYTES);
}
