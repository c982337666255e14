import { JsonMembers, QUOTE } from '../json/json-bytes.ts';
import { isKey, parseJson } from './json-values.ts';
import type { JsonViews } from './json-views.ts';
import type { PartReader } from './lazy-view.ts';
import { IdentityField, Outline, type OutlineField } from './outline.ts';

/** Objects of a kind have few: metadata that look in yet another way are read from the text. */
const MAX_OUTLINES = 256;

/** The names that metadata have, in their order, and how their views look; null when it takes their text to tell. */
interface Known {
  readonly names: readonly string[];
  readonly outline: Outline | null;
}

/** Says where the range of the metadata is written of an object that ends at `end`; negative when it has none. */
type FindRange = (bytes: Buffer, end: number) => number;

/** Tells how the metadata of objects look, by the names of their fields. */
export class JsonMetadataOutlines {
  readonly #views: JsonViews;
  readonly #findRange: FindRange;
  /** By a hash of the names. */
  readonly #known = new Map<number, Known>();
  /** Where the names in hand begin and end, by turns. */
  readonly #names: number[] = [];
  readonly #part: PartReader;

  constructor(views: JsonViews, findRange: FindRange) {
    this.#views = views;
    this.#findRange = findRange;
    this.#part = {
      path: 'metadata',
      readField: (bytes, start, end, name, objectStart, source) => {
        const at = findRange(bytes, end);
        const [from, to] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
        return views.readField(bytes, start + from, start + to, name, objectStart, source);
      },
    };
  }

  /** Of the object from `start` to `end`. */
  outline(bytes: Buffer, start: number, end: number): Outline | undefined {
    const at = this.#findRange(bytes, end);
    if (at < 0) return undefined;
    const hash = this.#findNames(bytes, start + bytes.readUInt32LE(at), start + bytes.readUInt32LE(at + 4));
    if (hash === undefined) return undefined;
    let known = this.#known.get(hash);
    if (known === undefined && this.#known.size < MAX_OUTLINES) {
      known = this.#learn(bytes);
      this.#known.set(hash, known);
    }
    return known?.outline && this.#areNamed(bytes, known.names) ? known.outline : undefined;
  }

  /** Of metadata that servers write; undefined for others. */
  #findNames(bytes: Buffer, start: number, end: number): number | undefined {
    const names = this.#names;
    names.length = 0;
    let hash = 0;
    const members = new JsonMembers(bytes, start, end);
    while (members.next()) {
      const { keyStart, keyEnd } = members;
      for (let i = keyStart; i < keyEnd; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x9e37_79b1);
      names.push(keyStart, keyEnd);
      members.skip();
      const isText = bytes[members.valueStart] === QUOTE && members.valueEnd - members.valueStart > 2;
      if (!isText && isIdentity(bytes, keyStart, keyEnd)) return undefined;
    }
    return members.end === end ? hash : undefined;
  }

  #areNamed(bytes: Buffer, known: readonly string[]): boolean {
    const names = this.#names;
    if (names.length !== 2 * known.length) return false;
    for (let i = 0; i < known.length; i++) {
      if (!isKey(bytes, names[2 * i] as number, names[2 * i + 1] as number, known[i] as string)) return false;
    }
    return true;
  }

  #learn(bytes: Buffer): Known {
    const names: string[] = [];
    for (let i = 0; i < this.#names.length; i += 2) {
      names.push(parseJson(bytes, this.#names[i] as number, this.#names[i + 1] as number) as string);
    }
    const fields = names.flatMap((name): OutlineField[] => {
      const field = isIdentityName(name) ? new IdentityField(name) : this.#views.accessor(name);
      return field === undefined ? [] : [[name, field]];
    });
    const isWhole = fields.length === names.length && new Set(names).size === names.length;
    return { names, outline: isWhole ? new Outline(fields, this.#part) : null };
  }
}

function isIdentity(bytes: Buffer, keyStart: number, keyEnd: number): boolean {
  return IDENTITY_NAMES.some((name) => isKey(bytes, keyStart, keyEnd, name));
}

const IDENTITY_NAMES = ['name', 'namespace', 'uid', 'resourceVersion'] as const;

function isIdentityName(name: string): name is (typeof IDENTITY_NAMES)[number] {
  return (IDENTITY_NAMES as readonly string[]).includes(name);
}
