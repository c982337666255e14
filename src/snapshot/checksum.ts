import { createCipheriv } from 'node:crypto';

/** A key and a nonce hide nothing here: what is wanted is the tag alone, which the same bytes always have. */
const NOTHING = Buffer.alloc(16);

/**
 * Of the bytes, one part after the other. Finds every change that comes about by accident. It is the tag that AES-GCM has for bytes that
 * it does not encrypt: of what runtimes have built in, nothing goes through bytes much faster; a CRC-32 takes nearly twice as long.
 */
export function checksum(parts: readonly Uint8Array[]): string {
  const cipher = createCipheriv('aes-128-gcm', NOTHING, NOTHING);
  for (const part of parts) cipher.setAAD(part);
  cipher.final();
  return cipher.getAuthTag().toString('hex');
}
