import type { BrokenObject, Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import type { JsonFilter } from '../filter/json-filter.ts';
import type { JsonKeeper, Where } from '../keeping.ts';
import { broken } from '../plain/decoded-objects.ts';
import type { PlainJsonKeeper } from '../plain/plain-json-keeper.ts';
import type { JsonFormat } from './json-format.ts';
import type { JsonObjectScanner } from './json-object-scanner.ts';
import { PackedCached, type PackedFamily } from './packed-cached.ts';

export interface PackedJsonKeeperOptions<T extends KubernetesObject> {
  family: PackedFamily<T>;
  /** That of what transforms have made. */
  transformedFamily: PackedFamily<T>;
  format: JsonFormat;
  scanner: JsonObjectScanner;
  /** Takes care of managed fields too. */
  filter: JsonFilter | undefined;
  /** Judges what is not written as servers do it; need not leave out anything. */
  decoding: PlainJsonKeeper<T>;
}

/** From the text of an object to a `Cached` that keeps it in the slabs. */
export class PackedJsonKeeper<T extends KubernetesObject> implements JsonKeeper<T> {
  readonly #options: PackedJsonKeeperOptions<T>;

  constructor(options: PackedJsonKeeperOptions<T>) {
    this.#options = options;
  }

  take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject | undefined {
    const packed = this.takeWhole(bytes, start, end);
    if (packed !== undefined) return packed;
    const decoded = this.#options.decoding.take(bytes, start, end, where);
    return decoded === undefined ? undefined : this.#packOrExplain(decoded, where);
  }

  takeValue(value: unknown, where: Where): Cached<T> | BrokenObject {
    return this.#packOrExplain(this.#options.decoding.takeValue(value, where), where);
  }

  /** Writes the object as JSON and keeps that. */
  fromTransform(object: T): Cached<T> {
    return this.#pack(this.#options.decoding.fromObject(object), this.#options.transformedFamily);
  }

  detach(object: Cached<T>): void {
    if (object instanceof PackedCached) object.detach();
  }

  /** Undefined when the text is not as servers write it, and has to be judged by parsing it. */
  takeWhole(bytes: Buffer, start: number, end: number): PackedCached<T> | undefined {
    return this.#takeWhole(bytes, start, end, this.#options.family);
  }

  #takeWhole(bytes: Buffer, start: number, end: number, family: PackedFamily<T>): PackedCached<T> | undefined {
    const { format, scanner, filter } = this.#options;
    if (filter === undefined) {
      if (!scanner.scan(bytes, start, end)) return undefined;
    } else {
      const kept = filter.filter(bytes, start, end);
      if (kept === undefined || !scanner.scan(kept, 0, kept.length)) return undefined;
    }
    const { textSize } = scanner;
    const length = textSize + format.layoutSize(scanner);
    const room = family.slabs.reserve(length);
    const { slab, offset } = room;
    scanner.copyText(slab.bytes, offset);
    format.writeLayout(scanner, slab.bytes, offset + textSize);
    const outline = format.outline(scanner, slab.bytes, offset);
    return new PackedCached(family.like(outline), scanner, room, length);
  }

  #packOrExplain(decoded: Cached<T> | BrokenObject, where: Where): Cached<T> | BrokenObject {
    if ('problem' in decoded) return decoded;
    try {
      return this.#pack(decoded);
    } catch (cause) {
      return broken(decoded.view(), `${where()} cannot be used`, cause);
    }
  }

  /** Throws `DecodeError` when the object cannot be written as JSON. */
  #pack(object: Cached<T>, family = this.#options.family): PackedCached<T> {
    const text = Buffer.from(textOf(object));
    const packed = this.#takeWhole(text, 0, text.length, family);
    if (packed === undefined) {
      throw new DecodeError('unsupported', `${object.key} cannot be stored as JSON: JSON turns it into another object`);
    }
    return packed;
  }
}

function textOf<T extends KubernetesObject>(object: Cached<T>): string {
  try {
    return JSON.stringify(object.view());
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeError('unsupported', `${object.key} cannot be stored as JSON: ${why}`, { cause });
  }
}
