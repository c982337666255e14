import type { CelType } from '../../crd/cel/types.ts';
import { items } from '../../kinds/defaulting.ts';
import { asObject, asString, isObject, type JsonObject } from '../../values/json.ts';
import { conditionsOf, type MatchConditions } from './match-conditions.ts';
import { compilePolicy, type Environment, type PolicyExpression } from './policy-expression.ts';

export interface CompiledMutation {
  readonly patchType: string;
  readonly expression: PolicyExpression;
}

/** A MutatingAdmissionPolicy with its expressions compiled. */
export interface CompiledMutations {
  readonly name: string;
  readonly spec: JsonObject;
  readonly conditions: MatchConditions;
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly mutations: readonly CompiledMutation[];
}

export function compileMutatingPolicy(policy: JsonObject): CompiledMutations {
  const spec = asObject(policy.spec);
  const types = new Map<string, CelType>();
  const plain: Environment = { params: isObject(spec.paramKind), authorizer: true, structs: true };
  const composed: Environment = items(spec.variables).length > 0 ? { ...plain, variables: types } : plain;
  const variables = new Map<string, PolicyExpression>();
  for (const { name, expression } of items(spec.variables)) {
    const compiled = compilePolicy(asString(expression), 'anything', composed);
    variables.set(asString(name), compiled);
    types.set(asString(name), compiled.type);
  }
  const mutations = items(spec.mutations).map((mutation) => {
    const patchType = asString(mutation.patchType);
    const isPatch = patchType === 'JSONPatch';
    const { expression } = asObject(isPatch ? mutation.jsonPatch : mutation.applyConfiguration);
    const wanted = isPatch ? 'list(JSONPatch)' : 'Object';
    return { patchType, expression: compilePolicy(asString(expression).trim(), wanted, composed) };
  });
  const conditions = conditionsOf(spec.matchConditions, { ...plain, structs: false });
  return { name: asString(asObject(policy.metadata).name), spec, conditions, variables, mutations };
}
