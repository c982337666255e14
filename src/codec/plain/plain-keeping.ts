import type { Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { type Origin, withOrigin } from '../../api/origin.ts';
import { plainCached } from '../../api/plain-cached.ts';
import { type FieldFilterOptions, type FieldRules, fieldRules, reductionBy } from '../filter/field-filter.ts';
import { filteredPlan, ProtobufFilter } from '../filter/protobuf-filter.ts';
import type { ExpectedObjects, JsonKeeper, Keeping, ProtobufKeeper, ProtobufKeeperParts } from '../keeping.ts';
import { IdentifyingKeeper, IdentityScanner } from '../protobuf/identity-scanner.ts';
import { messagePlan } from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { PlainJsonKeeper, type PlainKeeperOptions } from './plain-json-keeper.ts';

const WITHOUT_MANAGED_FIELDS = fieldRules({ drop: ['metadata.managedFields'] });

/** From the message of an object to a `Cached` that holds it decoded. */
export class PlainProtobufKeeper<T extends KubernetesObject> extends IdentifyingKeeper<T> {
  readonly #decoder: ObjectDecoder;
  readonly #filter: ProtobufFilter | undefined;
  readonly #origin: Origin | undefined;

  constructor(
    { type, schema, reader }: ProtobufKeeperParts,
    { rules, dropManagedFields, reduction }: PlainKeeperOptions,
  ) {
    super(new IdentityScanner(reader));
    const whole = messagePlan(schema);
    const shown: FieldRules | undefined = rules ?? (dropManagedFields ? WITHOUT_MANAGED_FIELDS : undefined);
    // The decoder skips whole fields that are not in the plan; only rules about what is inside need a filter.
    const plan = shown === undefined ? whole : filteredPlan(whole, shown);
    this.#decoder = new ObjectDecoder(schema, { type, plan, reader });
    this.#filter = rules && new ProtobufFilter(whole, rules, reader);
    this.#origin = reduction && (() => reduction);
  }

  protected override keep(bytes: Buffer, start: number, end: number): Cached<T> {
    if (this.#filter === undefined) return plainCached(this.#decoder.decode(bytes, start, end) as T);
    const object = this.#decoder.decode(this.#filter.filter(bytes, start, end)) as T;
    return plainCached(this.#origin ? withOrigin(object, this.#origin) : object);
  }
}

/** Objects are decoded when they arrive; damage anywhere in what is kept of one makes it broken. */
export class PlainKeeping<T extends KubernetesObject> implements Keeping<T> {
  readonly #options: PlainKeeperOptions;
  #protobufKeeper: PlainProtobufKeeper<T> | undefined;

  /** Throws `TypeError` when a path cannot be followed. */
  constructor(options: FieldFilterOptions) {
    this.#options = {
      rules: fieldRules(options),
      dropManagedFields: options.managedFields !== 'keep',
      reduction: reductionBy(options),
    };
  }

  jsonKeeper(expected: ExpectedObjects): JsonKeeper<T> {
    return new PlainJsonKeeper<T>(expected, this.#options);
  }

  protobufKeeper(parts: ProtobufKeeperParts): ProtobufKeeper<T> {
    this.#protobufKeeper ??= new PlainProtobufKeeper<T>(parts, this.#options);
    return this.#protobufKeeper;
  }

  /** It keeps nothing itself. */
  sibling(): this {
    return this;
  }
}
