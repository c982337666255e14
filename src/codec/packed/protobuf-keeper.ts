import type { BrokenObject, Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import { IdentityScanner } from './identity-scanner.ts';
import { PackedCached, type PackedFamily, SlashedCached } from './packed-cached.ts';
import type { ProtobufFilter } from './protobuf-filter.ts';
import type { Slab } from './slabs.ts';

export interface ProtobufKeeperOptions<T extends KubernetesObject> {
  family: PackedFamily<T>;
  reader: WireReader;
  keepManagedFields: boolean;
  /** Takes care of managed fields too. */
  filter: ProtobufFilter | undefined;
}

/** Judges the bytes of an object: those of a usable one are copied into the slabs, and become a `Cached`. */
export class ProtobufKeeper<T extends KubernetesObject> {
  readonly #options: ProtobufKeeperOptions<T>;
  readonly #scanner: IdentityScanner;

  constructor(options: ProtobufKeeperOptions<T>) {
    this.#options = options;
    this.#scanner = new IdentityScanner(options.reader);
  }

  /** `where` is the beginning of the sentence that says what is wrong: "item 3 of the list of pods.v1". */
  take(bytes: Buffer, start: number, end: number, where: () => string): Cached<T> | BrokenObject {
    const scanner = this.#scanner;
    const { family } = this.#options;
    try {
      scanner.scan(bytes, start, end);
      if (scanner.key === '') throw new DecodeError('malformed', 'it has no metadata.name');
      const { slashedName } = scanner;
      const slab = this.#copy(bytes, start, end);
      if (slashedName === undefined) return new PackedCached(family, scanner, slab, this.#length);
      return new SlashedCached(family, { ...identityOf(scanner), name: slashedName }, slab, this.#length);
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause;
      const { key } = scanner;
      const which = key === '' ? '' : ` (${key})`;
      const problem = new DecodeError('malformed', `${where()} cannot be used${which}: ${cause.message}`, { cause });
      return key === '' ? { problem } : { problem, key };
    }
  }

  /** How many bytes `#copy` wrote last. */
  #length = 0;

  #copy(bytes: Buffer, start: number, end: number): Slab {
    const { family, filter, keepManagedFields } = this.#options;
    if (filter === undefined && !keepManagedFields) {
      this.#length = this.#scanner.sizeWithoutManagedFields;
      const slab = family.slabs.reserve(this.#length);
      this.#scanner.copyWithoutManagedFields(slab.bytes, slab.used - this.#length);
      return slab;
    }
    const kept = filter === undefined ? bytes.subarray(start, end) : filter.filter(bytes, start, end);
    this.#length = kept.length;
    const slab = family.slabs.reserve(this.#length);
    kept.copy(slab.bytes, slab.used - this.#length);
    return slab;
  }
}

function identityOf({ key, uid, resourceVersion }: IdentityScanner) {
  return { key, uid, resourceVersion };
}
