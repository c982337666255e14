import type { Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import type { ProtobufFilter } from '../filter/protobuf-filter.ts';
import { IdentifyingKeeper } from '../protobuf/identifying-keeper.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import { PackedCached, type PackedFamily } from './packed-cached.ts';
import type { Slab } from './slabs.ts';

export interface PackedProtobufKeeperOptions<T extends KubernetesObject> {
  family: PackedFamily<T>;
  reader: WireReader;
  dropManagedFields: boolean;
  /** Takes care of managed fields too. */
  filter: ProtobufFilter | undefined;
}

/** From the message of an object to a `Cached` that keeps it in the slabs. */
export class PackedProtobufKeeper<T extends KubernetesObject> extends IdentifyingKeeper<T> {
  readonly #options: PackedProtobufKeeperOptions<T>;
  /** How many bytes `#copy` wrote last. */
  #length = 0;

  constructor(options: PackedProtobufKeeperOptions<T>) {
    super(options.reader);
    this.#options = options;
  }

  detach(object: Cached<T>): void {
    if (object instanceof PackedCached) object.detach();
  }

  protected override keep(bytes: Buffer, start: number, end: number): Cached<T> {
    const slab = this.#copy(bytes, start, end);
    return new PackedCached(this.#options.family, this.scanner, slab, this.#length);
  }

  #copy(bytes: Buffer, start: number, end: number): Slab {
    const { family, filter, dropManagedFields } = this.#options;
    if (filter === undefined && dropManagedFields) {
      this.#length = this.scanner.sizeWithoutManagedFields;
      const slab = family.slabs.reserve(this.#length);
      this.scanner.copyWithoutManagedFields(slab.bytes, slab.used - this.#length);
      return slab;
    }
    const kept = filter === undefined ? bytes.subarray(start, end) : filter.filter(bytes, start, end);
    this.#length = kept.length;
    const slab = family.slabs.reserve(this.#length);
    kept.copy(slab.bytes, slab.used - this.#length);
    return slab;
  }
}
