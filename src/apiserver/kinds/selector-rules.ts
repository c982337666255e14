import { type FieldError, forbidden, invalid, required } from '../request/field-error.ts';
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../values/json.ts';
import { labelValueProblems, qualifiedNameProblems } from '../values/name-rules.ts';
import { validateLabels } from '../values/object-meta.ts';
import { items } from './defaulting.ts';

/** A label selector with `matchLabels` and `matchExpressions`; an absent one is fine. */
export function validateLabelSelector(selector: JsonValue | undefined, field: string): FieldError[] {
  const { matchLabels, matchExpressions } = asObject(selector);
  return [
    ...validateLabels(asObject(matchLabels), `${field}.matchLabels`),
    ...items(matchExpressions).flatMap((item, index) =>
      validateExpression(item, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function validateExpression(expression: JsonObject, field: string): FieldError[] {
  const key = asString(expression.key);
  const values = asArray(expression.values).map(asString);
  return [
    ...validateOperator(asString(expression.operator), values, field),
    ...qualifiedNameProblems(key).map((text) => invalid(`${field}.key`, key, text)),
    ...values.flatMap((value, index) =>
      labelValueProblems(value).map((text) => invalid(`${field}.values[${index}]`, value, text)),
    ),
  ];
}

function validateOperator(operator: string, values: readonly string[], field: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}
