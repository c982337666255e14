import { isKey, parseJson } from './json-values.ts';
import type { JsonViews } from './json-views.ts';
import { Accessors } from './lazy-view.ts';
import { MetadataOutline, OF_IDENTITY, OutlineField } from './outline.ts';

/** Objects of a kind have few: metadata that look in yet another way are read from the text. */
const MAX_OUTLINES = 256;
/** The room for more is given back after each object. */
const MANY_ENDS = 1_024;

/** How the views of metadata with these names look; null when it takes their text to tell. */
interface Known {
  readonly names: readonly string[];
  readonly outline: MetadataOutline | null;
}

/** The names of the fields of metadata, in their order, as they are found. */
export class MetadataNames {
  /** Whether the fields that say who the object is are texts. */
  areUsual = true;
  #bytes: Buffer = Buffer.alloc(0);
  /** Where they begin and end, by turns, with their quotes. What lies behind `#length` is left from objects before. */
  readonly #ends: number[] = [];
  #length = 0;

  begin(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#length = 0;
    if (this.#ends.length > MANY_ENDS) this.#ends.length = 0;
    this.areUsual = true;
  }

  add(start: number, end: number): void {
    this.#ends[this.#length++] = start;
    this.#ends[this.#length++] = end;
  }

  hash(): number {
    const [bytes, ends] = [this.#bytes, this.#ends];
    let hash = 0;
    for (let i = 0; i < this.#length; i += 2) {
      for (let at = ends[i] as number; at < (ends[i + 1] as number); at++) {
        hash = Math.imul(hash ^ (bytes[at] as number), 0x9e37_79b1);
      }
    }
    return hash;
  }

  areEqual(names: readonly string[]): boolean {
    const ends = this.#ends;
    if (this.#length !== 2 * names.length) return false;
    for (let i = 0; i < names.length; i++) {
      if (!isKey(this.#bytes, ends[2 * i] as number, ends[2 * i + 1] as number, names[i] as string)) return false;
    }
    return true;
  }

  texts(): string[] {
    const texts: string[] = [];
    for (let i = 0; i < this.#length; i += 2) {
      texts.push(parseJson(this.#bytes, this.#ends[i] as number, this.#ends[i + 1] as number) as string);
    }
    return texts;
  }
}

/** Says where the range of the metadata is written of an object that ends at `end`; negative when it has none. */
type FindRange = (bytes: Buffer, end: number) => number;

/** Tells how the metadata of objects look, by the names of their fields. */
export class JsonMetadataOutlines {
  /** By a hash of the names. */
  readonly #known = new Map<number, Known>();
  /** Those of the object before, which the next one most often shares. */
  #last: Known | undefined;
  readonly #accessors: Accessors;

  constructor(views: JsonViews, findRange: FindRange) {
    this.#accessors = new Accessors({
      path: 'metadata',
      readField: (bytes, start, end, name, objectStart, source) => {
        const at = findRange(bytes, end);
        const [from, to] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
        return views.readField(bytes, start + from, start + to, name, objectStart, source);
      },
    });
  }

  outline(names: MetadataNames): MetadataOutline | undefined {
    if (!names.areUsual) return undefined;
    if (!this.#last || !names.areEqual(this.#last.names)) this.#last = this.#find(names);
    return this.#last?.outline ?? undefined;
  }

  #find(names: MetadataNames): Known | undefined {
    const hash = names.hash();
    const known = this.#known.get(hash);
    if (known !== undefined) return names.areEqual(known.names) ? known : undefined;
    if (this.#known.size >= MAX_OUTLINES) return undefined;
    const learnt = this.#learn(names.texts());
    this.#known.set(hash, learnt);
    return learnt;
  }

  #learn(names: readonly string[]): Known {
    const fields = names.flatMap((name): OutlineField[] => {
      if (isIdentityName(name)) return [new OutlineField(name, OF_IDENTITY)];
      const accessor = this.#accessors.of(name);
      return accessor === undefined ? [] : [new OutlineField(name, accessor)];
    });
    const isWhole = fields.length === names.length && new Set(names).size === names.length;
    return { names, outline: isWhole ? new MetadataOutline(fields) : null };
  }
}

const IDENTITY_NAMES = ['name', 'namespace', 'uid', 'resourceVersion'] as const;

function isIdentityName(name: string): name is (typeof IDENTITY_NAMES)[number] {
  return (IDENTITY_NAMES as readonly string[]).includes(name);
}
