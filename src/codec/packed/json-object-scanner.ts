import { objectKey } from '../../api/key.ts';
import {
  BACKSLASH,
  BRACE_OPEN,
  COMMA,
  JsonMembers,
  QUOTE,
  skipManagedFields,
  skipValidValue,
  stringAt,
} from '../json/json-bytes.ts';
import { beginsWith } from '../json/json-object-reader.ts';
import { type KeptVersion, KeyReader, versionNumber } from '../protobuf/identity-scanner.ts';
import type { JsonFormat, JsonLayout, JsonShape } from './json-format.ts';
import { MetadataNames } from './json-metadata-outlines.ts';

export interface JsonObjectScannerOptions {
  /** What objects must be, and become when they do not say it. "" accepts any kind. */
  kind: string;
  apiVersion: string;
  format: JsonFormat;
  dropManagedFields: boolean;
  /** Whether objects may have nothing but metadata. */
  onlyMetadata: boolean;
}

/** More top-level fields are not told apart: such an object is decoded as a whole. */
const MAX_FIELDS = 64;

const NULL = Buffer.from('null');
const EMPTY_TEXT_BYTES = 2;
const PREFIX_START = '{"kind":';
const PREFIX_MIDDLE = ',"apiVersion":';

/** What the prefix says. */
const TYPE_NAMES = ['kind', 'apiVersion'];

const KIND = 1;
const API_VERSION = 2;

/* The fields of the metadata that are looked at, as bits, so that one that comes twice is noticed. */
const NAME = 1;
const NAMESPACE = 2;
const UID = 4;
const RESOURCE_VERSION = 8;
const LABELS = 16;
const MANAGED_FIELDS = 32;

const METADATA_FIELDS = new Map([
  ['name', NAME],
  ['namespace', NAMESPACE],
  ['uid', UID],
  ['resourceVersion', RESOURCE_VERSION],
  ['labels', LABELS],
  ['managedFields', MANAGED_FIELDS],
]);
/** By the length of the name, which no two of them share. */
const FIELD_BY_LENGTH: readonly (readonly [Buffer, number] | undefined)[] = Array.from({ length: 16 }, (_, length) => {
  const found = [...METADATA_FIELDS].find(([name]) => name.length === length);
  return found && ([Buffer.from(found[0]), found[1]] as const);
});

/**
 * Reads from the text of an object who it is and where its top-level fields lie, in one pass. It knows the form in which
 * servers write objects; whatever differs (blanks, a field that comes twice, a name that is not text, another kind) makes
 * `scan` return false, for a slower way to judge. The top-level fields and the metadata are known to be whole after it;
 * inside the other fields only brackets are counted.
 */
export class JsonObjectScanner implements JsonLayout {
  /** "" when there is no name. */
  key = '';
  uid = '';
  version: KeptVersion = '';
  /** The same text for all objects of the namespace. */
  namespace = '';
  shape: JsonShape | undefined;
  /** While the text is scanned, what lies behind those that were found is left from the object before. */
  readonly ranges: number[] = [];
  labelsStart = 0;
  labelsEnd = 0;
  readonly metadataNames = new MetadataNames();
  readonly #options: JsonObjectScannerOptions;
  readonly #kindValue: Buffer;
  readonly #apiVersionValue: Buffer;
  readonly #prefix: Buffer;
  /** Where in it the two values begin and end. */
  readonly #typeRanges: readonly number[];
  /** Those of the object before, which the next one most often shares, and their shape, when it is known. */
  #names: string[] = [];
  #lastShape: JsonShape | undefined;
  /** How many top-level fields have been found. */
  #count = 0;
  readonly #keys = new KeyReader();
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #hasPrefix = false;
  /** There are more top-level fields than are told apart. */
  #hasTooMany = false;
  #cutStart = 0;
  #cutEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #namespaceStart = 0;
  #namespaceEnd = 0;

  constructor(options: JsonObjectScannerOptions) {
    this.#options = options;
    this.#kindValue = Buffer.from(JSON.stringify(options.kind));
    this.#apiVersionValue = Buffer.from(JSON.stringify(options.apiVersion));
    this.#prefix = Buffer.from(`${PREFIX_START}${this.#kindValue}${PREFIX_MIDDLE}${this.#apiVersionValue},`);
    const kindEnd = PREFIX_START.length + this.#kindValue.length;
    const apiVersionStart = kindEnd + PREFIX_MIDDLE.length;
    this.#typeRanges = [PREFIX_START.length, kindEnd, apiVersionStart, apiVersionStart + this.#apiVersionValue.length];
  }

  /** Whether the text from `start` to `end` is that of a usable object; only then the fields mean anything. */
  scan(bytes: Buffer, start: number, end: number): boolean {
    this.#reset(bytes, start, end);
    try {
      if (!this.#scanFields()) return false;
      this.#readKey();
    } catch (error) {
      // A text with an escape that is none.
      if (error instanceof SyntaxError) return false;
      throw error;
    }
    if (this.key === '') return false;
    this.#findShape();
    return true;
  }

  /** How many bytes `copyText` writes for the object that was scanned last. */
  get textSize(): number {
    const prefix = this.#hasPrefix ? this.#prefix.length - 1 : 0;
    return prefix + this.#end - this.#start - (this.#cutEnd - this.#cutStart);
  }

  /** Writes the text to `out` from `at` on: with its type, and without managed fields. The layout is that of this text. */
  copyText(out: Buffer, at: number): void {
    let position = at;
    let from = this.#start;
    if (this.#hasPrefix) {
      position += this.#prefix.copy(out, position);
      from++;
    }
    if (this.#cutEnd > 0) {
      this.#bytes.copy(out, position, from, this.#cutStart);
      position += this.#cutStart - from;
      from = this.#cutEnd;
    }
    this.#bytes.copy(out, position, from, this.#end);
  }

  #reset(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.uid = this.version = '';
    this.#nameStart = this.#nameEnd = this.#namespaceStart = this.#namespaceEnd = 0;
    this.labelsStart = this.labelsEnd = 0;
    this.metadataNames.begin(bytes);
    this.#count = 0;
    this.#hasPrefix = this.#hasTooMany = false;
    this.#cutStart = this.#cutEnd = 0;
  }

  #scanFields(): boolean {
    const { kind, onlyMetadata } = this.#options;
    const members = new JsonMembers(this.#bytes, this.#start, this.#end);
    let types = 0;
    let hasMetadata = false;
    while (members.next()) {
      const name = this.#nameAt(members);
      if (name === 'metadata') {
        if (hasMetadata) return false;
        hasMetadata = true;
        members.valueEnd = this.#scanMetadata(members.valueStart);
        if (members.valueEnd < 0) return false;
      } else {
        members.skip();
        if (members.valueEnd < 0) return false;
        if (kind !== '' && (name === 'kind' || name === 'apiVersion')) {
          const expected = name === 'kind' ? this.#kindValue : this.#apiVersionValue;
          if (!this.#isValue(members.valueStart, members.valueEnd, expected)) return false;
          const type = name === 'kind' ? KIND : API_VERSION;
          if (types & type) return false;
          types |= type;
        } else if (onlyMetadata) return false;
      }
      if (this.#count === MAX_FIELDS) {
        this.#hasTooMany = true;
        continue;
      }
      if (!this.#addName(name)) return false;
      this.ranges[2 * this.#count] = members.valueStart;
      this.ranges[2 * this.#count + 1] = members.valueEnd;
      this.#count++;
    }
    if (members.end !== this.#end || !hasMetadata) return false;
    this.#hasPrefix = kind !== '' && types === 0;
    return kind === '' || types === 0 || types === (KIND | API_VERSION);
  }

  /** Returns where the metadata end, or -1. */
  #scanMetadata(start: number): number {
    const bytes = this.#bytes;
    const members = new JsonMembers(bytes, start, this.#end);
    let seen = 0;
    while (members.next()) {
      const field = fieldAt(bytes, members);
      if (field !== MANAGED_FIELDS || !this.#options.dropManagedFields) {
        this.metadataNames.add(members.keyStart, members.keyEnd);
      }
      if (field === 0) {
        members.valueEnd = skipValidValue(bytes, members.valueStart, this.#end);
        continue;
      }
      if (seen & field) return -1;
      seen |= field;
      if (field === MANAGED_FIELDS) {
        members.valueEnd = this.#skipManagedFields(members);
        continue;
      }
      members.valueEnd = skipValidValue(bytes, members.valueStart, this.#end);
      if (members.valueEnd < 0 || !this.#take(field, members.valueStart, members.valueEnd)) return -1;
    }
    return members.end;
  }

  /** False when the value is not of the type that it should have. */
  #take(field: number, start: number, end: number): boolean {
    const bytes = this.#bytes;
    if (field !== LABELS && (bytes[start] !== QUOTE || end - start <= EMPTY_TEXT_BYTES)) {
      this.metadataNames.areUsual = false;
    }
    if (this.#isValue(start, end, NULL)) return true;
    if (field === LABELS) {
      this.labelsStart = start;
      this.labelsEnd = end;
      return bytes[start] === BRACE_OPEN;
    }
    if (bytes[start] !== QUOTE) return false;
    if (field === NAME) {
      this.#nameStart = start + 1;
      this.#nameEnd = end - 1;
    } else if (field === NAMESPACE) {
      this.#namespaceStart = start + 1;
      this.#namespaceEnd = end - 1;
    } else if (field === UID) this.uid = stringAt(bytes, start, end);
    else this.version = versionNumber(bytes, start + 1, end - 1) ?? stringAt(bytes, start, end);
    return true;
  }

  #skipManagedFields({ keyStart, valueStart }: JsonMembers): number {
    const bytes = this.#bytes;
    if (!this.#options.dropManagedFields) return skipValidValue(bytes, valueStart, this.#end);
    const valueEnd = skipManagedFields(bytes, valueStart, this.#end);
    if (valueEnd < 0) return -1;
    const isAfterComma = bytes[keyStart - 1] === COMMA;
    this.#cutStart = isAfterComma ? keyStart - 1 : keyStart;
    this.#cutEnd = !isAfterComma && bytes[valueEnd] === COMMA ? valueEnd + 1 : valueEnd;
    return valueEnd;
  }

  #isValue(start: number, end: number, value: Buffer): boolean {
    return end - start === value.length && beginsWith(this.#bytes, start, end, value);
  }

  /** The same string as in the object before, if that had the same name in this place. */
  #nameAt({ keyStart, keyEnd }: JsonMembers): string {
    const bytes = this.#bytes;
    const known = this.#names[this.#count];
    if (known === undefined || known.length !== keyEnd - keyStart - 2) return stringAt(bytes, keyStart, keyEnd);
    for (let i = 0; i < known.length; i++) {
      // A backslash or a byte of another alphabet equals no character of a known name but by being the same.
      const byte = bytes[keyStart + 1 + i] as number;
      if (byte >= 0x80 || byte === 0x5c || byte !== known.charCodeAt(i)) return stringAt(bytes, keyStart, keyEnd);
    }
    return known;
  }

  /** Throws `SyntaxError` for an escape that is none. */
  #readKey(): void {
    const bytes = this.#bytes;
    if (
      this.#hasEscapes(this.#nameStart, this.#nameEnd) ||
      this.#hasEscapes(this.#namespaceStart, this.#namespaceEnd)
    ) {
      this.#readEscapedKey();
      return;
    }
    this.key = this.#keys.read(bytes, this.#namespaceStart, this.#namespaceEnd, this.#nameStart, this.#nameEnd);
    this.namespace = this.#keys.namespace;
  }

  #hasEscapes(start: number, end: number): boolean {
    for (let i = start; i < end; i++) if (this.#bytes[i] === BACKSLASH) return true;
    return false;
  }

  #readEscapedKey(): void {
    const textAt = (start: number, end: number) => (start === end ? '' : stringAt(this.#bytes, start - 1, end + 1));
    const name = textAt(this.#nameStart, this.#nameEnd);
    this.namespace = this.#keys.shared(textAt(this.#namespaceStart, this.#namespaceEnd));
    this.key = name === '' ? '' : objectKey(this.namespace, name);
  }

  /** False when a field of that name came before. */
  #addName(name: string): boolean {
    if (this.#names[this.#count] === name) return true;
    this.#forgetOthers();
    if (this.#names.includes(name)) return false;
    this.#names.push(name);
    return true;
  }

  /** The object has other names than the one before, but for those that have been found. */
  #forgetOthers(): void {
    this.#names.length = this.#count;
    this.#lastShape = undefined;
  }

  #findShape(): void {
    const first = this.#hasPrefix ? this.#typeRanges.length : 0;
    const length = first + 2 * this.#count;
    const shift = (this.#hasPrefix ? this.#prefix.length - 1 : 0) - this.#start;
    for (let i = length - 1; i >= first; i--) this.ranges[i] = this.#moved(this.ranges[i - first] as number, shift);
    for (let i = 0; i < first; i++) this.ranges[i] = this.#typeRanges[i] as number;
    if (this.labelsEnd > 0) {
      this.labelsStart = this.#moved(this.labelsStart, shift);
      this.labelsEnd = this.#moved(this.labelsEnd, shift);
    }
    this.shape = this.#hasTooMany ? undefined : this.#shapeOfNames();
    this.ranges.length = this.shape === undefined ? 0 : length;
  }

  #shapeOfNames(): JsonShape | undefined {
    if (this.#names.length > this.#count) this.#forgetOthers();
    // Whether there is a prefix follows from the names.
    this.#lastShape ??= this.#options.format.shapeOf([...(this.#hasPrefix ? TYPE_NAMES : []), ...this.#names]);
    return this.#lastShape;
  }

  /** A position in the text that was scanned, in the text that `copyText` writes. */
  #moved(position: number, shift: number): number {
    return position + shift - (this.#cutEnd > 0 && position >= this.#cutEnd ? this.#cutEnd - this.#cutStart : 0);
  }
}

function fieldAt(bytes: Buffer, { keyStart, keyEnd }: JsonMembers): number {
  const known = FIELD_BY_LENGTH[keyEnd - keyStart - 2];
  if (known !== undefined && beginsWith(bytes, keyStart + 1, keyEnd, known[0])) return known[1];
  // One may be written with escapes, which nobody does.
  for (let i = keyStart; i < keyEnd; i++) {
    if (bytes[i] === 0x5c) return METADATA_FIELDS.get(stringAt(bytes, keyStart, keyEnd)) ?? 0;
  }
  return 0;
}
