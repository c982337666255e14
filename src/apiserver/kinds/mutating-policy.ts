import { compileMutatingPolicy } from '../admission/policy/compiled-mutations.ts';
import type { PolicyExpression } from '../admission/policy/policy-expression.ts';
import { type FieldError, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../values/json.ts';
import { dnsSubdomain } from '../values/name-rules.ts';
import {
  commonErrors,
  defaultMatchResources,
  expressionErrors,
  paramRefErrors,
  ruleErrors,
} from './admission-policy.ts';
import { items, setDefault, specOf } from './defaulting.ts';

const OPERATIONS = ['*', 'CREATE', 'UPDATE'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];

function operationErrors(spec: JsonObject): FieldError[] {
  const field = 'spec.matchConstraints.resourceRules.operations';
  const operations = items(asObject(spec.matchConstraints).resourceRules).flatMap((rule) => asArray(rule.operations));
  const unknown = operations.filter((operation) => !OPERATIONS.includes(asString(operation)));
  return unknown.map((operation) => notSupported(field, operation, OPERATIONS));
}

function mutationErrors(mutation: JsonObject, compiled: PolicyExpression | undefined, field: string): FieldError[] {
  const type = asString(mutation.patchType);
  if (type === '') return [required(`${field}.patchType`)];
  if (!PATCH_TYPES.includes(type)) return [notSupported(`${field}.patchType`, type, PATCH_TYPES)];
  const [own, other] =
    type === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const);
  const patch = mutation[own];
  const errors = isObject(patch)
    ? expressionErrors(asString(patch.expression).trim(), compiled, `${field}.${own}.expression`)
    : [required(`${field}.${own}`, `must be specified when patchType is ${type}`)];
  if (!isObject(mutation[other])) return errors;
  return [...errors, invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)];
}

/** Compiled when they are written: what does not compile is refused. */
export const mutatingPolicyStrategy: Strategy = {
  generation: true,
  unconditionalUpdate: false,
  defaults(object) {
    const spec = specOf(object);
    setDefault(spec, 'failurePolicy', 'Fail');
    defaultMatchResources(spec, 'matchConstraints');
  },
  validate(object) {
    const spec = specOf(object);
    const compiled = compileMutatingPolicy(object);
    const mutations = items(spec.mutations);
    const errors = [
      ...commonErrors(spec, compiled.conditions.expressions, compiled.variables),
      ...operationErrors(spec),
    ];
    if (mutations.length === 0) errors.push(required('spec.mutations', 'mutations must contain at least one item'));
    mutations.forEach((mutation, index) => {
      errors.push(...mutationErrors(mutation, compiled.mutations[index]?.expression, `spec.mutations[${index}]`));
    });
    const policy = asString(spec.reinvocationPolicy);
    if (policy === '') errors.push(required('spec.reinvocationPolicy'));
    else if (!REINVOCATIONS.includes(policy)) {
      errors.push(notSupported('spec.reinvocationPolicy', policy, REINVOCATIONS));
    }
    return errors;
  },
};

export const mutatingBindingStrategy: Strategy = {
  generation: true,
  unconditionalUpdate: false,
  defaults: (object) => defaultMatchResources(specOf(object), 'matchResources'),
  validate(object) {
    const spec = specOf(object);
    const policy = asString(spec.policyName);
    const errors =
      policy === ''
        ? [required('spec.policyName')]
        : dnsSubdomain(policy, false).map((text) => invalid('spec.policyName', policy, text));
    if (isObject(spec.paramRef)) errors.push(...paramRefErrors(spec.paramRef));
    return [...errors, ...ruleErrors(asObject(spec.matchResources), 'spec.matchResources')];
  },
};
