import { type FieldError, forbidden } from '../field-error.ts';
import { asArray, getKey, type JsonObject } from '../json.ts';
import { childPath } from './field-path.ts';
import { eachSchema } from './schema-rules.ts';

const REFUSAL =
  'the embedded API server does not evaluate CEL rules, and will not pretend to: remove x-kubernetes-validations from the definition for this test, or run the test on a real API server';

/** Rules that would silently not hold are worse than none. */
export function ruleErrors(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  eachSchema(schema, path, (inner, at) => {
    if (asArray(getKey(inner, 'x-kubernetes-validations')).length > 0) {
      errors.push(forbidden(childPath(at, 'x-kubernetes-validations'), REFUSAL));
    }
  });
  return errors;
}
