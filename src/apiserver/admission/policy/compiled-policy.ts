import type { CelType } from '../../crd/cel/types.ts';
import { items } from '../../kinds/defaulting.ts';
import { asObject, asString, isObject, type JsonObject } from '../../values/json.ts';
import { conditionsOf, type MatchConditions } from './match-conditions.ts';
import { compilePolicy, type Environment, type PolicyExpression } from './policy-expression.ts';

export interface CompiledValidation {
  readonly expression: PolicyExpression;
  readonly message: string;
  readonly messageExpression: PolicyExpression | undefined;
  /** `Invalid` unless the policy says otherwise. */
  readonly reason: string;
}

/** A ValidatingAdmissionPolicy with its expressions compiled. */
export interface CompiledPolicy {
  readonly name: string;
  readonly spec: JsonObject;
  readonly conditions: MatchConditions;
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly PolicyExpression[];
}

/** `object` is the type that `object` is taken for; any, when it is not given. */
export function compileAdmissionPolicy(policy: JsonObject, object?: CelType): CompiledPolicy {
  const spec = asObject(policy.spec);
  const params = isObject(spec.paramKind);
  const types = new Map<string, CelType>();
  const plain: Environment = { params, authorizer: true, ...(object ? { object } : {}) };
  const composed: Environment = items(spec.variables).length > 0 ? { ...plain, variables: types } : plain;
  const variables = new Map<string, PolicyExpression>();
  for (const variable of items(spec.variables)) {
    const compiled = compilePolicy(asString(variable.expression), 'anything', composed);
    variables.set(asString(variable.name), compiled);
    types.set(asString(variable.name), compiled.type);
  }
  return {
    name: asString(asObject(policy.metadata).name),
    spec,
    conditions: conditionsOf(spec.matchConditions, plain),
    variables,
    validations: items(spec.validations).map((validation) => ({
      expression: compilePolicy(asString(validation.expression), 'bool', composed),
      message: asString(validation.message).trim(),
      messageExpression:
        asString(validation.messageExpression) === ''
          ? undefined
          : compilePolicy(asString(validation.messageExpression), 'string', { ...composed, authorizer: false }),
      reason: asString(validation.reason) || 'Invalid',
    })),
    auditAnnotations: items(spec.auditAnnotations).map(({ valueExpression }) =>
      compilePolicy(asString(valueExpression), 'string or null', composed),
    ),
  };
}
