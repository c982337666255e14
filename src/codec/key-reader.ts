const SLASH = 0x2f;
const MAX_NAMESPACES = 4096;

/**
 * Makes the key of an object from the bytes of its namespace and its name, as one flat text: one that is joined from two takes
 * more memory for as long as the object lives.
 */
export class KeyReader {
  /** That of the key that was read last. Objects of one namespace share its text. */
  namespace = '';
  #scratch = Buffer.allocUnsafe(512);
  #namespaceLength = 0;
  readonly #namespaces = new Map<string, string>();

  /** "" when there is no name. */
  read(bytes: Buffer, namespaceStart: number, namespaceEnd: number, nameStart: number, nameEnd: number): string {
    const nameLength = nameEnd - nameStart;
    const namespaceLength = namespaceEnd - namespaceStart;
    const nameAt = namespaceLength === 0 ? 0 : namespaceLength + 1;
    const length = nameAt + nameLength;
    if (length > this.#scratch.length) this.#grow(2 * length);
    const scratch = this.#scratch;
    // What lies there is the namespace of the object before, which most often is that of the next one too.
    let isSame = namespaceLength === this.#namespaceLength;
    for (let i = 0; i < namespaceLength; i++) {
      const byte = bytes[namespaceStart + i] as number;
      if (scratch[i] !== byte) isSame = false;
      scratch[i] = byte;
    }
    if (!isSame) {
      this.#namespaceLength = namespaceLength;
      this.namespace = this.shared(scratch.toString('utf8', 0, namespaceLength));
    }
    if (nameLength === 0) return '';
    if (nameAt > 0) scratch[namespaceLength] = SLASH;
    for (let i = 0; i < nameLength; i++) scratch[nameAt + i] = bytes[nameStart + i] as number;
    return scratch.toString('utf8', 0, length);
  }

  /** The text that other objects of the namespace have. */
  shared(namespace: string): string {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    if (this.#namespaces.size >= MAX_NAMESPACES) this.#namespaces.clear();
    this.#namespaces.set(namespace, namespace);
    return namespace;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(length);
    this.#scratch.copy(larger);
    this.#scratch = larger;
  }
}
