import { type CipherChaCha20Poly1305, type CipherGCM, createCipheriv } from 'node:crypto';

/**
 * Finds every change of some bytes that comes about by accident. It is the tag that a cipher has for bytes that it does not encrypt: of
 * what runtimes have built in, nothing goes through bytes much faster; a CRC-32 takes nearly twice as long.
 */
export interface Checksum {
  /** That of the files that are checked in this way. Another one is due when files change, or what objects of one look have in common. */
  readonly format: number;
  readonly cipher: string;
  /** Of the bytes, one part after the other. */
  of(parts: readonly Uint8Array[]): string;
}

/** Keys and nonces hide nothing here: what is wanted is the tag alone, which the same bytes always have. */
const NOTHING = Buffer.alloc(32);

/** The fastest comes first. Bun does not have it, nor OpenSSL under FIPS. */
const CHECKSUMS: readonly Checksum[] = [
  byTag(5, 'chacha20-poly1305', () =>
    createCipheriv('chacha20-poly1305', NOTHING, NOTHING.subarray(0, 12), { authTagLength: 16 }),
  ),
  byTag(4, 'aes-128-gcm', () => createCipheriv('aes-128-gcm', NOTHING.subarray(0, 16), NOTHING.subarray(0, 16))),
];

/** In which files are written. */
export function fastestChecksum(): Checksum {
  return CHECKSUMS.find(isBuiltIn) ?? (CHECKSUMS.at(-1) as Checksum);
}

/** That of the files of a format; undefined when there is no such format. */
export function checksumOf(format: number): Checksum | undefined {
  return CHECKSUMS.find((it) => it.format === format);
}

/** Whether this runtime has the cipher. */
export function isBuiltIn(checksum: Checksum): boolean {
  try {
    checksum.of([]);
    return true;
  } catch {
    return false;
  }
}

function byTag(format: number, cipher: string, create: () => CipherGCM | CipherChaCha20Poly1305): Checksum {
  return {
    format,
    cipher,
    of(parts) {
      const tagger = create();
      for (const part of parts) tagger.setAAD(part, { plaintextLength: 0 });
      tagger.final();
      return tagger.getAuthTag().toString('hex');
    },
  };
}
