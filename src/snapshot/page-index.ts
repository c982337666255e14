import type { Cached, SavedObjects } from '../api/cached.ts';

/*
 * The index of a page: a number that says what it is, how many objects and how many bytes of numbers there are; for each object its
 * numbers; and the texts, one after the other: the namespaces, then the key, the uid and the version of each object. Numbers are of four
 * bytes, the lowest first.
 */
const FORMAT = 1;
const HEAD_BYTES = 12;
/** Where it begins and how long it is; its look and its namespace; the lengths of its key, its uid and its version. */
const OBJECT_BYTES = 16;
const NAMESPACE_BYTES = 4;
const MAX_SHORT = 0xffff;
const MAX_BYTE = 0xff;

/** An object, and where it lies in its page. */
export interface IndexedObject {
  readonly object: Cached;
  readonly look: unknown;
  readonly start: number;
  readonly length: number;
}

/** Undefined when one of them has something that finds no room in an index, such as a uid of 300 letters. */
export function writePageIndex(objects: readonly IndexedObject[]): Buffer | undefined {
  const namespaces = new Numbers<string>();
  const looks = new Numbers<unknown>();
  const texts: string[] = [];
  const numbers: number[] = [];
  for (const { object, look, start, length } of objects) {
    const { key, namespace, uid, resourceVersion } = object;
    const lengths = [key, uid, resourceVersion].map((text) => Buffer.byteLength(text)) as [number, number, number];
    if (lengths[0] > MAX_SHORT || lengths[1] > MAX_BYTE || lengths[2] > MAX_BYTE) return undefined;
    // 0: its bytes tell how it looks.
    const lookNumber = look === undefined ? 0 : looks.of(look) + 1;
    numbers.push(start, length, lookNumber * (MAX_SHORT + 1) + namespaces.of(namespace));
    numbers.push(lengths[0] * (MAX_SHORT + 1) + lengths[1] * (MAX_BYTE + 1) + lengths[2]);
    texts.push(key, uid, resourceVersion);
  }
  if (namespaces.all.length > MAX_SHORT || looks.all.length >= MAX_SHORT) return undefined;
  const head = Buffer.alloc(HEAD_BYTES + objects.length * OBJECT_BYTES + namespaces.all.length * NAMESPACE_BYTES);
  let at = 0;
  const put = (number: number) => {
    at = head.writeUInt32LE(number, at);
  };
  [FORMAT, objects.length, namespaces.all.length, ...numbers].forEach(put);
  for (const namespace of namespaces.all) put(Buffer.byteLength(namespace));
  return Buffer.concat([head, Buffer.from([...namespaces.all, ...texts].join(''))]);
}

/**
 * Reads an index whose checksum was right. The fields are those of the object that the last `next` has come to; each namespace has one
 * text for all pages that are given the same `names`. Undefined when it is of another format.
 */
export function readPageIndex(index: Buffer, names: Map<string, string>): SavedObjects | undefined {
  return index.length >= HEAD_BYTES && index.readUInt32LE(0) === FORMAT ? new PageIndex(index, names) : undefined;
}

class PageIndex implements SavedObjects {
  key = '';
  namespace = '';
  uid = '';
  resourceVersion = '';
  look = 0;
  start = 0;
  end = 0;
  readonly #index: Buffer;
  readonly #view: DataView;
  readonly #numbersEnd: number;
  readonly #namespaces: string[] = [];
  #numbersAt = HEAD_BYTES;
  #textAt: number;

  constructor(index: Buffer, names: Map<string, string>) {
    this.#index = index;
    this.#view = new DataView(index.buffer, index.byteOffset, index.length);
    const [objects, namespaces] = [this.#number(4), this.#number(8)];
    this.#numbersEnd = HEAD_BYTES + objects * OBJECT_BYTES;
    this.#textAt = this.#numbersEnd + namespaces * NAMESPACE_BYTES;
    for (let i = 0; i < namespaces; i++) {
      const name = this.#text(this.#number(this.#numbersEnd + i * NAMESPACE_BYTES));
      if (!names.has(name)) names.set(name, name);
      this.#namespaces.push(names.get(name) ?? name);
    }
  }

  next(): boolean {
    const at = this.#numbersAt;
    if (at === this.#numbersEnd) return false;
    this.#numbersAt += OBJECT_BYTES;
    const [kind, lengths] = [this.#number(at + 8), this.#number(at + 12)];
    this.start = this.#number(at);
    this.end = this.start + this.#number(at + 4);
    this.look = kind >>> 16;
    this.namespace = this.#namespaces[kind & MAX_SHORT] ?? '';
    this.key = this.#text(lengths >>> 16);
    this.uid = this.#text((lengths >>> 8) & MAX_BYTE);
    this.resourceVersion = this.#text(lengths & MAX_BYTE);
    return true;
  }

  #number(at: number): number {
    return this.#view.getUint32(at, true);
  }

  #text(length: number): string {
    const start = this.#textAt;
    this.#textAt += length;
    return this.#index.toString('utf8', start, this.#textAt);
  }
}

/** Numbers values in the order in which they come. */
class Numbers<V> {
  readonly all: V[] = [];
  readonly #numbers = new Map<V, number>();

  of(value: V): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.all.push(value) - 1;
    this.#numbers.set(value, number);
    return number;
  }
}
