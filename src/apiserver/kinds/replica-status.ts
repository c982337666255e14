import { type FieldError, invalid } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asObject, type JsonObject } from '../values/json.ts';
import { validateNonNegative } from './number-rules.ts';

interface Counts {
  /** None of these is below 0. */
  readonly counted: readonly string[];
  /** None of these is more than `replicas`. */
  readonly within: readonly string[];
  /** What the field is called that `availableReplicas` may not exceed. */
  readonly ready: string;
}

const MESSAGE = 'cannot be greater than';

/** The rules for the status of what has replicas: no count is negative, and no part is more than the whole. */
export function replicaStatusRules({ counted, within, ready }: Counts): NonNullable<Strategy['validateStatusUpdate']> {
  return (object, old) => {
    const status = asObject(object.status);
    const errors = counted.flatMap((field) => validateNonNegative(status[field], `status.${field}`));
    for (const field of within) {
      if (count(status, field) <= count(status, 'replicas')) continue;
      errors.push(invalid(`status.${field}`, count(status, field), `${MESSAGE} status.replicas`));
    }
    const available = count(status, 'availableReplicas');
    if (available > count(status, 'readyReplicas')) {
      errors.push(invalid('status.availableReplicas', available, `${MESSAGE} ${ready}`));
    }
    return [...errors, ...validateCollisions(status, asObject(old.status))];
  };
}

/** For a status whose counts stand alone. */
export function countsNotNegative(counted: readonly string[]): NonNullable<Strategy['validateStatusUpdate']> {
  return (object, old) => {
    const status = asObject(object.status);
    const errors = counted.flatMap((field) => validateNonNegative(status[field], `status.${field}`));
    return [...errors, ...validateCollisions(status, asObject(old.status))];
  };
}

function validateCollisions(status: JsonObject, before: JsonObject): FieldError[] {
  const field = 'collisionCount';
  if (count(status, field) >= count(before, field)) return [];
  return [invalid(`status.${field}`, count(status, field), 'cannot be decremented')];
}

function count(status: JsonObject, field: string): number {
  return Number(status[field] ?? 0);
}
