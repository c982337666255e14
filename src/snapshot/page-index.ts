import type { Cached, SavedObjects } from '../api/cached.ts';

/*
 * The index of a page: how many objects there are; the numbers of each; and the texts, as JSON, because nothing else makes as many
 * strings in as little time: the namespaces, the keys, the uids, and the versions in one. Numbers are of four bytes, the lowest first.
 */
const HEAD_BYTES = 4;
/** Where it begins and how long it is, its look, its namespace, and the length of its version. */
const OBJECT_BYTES = 20;

/** An object, and where it lies in its page. */
export interface IndexedObject {
  readonly object: Cached;
  readonly look: unknown;
  readonly start: number;
  readonly length: number;
}

/** `looks` is that of all pages whose looks have the same numbers. */
export function writePageIndex(objects: readonly IndexedObject[], looks: Numbers<unknown>): Buffer {
  const namespaces = new Numbers<string>();
  const numbers = Buffer.alloc(HEAD_BYTES + objects.length * OBJECT_BYTES);
  let at = numbers.writeUInt32LE(objects.length, 0);
  for (const { object, look, start, length } of objects) {
    const { namespace, resourceVersion } = object;
    // 0: its bytes tell how it looks.
    const lookNumber = look === undefined ? 0 : looks.of(look) + 1;
    for (const number of [start, length, lookNumber, namespaces.of(namespace), resourceVersion.length]) {
      at = numbers.writeUInt32LE(number, at);
    }
  }
  const texts = [
    ...namespaces.all,
    ...objects.map(({ object }) => object.key),
    ...objects.map(({ object }) => object.uid),
    objects.map(({ object }) => object.resourceVersion).join(''),
  ];
  return Buffer.concat([numbers, Buffer.from(JSON.stringify(texts))]);
}

/** What the indexes of the pages of one section have in common. */
export class SectionIndex {
  /** So that each namespace has one text. */
  readonly names = new Map<string, string>();
  readonly byLook: unknown[] = [];
}

/** Reads an index whose checksum was right. The fields are those of the object that the last `next` has come to. */
export class PageIndex implements SavedObjects {
  key = '';
  namespace = '';
  uid = '';
  resourceVersion = '';
  look = 0;
  start = 0;
  end = 0;
  readonly byLook: unknown[];
  readonly #numbers: DataView;
  readonly #count: number;
  readonly #texts: readonly string[];
  readonly #firstKey: number;
  readonly #versions: string;
  readonly #namespaces: readonly string[];
  #next = 0;
  #versionAt = 0;

  constructor(index: Buffer, { names, byLook }: SectionIndex) {
    this.byLook = byLook;
    this.#numbers = new DataView(index.buffer, index.byteOffset, index.length);
    this.#count = this.#numbers.getUint32(0, true);
    this.#texts = JSON.parse(index.toString('utf8', HEAD_BYTES + this.#count * OBJECT_BYTES)) as string[];
    this.#firstKey = this.#texts.length - 1 - 2 * this.#count;
    this.#versions = this.#texts.at(-1) ?? '';
    this.#namespaces = this.#texts.slice(0, this.#firstKey).map((name) => {
      const known = names.get(name) ?? name;
      names.set(name, known);
      return known;
    });
  }

  next(): boolean {
    const i = this.#next;
    if (i === this.#count) return false;
    this.#next++;
    const [numbers, texts] = [this.#numbers, this.#texts];
    const at = HEAD_BYTES + i * OBJECT_BYTES;
    this.start = numbers.getUint32(at, true);
    this.end = this.start + numbers.getUint32(at + 4, true);
    this.look = numbers.getUint32(at + 8, true);
    this.namespace = this.#namespaces[numbers.getUint32(at + 12, true)] as string;
    this.key = texts[this.#firstKey + i] as string;
    this.uid = texts[this.#firstKey + this.#count + i] as string;
    const versionAt = this.#versionAt;
    this.#versionAt += numbers.getUint32(at + 16, true);
    this.resourceVersion = this.#versions.substring(versionAt, this.#versionAt);
    return true;
  }
}

/** Numbers values in the order in which they come. */
export class Numbers<V> {
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
