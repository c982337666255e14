import type { KubernetesObject } from '../../api/metadata.ts';
import { type FieldFilterOptions, fieldRules } from '../filter/field-filter.ts';
import { reductionBy } from '../filter/reduction.ts';
import type { ExpectedObjects, JsonKeeper, Keeping, ProtobufKeeper, ProtobufKeeperParts } from '../keeping.ts';
import { PlainJsonKeeper, type PlainKeeperOptions } from './plain-json-keeper.ts';
import { PlainProtobufKeeper } from './plain-protobuf-keeper.ts';

/** Objects are decoded when they arrive; damage anywhere in what is kept of one makes it broken. */
export class PlainKeeping<T extends KubernetesObject> implements Keeping<T> {
  readonly #options: PlainKeeperOptions;

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
    return new PlainProtobufKeeper<T>(parts, this.#options);
  }
}
