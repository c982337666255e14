import type { KubernetesObject } from '../../api/metadata.ts';
import { type FieldFilterOptions, type FieldRules, fieldRules } from '../filter/field-filter.ts';
import type { ExpectedObjects, JsonKeeper, Keeping, ProtobufKeeper, ProtobufKeeperParts } from '../keeping.ts';
import { PlainJsonKeeper } from './plain-json-keeper.ts';
import { PlainProtobufKeeper } from './plain-protobuf-keeper.ts';

/** Objects are decoded when they arrive; damage anywhere in what is kept of one makes it broken. */
export class PlainKeeping<T extends KubernetesObject> implements Keeping<T> {
  readonly #rules: FieldRules | undefined;
  readonly #dropManagedFields: boolean;

  /** Throws `TypeError` when a path cannot be followed. */
  constructor(options: FieldFilterOptions) {
    this.#rules = fieldRules(options);
    this.#dropManagedFields = options.managedFields !== 'keep';
  }

  jsonKeeper(expected: ExpectedObjects): JsonKeeper<T> {
    return new PlainJsonKeeper<T>(expected, { rules: this.#rules, dropManagedFields: this.#dropManagedFields });
  }

  protobufKeeper(parts: ProtobufKeeperParts): ProtobufKeeper<T> {
    return new PlainProtobufKeeper<T>(parts, { rules: this.#rules, dropManagedFields: this.#dropManagedFields });
  }
}
