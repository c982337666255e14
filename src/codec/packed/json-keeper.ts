import type { Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import { JsonObjectReader, type JsonObjectReaderOptions } from '../json-object-reader.ts';
import { ObjectIntake, type ObjectIntakeOptions } from '../object-intake.ts';
import type { JsonFilter } from './json-filter.ts';
import type { JsonFormat } from './json-format.ts';
import type { JsonObjectScanner } from './json-object-scanner.ts';
import { PackedCached, type PackedFamily, SlashedCached } from './packed-cached.ts';

export interface JsonKeeperOptions<T extends KubernetesObject> {
  family: PackedFamily<T>;
  format: JsonFormat;
  scanner: JsonObjectScanner;
  /** Takes care of managed fields too. */
  filter: JsonFilter | undefined;
}

/** From the text of an object to a `Cached` that keeps it in the slabs. */
export class JsonKeeper<T extends KubernetesObject> {
  readonly #options: JsonKeeperOptions<T>;

  constructor(options: JsonKeeperOptions<T>) {
    this.#options = options;
  }

  /** Undefined when the text is not as servers write it, and has to be judged by parsing it. */
  take(bytes: Buffer, start: number, end: number): PackedCached<T> | undefined {
    const { family, format, scanner, filter } = this.#options;
    if (filter === undefined) {
      if (!scanner.scan(bytes, start, end)) return undefined;
    } else {
      const kept = filter.filter(bytes, start, end);
      if (kept === undefined || !scanner.scan(kept, 0, kept.length)) return undefined;
    }
    const { textSize } = scanner;
    const length = textSize + format.layoutSize(scanner);
    const slab = family.slabs.reserve(length);
    const at = slab.used - length;
    scanner.copyText(slab.bytes, at);
    format.writeLayout(scanner, slab.bytes, at + textSize);
    const { slashedName, key, uid, resourceVersion } = scanner;
    if (slashedName === undefined) return new PackedCached(family, scanner, slab, length);
    return new SlashedCached(family, { key, uid, resourceVersion, name: slashedName }, slab, length);
  }

  /** Throws `DecodeError` when the object cannot be written as JSON. */
  pack(object: Cached<T>): PackedCached<T> {
    const text = Buffer.from(textOf(object));
    const packed = this.take(text, 0, text.length);
    if (packed === undefined) {
      throw new DecodeError('unsupported', `${object.key} cannot be kept as JSON: it is another object in JSON`);
    }
    return packed;
  }
}

function textOf<T extends KubernetesObject>(object: Cached<T>): string {
  try {
    return JSON.stringify(object.view());
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeError('unsupported', `${object.key} cannot be kept as JSON: ${why}`, { cause });
  }
}

/** Gives what it can keep as it is, and decodes the rest. */
export class PackedObjectReader<T extends KubernetesObject> extends JsonObjectReader {
  readonly #keeper: JsonKeeper<T>;

  constructor(options: JsonObjectReaderOptions, keeper: JsonKeeper<T>) {
    super(options);
    this.#keeper = keeper;
  }

  override read(bytes: Buffer, start: number, end: number): unknown {
    return this.#keeper.take(bytes, start, end) ?? super.read(bytes, start, end);
  }
}

/** Takes what the reader has kept, and keeps what it has decoded. */
export class PackedObjectIntake<T extends KubernetesObject> extends ObjectIntake<T> {
  readonly #keeper: JsonKeeper<T>;

  constructor(options: ObjectIntakeOptions, keeper: JsonKeeper<T>) {
    super(options);
    this.#keeper = keeper;
  }

  override take(value: unknown): Cached<T> {
    return value instanceof PackedCached ? value : this.#keeper.pack(super.take(value));
  }
}
