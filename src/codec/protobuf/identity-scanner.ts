import type { BrokenObject, Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import type { ProtobufKeeper, Where } from '../keeping.ts';
import { copyBytes, LENGTH_DELIMITED, varintSize, type WireReader, writeVarint } from './wire-reader.ts';

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

/** A resourceVersion as objects in a cache hold it: a number, which takes less memory than its text, when that is written as numbers are. */
export type KeptVersion = number | string;

/** All numbers with as many digits are exact. */
const MAX_DIGITS = 15;
const ZERO = 0x30;
const NINE = 0x39;

/** From the bytes of its text; undefined when it is to be kept as text. */
export function versionNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  // Text with a zero in front is not that of its number.
  if (end === start || end - start > MAX_DIGITS || bytes[start] === ZERO) return undefined;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i] as number;
    if (digit < ZERO || digit > NINE) return undefined;
    value = value * 10 + digit - ZERO;
  }
  return value;
}

/** From its text. */
export function keptVersion(text: string): KeptVersion {
  return text.length <= MAX_DIGITS && /^[1-9]\d*$/.test(text) ? Number(text) : text;
}

const bytesField = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const METADATA = bytesField(1);
const NAME = bytesField(1);
const GENERATE_NAME = bytesField(2);
const NAMESPACE = bytesField(3);
const UID = bytesField(5);
const RESOURCE_VERSION = bytesField(6);
const LABELS = bytesField(11);
const MANAGED_FIELDS = bytesField(17);
const GENERATION = 7 << 3;
const CREATION_TIMESTAMP = bytesField(8);
const DELETION_TIMESTAMP = bytesField(9);
const DELETION_GRACE_PERIOD = 10 << 3;
/** From here on metadata have lists and maps. */
const FIRST_REPEATED = 11;
/** Numbers that a bit stands for. */
const MAX_NUMBER = 30;
/** Go writes a time in more when it is zero. */
const MAX_TIME_BYTES = 8;
/** How many characters a server adds to `generateName`. */
export const GENERATED_LENGTH = 5;
/** A field at the top that is larger is neither empty nor a number nor a time: its type alone says how views show it. */
const SMALL_BYTES = 20;

/**
 * How an object looks, as far as that can be told while its identity is read: objects whose looks are usual and the same have the same fields
 * at the top and in their metadata.
 */
export interface MessageLook {
  /** Every field comes once and in order, the metadata first, and what else is at the top is not small. */
  readonly isUsual: boolean;
  /** The numbers of the fields, as bits. */
  readonly topFields: number;
  readonly metadataFields: number;
  /** Those of them that are empty, or 0. */
  readonly metadataZeros: number;
  /** Those of them that need not be read: `generateName` where the name goes on from it, and `generation` where it is 1. */
  readonly metadataImplied: number;
}

/** Whether the name is what a server has made of `generateName`. Their texts lie in these ranges. */
export function isGenerated(
  bytes: Buffer,
  nameStart: number,
  nameEnd: number,
  generateStart: number,
  generateEnd: number,
): boolean {
  const length = generateEnd - generateStart;
  if (length === 0 || nameEnd - nameStart !== length + GENERATED_LENGTH) return false;
  for (let i = 0; i < length; i++) if (bytes[nameStart + i] !== bytes[generateStart + i]) return false;
  // As many characters as bytes.
  for (let at = nameStart + length; at < nameEnd; at++) if ((bytes[at] as number) >= 0x80) return false;
  return true;
}

/**
 * Reads from the message of an object nothing but who it is, in one pass that jumps over everything else. What it
 * has skipped is known to be whole: the top-level fields and those of the metadata end where the object ends. The fields
 * hold what the last `scan` found, and after one that threw, what it found until then.
 */
export class IdentityScanner implements MessageLook {
  isUsual = false;
  topFields = 0;
  metadataFields = 0;
  metadataZeros = 0;
  metadataImplied = 0;
  /** "" when there is no name. */
  key = '';
  /** The same text for all objects of the namespace. */
  namespace = '';
  uid = '';
  version: KeptVersion = '';
  readonly #reader: WireReader;
  readonly #keys = new KeyReader();
  #start = 0;
  #end = 0;
  #metadataTag = 0;
  #metadataStart = 0;
  #metadataEnd = 0;
  #namespaceStart = 0;
  #namespaceEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #generateStart = 0;
  #generateEnd = 0;
  /** Where managed fields begin and end, by turns. Most often all of them lie together. */
  readonly #cuts: number[] = [];
  #cutBytes = 0;

  constructor(reader: WireReader) {
    this.#reader = reader;
  }

  /** Throws `WireError`. */
  scan(bytes: Buffer, start: number, end: number): void {
    this.#reset(start, end);
    const reader = this.#reader;
    reader.open(bytes, start, end);
    let isFound = false;
    try {
      while (reader.position < end) {
        const tagStart = reader.position;
        const tag = reader.tag();
        if (tag !== METADATA) {
          reader.skip(tag, end);
          this.#lookAtTop(tag, reader.position - tagStart);
          continue;
        }
        // A second one would be merged into the first by Go; nobody writes that.
        if (isFound) throw reader.malformed('the object has metadata twice', tagStart);
        isFound = true;
        this.#metadataTag = tagStart;
        this.#metadataEnd = reader.lengthDelimited(end);
        this.#metadataStart = reader.position;
        this.#scanMetadata(this.#metadataEnd);
      }
      reader.finish(end);
      if (!isFound) throw reader.malformed('the object has no metadata', start);
    } finally {
      this.#readKey(bytes);
    }
  }

  /** How many bytes `copyWithoutManagedFields` writes for the object that was scanned last. */
  get sizeWithoutManagedFields(): number {
    const length = this.#keptLength;
    return this.#metadataTag - this.#start + 1 + varintSize(length) + length + this.#end - this.#metadataEnd;
  }

  /** Writes the object that was scanned last to `out`, from `at` on. The bytes that were scanned must still be as they were. */
  copyWithoutManagedFields(out: Buffer, at: number): void {
    const { bytes } = this.#reader;
    const cuts = this.#cuts;
    let position = at;
    if (this.#metadataTag > this.#start) {
      copyBytes(bytes, this.#start, this.#metadataTag, out, position);
      position += this.#metadataTag - this.#start;
    }
    out[position++] = METADATA;
    position = writeVarint(out, position, this.#keptLength);
    let keptFrom = this.#metadataStart;
    for (let i = 0; i < cuts.length; i += 2) {
      const cut = cuts[i] as number;
      copyBytes(bytes, keptFrom, cut, out, position);
      position += cut - keptFrom;
      keptFrom = cuts[i + 1] as number;
    }
    // What is left of the metadata, and everything behind it.
    copyBytes(bytes, keptFrom, this.#end, out, position);
  }

  #reset(start: number, end: number): void {
    this.uid = '';
    this.version = '';
    this.isUsual = true;
    this.topFields = this.metadataFields = this.metadataZeros = this.metadataImplied = 0;
    this.#start = start;
    this.#end = end;
    this.#namespaceStart = this.#namespaceEnd = this.#nameStart = this.#nameEnd = 0;
    this.#generateStart = this.#generateEnd = 0;
    this.#cuts.length = 0;
    this.#cutBytes = 0;
  }

  #lookAtTop(tag: number, length: number): void {
    const bit = 1 << (tag >>> 3);
    if (this.metadataFields === 0 || tag >>> 3 > MAX_NUMBER || bit <= this.topFields || length <= SMALL_BYTES)
      this.isUsual = false;
    this.topFields |= bit;
  }

  /** `first` is the first byte of the value, or of its length. */
  #lookAtMetadata(tag: number, first: number): void {
    const number = tag >>> 3;
    const bit = 1 << number;
    const isNumber = tag === GENERATION || tag === DELETION_GRACE_PERIOD;
    const isTime = tag === CREATION_TIMESTAMP || tag === DELETION_TIMESTAMP;
    if (
      number > MAX_NUMBER ||
      (bit <= this.metadataFields && (number < FIRST_REPEATED || 2 * bit <= this.metadataFields)) ||
      (!isNumber && (tag & 7) !== LENGTH_DELIMITED) ||
      // It may be 0 in more than one byte.
      (isNumber && first === 0x80) ||
      (isTime && first > MAX_TIME_BYTES)
    )
      this.isUsual = false;
    this.metadataFields |= bit;
    if (first === 0) this.metadataZeros |= bit;
    if (tag === GENERATION && first === 1) this.metadataImplied |= bit;
  }

  #scanMetadata(end: number): void {
    const reader = this.#reader;
    const { bytes } = reader;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      this.#lookAtMetadata(tag, bytes[reader.position] as number);
      if ((tag & 7) !== LENGTH_DELIMITED) {
        reader.skip(tag, end);
        continue;
      }
      const valueEnd = reader.lengthDelimited(end);
      switch (tag) {
        case NAME:
          this.#nameStart = reader.position;
          this.#nameEnd = valueEnd;
          break;
        case GENERATE_NAME:
          this.#generateStart = reader.position;
          this.#generateEnd = valueEnd;
          break;
        case NAMESPACE:
          this.#namespaceStart = reader.position;
          this.#namespaceEnd = valueEnd;
          break;
        case UID:
          this.uid = reader.uniqueString(valueEnd);
          break;
        case RESOURCE_VERSION:
          this.version = versionNumber(bytes, reader.position, valueEnd) ?? reader.uniqueString(valueEnd);
          break;
        case LABELS:
          this.#checkEntry(valueEnd);
          break;
        case MANAGED_FIELDS:
          this.#cut(tagStart, valueEnd);
      }
      reader.position = valueEnd;
    }
    reader.finish(end);
    if (isGenerated(bytes, this.#nameStart, this.#nameEnd, this.#generateStart, this.#generateEnd))
      this.metadataImplied |= 1 << (GENERATE_NAME >>> 3);
  }

  #cut(start: number, end: number): void {
    this.#cutBytes += end - start;
    const last = this.#cuts.length - 1;
    if (last > 0 && this.#cuts[last] === start) this.#cuts[last] = end;
    else this.#cuts.push(start, end);
  }

  #checkEntry(end: number): void {
    const reader = this.#reader;
    while (reader.position < end) reader.skip(reader.tag(), end);
    reader.finish(end);
  }

  #readKey(bytes: Buffer): void {
    this.key = this.#keys.read(bytes, this.#namespaceStart, this.#namespaceEnd, this.#nameStart, this.#nameEnd);
    this.namespace = this.#keys.namespace;
  }

  get #keptLength(): number {
    return this.#metadataEnd - this.#metadataStart - this.#cutBytes;
  }
}

/** Finds out who an object is before anything else, so that damage can be told with its name; how it is kept is left open. */
export abstract class IdentifyingKeeper<T extends KubernetesObject> implements ProtobufKeeper<T> {
  /** Holds what was found in the object at hand. */
  protected readonly scanner: IdentityScanner;

  constructor(scanner: IdentityScanner) {
    this.scanner = scanner;
  }

  take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject {
    const { scanner } = this;
    try {
      scanner.scan(bytes, start, end);
      if (scanner.key === '') throw new DecodeError('malformed', 'it has no metadata.name');
      return this.keep(bytes, start, end);
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause;
      const { key } = scanner;
      const which = key === '' ? '' : ` (${key})`;
      const problem = new DecodeError('malformed', `${where()} cannot be used${which}: ${cause.message}`, { cause });
      return key === '' ? { problem } : { problem, key };
    }
  }

  /** Of an object that has been scanned. Throws `DecodeError`. */
  protected abstract keep(bytes: Buffer, start: number, end: number): Cached<T>;
}
