const SLASH = 0x2f;

/**
 * Makes the key of an object from the bytes of its namespace and its name, as one flat text: one that is joined from two takes
 * more memory for as long as the object lives.
 */
export class KeyReader {
  /** The name, when slashes in it or in the namespace keep the key that was read last from telling where it begins. */
  slashedName: string | undefined;
  #scratch = Buffer.allocUnsafe(512);

  /** "" when there is no name. */
  read(bytes: Buffer, namespaceStart: number, namespaceEnd: number, nameStart: number, nameEnd: number): string {
    this.slashedName = undefined;
    const nameLength = nameEnd - nameStart;
    const namespaceLength = namespaceEnd - namespaceStart;
    if (nameLength === 0) return '';
    const nameAt = namespaceLength === 0 ? 0 : namespaceLength + 1;
    const length = nameAt + nameLength;
    if (length > this.#scratch.length) this.#scratch = Buffer.allocUnsafe(2 * length);
    const scratch = this.#scratch;
    let slashes = 0;
    for (let i = 0; i < namespaceLength; i++) {
      const byte = bytes[namespaceStart + i] as number;
      if (byte === SLASH) slashes++;
      scratch[i] = byte;
    }
    if (nameAt > 0) scratch[namespaceLength] = SLASH;
    for (let i = 0; i < nameLength; i++) {
      const byte = bytes[nameStart + i] as number;
      if (byte === SLASH) slashes++;
      scratch[nameAt + i] = byte;
    }
    if (slashes > 0) this.slashedName = scratch.toString('utf8', nameAt, length);
    return scratch.toString('utf8', 0, length);
  }
}
