import type { CelValue } from '../../crd/cel/values.ts';
import { items } from '../../kinds/defaulting.ts';
import { aggregate } from '../../values/go-errors.ts';
import { asString, type JsonValue } from '../../values/json.ts';
import { compilePolicy, type Environment, evaluatePolicy, type PolicyExpression } from './policy-expression.ts';

/** Conditions in CEL that all have to hold. */
export interface MatchConditions {
  readonly expressions: readonly PolicyExpression[];
  /** One that does not hold decides; else an error does. The input is made only when there are conditions. */
  evaluate(input: () => Map<string, CelValue>): { matches: boolean; error?: string };
}

/** Without an environment: that of webhooks, which have no parameters. */
export function conditionsOf(
  conditions: JsonValue | undefined,
  environment: Environment = { params: false, authorizer: true },
): MatchConditions {
  const compiled = items(conditions).map(({ expression }) => compilePolicy(asString(expression), 'bool', environment));
  return {
    expressions: compiled,
    evaluate(input) {
      if (compiled.length === 0) return { matches: true };
      const values = input();
      const results = compiled.map((condition) => evaluatePolicy(condition, values));
      if (results.some(({ value }) => value === false)) return { matches: false };
      const errors = results.flatMap(({ error }) => error ?? []);
      return errors.length === 0 ? { matches: true } : { matches: false, error: aggregate(errors) };
    },
  };
}
