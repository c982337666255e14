import type { KubernetesObject } from '../../api/metadata.ts';
import type { Reduction } from '../../api/origin.ts';
import type { CodecMemory } from '../codec.ts';
import {
  type FieldFilterOptions,
  type FieldRules,
  fieldRules,
  reductionBy,
  reductionByTransform,
} from '../filter/field-filter.ts';
import { JsonFilter } from '../filter/json-filter.ts';
import { filteredPlan, ProtobufFilter } from '../filter/protobuf-filter.ts';
import type { KeepOptions } from '../keep-options.ts';
import type { ExpectedObjects, JsonKeeper, Keeping, ProtobufKeeper, ProtobufKeeperParts } from '../keeping.ts';
import { PlainJsonKeeper } from '../plain/plain-json-keeper.ts';
import { messagePlan } from '../protobuf/message-plan.ts';
import { JsonFormat } from './json-format.ts';
import { JsonObjectScanner } from './json-object-scanner.ts';
import {
  type DamageListener,
  PackedFamily,
  type PackedFamilyOptions,
  type PackedFormat,
  PackedProtobufKeeper,
} from './packed-cached.ts';
import { PackedJsonKeeper } from './packed-json-keeper.ts';
import { ProtobufFormat } from './protobuf-format.ts';
import { SharedFamily, SharedProtobufKeeper } from './shared-cached.ts';
import { Sharing } from './sharing.ts';
import { Slabs } from './slabs.ts';

export interface PackedKeepingOptions<T extends KubernetesObject> extends FieldFilterOptions {
  /** `shared`: what messages have in common is kept once. Text is kept as it is. */
  store?: KeepOptions['store'];
  /**
   * Hears of each object whose bytes turn out to be damaged when somebody reads them, before that reader gets the error.
   * Called in the middle of a read: must not throw.
   */
  onDamage?: DamageListener<T>;
}

/**
 * Objects stay the bytes they came in, outside the heap; a view decodes its fields when they are first read. The envelope,
 * the top-level fields and the metadata are checked on arrival; damage deeper down gives its reader an error.
 */
export class PackedKeeping<T extends KubernetesObject> implements Keeping<T> {
  readonly #slabs = new Slabs();
  readonly #sharing: Sharing | undefined;
  readonly #rules: FieldRules | undefined;
  readonly #dropManagedFields: boolean;
  readonly #reduction: Reduction | undefined;
  readonly #onDamage: DamageListener<T> | undefined;

  /** Throws `TypeError` when a path cannot be followed. */
  constructor(options: PackedKeepingOptions<T>) {
    this.#sharing = options.store === 'shared' ? new Sharing(this.#slabs) : undefined;
    this.#rules = fieldRules(options);
    this.#dropManagedFields = options.managedFields !== 'keep';
    this.#reduction = reductionBy(options);
    this.#onDamage = options.onDamage;
  }

  get memory(): CodecMemory {
    return this.#sharing === undefined ? this.#slabs : new SharedMemory(this.#slabs, this.#sharing);
  }

  jsonKeeper(expected: ExpectedObjects): JsonKeeper<T> {
    const { kind, apiVersion } = expected;
    const dropManagedFields = this.#dropManagedFields;
    const onlyMetadata = expected.metadataOf !== undefined;
    const format = new JsonFormat();
    return new PackedJsonKeeper<T>({
      family: this.#family(format, this.#reduction),
      transformedFamily: this.#family(format, reductionByTransform(this.#reduction)),
      format,
      scanner: new JsonObjectScanner({ kind, apiVersion, format, dropManagedFields, onlyMetadata }),
      filter: this.#rules && new JsonFilter(this.#rules),
      decoding: new PlainJsonKeeper<T>(expected, { rules: undefined, dropManagedFields, reduction: undefined }),
    });
  }

  protobufKeeper({ type, schema, reader }: ProtobufKeeperParts): ProtobufKeeper<T> {
    const whole = messagePlan(schema);
    const plan = this.#rules === undefined ? whole : filteredPlan(whole, this.#rules);
    const format = new ProtobufFormat({ type, plan, reader });
    const options = {
      reader,
      dropManagedFields: this.#dropManagedFields,
      filter: this.#rules && new ProtobufFilter(whole, this.#rules, reader),
    };
    const sharing = this.#sharing;
    if (sharing === undefined) {
      return new PackedProtobufKeeper<T>({ ...options, family: this.#family(format, this.#reduction) });
    }
    const family = new SharedFamily<T>(this.#familyOptions(format, this.#reduction), sharing);
    return new SharedProtobufKeeper<T>({ ...options, family, plan: whole });
  }

  #family(format: PackedFormat, reduction: Reduction | undefined): PackedFamily<T> {
    return new PackedFamily<T>(this.#familyOptions(format, reduction));
  }

  #familyOptions(format: PackedFormat, reduction: Reduction | undefined): PackedFamilyOptions<T> {
    return { format, slabs: this.#slabs, reduction, onDamage: this.#onDamage };
  }
}

/** Of a store that shares. */
class SharedMemory implements CodecMemory {
  readonly #slabs: Slabs;
  readonly #sharing: Sharing;

  constructor(slabs: Slabs, sharing: Sharing) {
    this.#slabs = slabs;
    this.#sharing = sharing;
  }

  get heldBytes(): number {
    return this.#slabs.heldBytes;
  }

  get liveBytes(): number {
    return this.#slabs.liveBytes;
  }

  get wholeBytes(): number {
    return this.#slabs.liveBytes + this.#sharing.savedBytes;
  }

  get views(): number {
    return this.#slabs.views;
  }
}
