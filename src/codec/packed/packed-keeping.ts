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
import { IdentityScanner } from '../protobuf/identity-scanner.ts';
import { type MessagePlan, messagePlan } from '../protobuf/message-plan.ts';
import { DirectoryWriter } from './directory.ts';
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
  readonly #manner: Manner<T>;

  private constructor(manner: Manner<T>) {
    this.#sharing = manner.isShared ? new Sharing(this.#slabs) : undefined;
    this.#manner = manner;
  }

  /** Throws `TypeError` when a path cannot be followed. */
  static by<T extends KubernetesObject>(options: PackedKeepingOptions<T>): PackedKeeping<T> {
    return new PackedKeeping<T>(mannerOf(options));
  }

  sibling(): PackedKeeping<T> {
    return new PackedKeeping<T>(this.#manner);
  }

  get memory(): CodecMemory {
    return this.#sharing === undefined ? this.#slabs : new SharedMemory(this.#slabs, this.#sharing);
  }

  jsonKeeper(expected: ExpectedObjects): JsonKeeper<T> {
    const { kind, apiVersion } = expected;
    const { rules, dropManagedFields, reduction } = this.#manner;
    const onlyMetadata = expected.metadataOf !== undefined;
    const format = new JsonFormat();
    return new PackedJsonKeeper<T>({
      family: this.#family(format, reduction),
      transformedFamily: this.#family(format, reductionByTransform(reduction)),
      format,
      scanner: new JsonObjectScanner({ kind, apiVersion, format, dropManagedFields, onlyMetadata }),
      filter: rules && new JsonFilter(rules),
      decoding: new PlainJsonKeeper<T>(expected, { rules: undefined, dropManagedFields, reduction: undefined }),
    });
  }

  protobufKeeper(parts: ProtobufKeeperParts): ProtobufKeeper<T> {
    const manner = this.#manner;
    const { dropManagedFields, reduction } = manner;
    manner.protobuf ??= protobufManner(parts, manner.rules);
    const { whole, format, filter, scanner, directory } = manner.protobuf;
    const sharing = this.#sharing;
    const options = { format, filter, scanner, dropManagedFields };
    if (sharing === undefined) {
      return new PackedProtobufKeeper<T>({ ...options, directory, family: this.#family(format, reduction) });
    }
    const family = new SharedFamily<T>(this.#familyOptions(format, reduction), sharing);
    return new SharedProtobufKeeper<T>({ ...options, family, plan: whole, reader: parts.reader });
  }

  #family(format: PackedFormat, reduction: Reduction | undefined): PackedFamily<T> {
    return new PackedFamily<T>(this.#familyOptions(format, reduction));
  }

  #familyOptions(format: PackedFormat, reduction: Reduction | undefined): PackedFamilyOptions<T> {
    return { format, slabs: this.#slabs, reduction, onDamage: this.#manner.onDamage };
  }
}

/** How objects are kept, wherever that is: what siblings have in common. */
interface Manner<T extends KubernetesObject> {
  readonly isShared: boolean;
  readonly rules: FieldRules | undefined;
  readonly dropManagedFields: boolean;
  readonly reduction: Reduction | undefined;
  readonly onDamage: DamageListener<T> | undefined;
  /** Unset until there is protobuf to keep. */
  protobuf?: ProtobufManner;
}

interface ProtobufManner {
  readonly whole: MessagePlan;
  readonly format: ProtobufFormat;
  readonly filter: ProtobufFilter | undefined;
  readonly scanner: IdentityScanner;
  readonly directory: DirectoryWriter;
}

function mannerOf<T extends KubernetesObject>(options: PackedKeepingOptions<T>): Manner<T> {
  return {
    isShared: options.store === 'shared',
    rules: fieldRules(options),
    dropManagedFields: options.managedFields !== 'keep',
    reduction: reductionBy(options),
    onDamage: options.onDamage,
  };
}

function protobufManner({ type, schema, reader }: ProtobufKeeperParts, rules: FieldRules | undefined): ProtobufManner {
  const whole = messagePlan(schema);
  const plan = rules === undefined ? whole : filteredPlan(whole, rules);
  return {
    whole,
    format: new ProtobufFormat({ type, plan, reader }),
    filter: rules && new ProtobufFilter(whole, rules, reader),
    scanner: new IdentityScanner(reader),
    directory: new DirectoryWriter(plan),
  };
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
