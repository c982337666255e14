import { compileAdmissionPolicy } from '../admission/policy/compiled-policy.ts';
import type { PolicyExpression } from '../admission/policy/policy-expression.ts';
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import {
  asArray,
  asObject,
  asString,
  ensureObject,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../values/json.ts';
import { dnsSubdomain, pathSegment, qualifiedNameProblems } from '../values/name-rules.ts';
import { metadataOf } from '../values/object-meta.ts';
import { items, optionalObject, setDefault, specOf } from './defaulting.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

export function defaultMatchResources(parent: JsonObject, key: string): void {
  const resources = optionalObject(parent, key);
  if (!resources) return;
  setDefault(resources, 'matchPolicy', 'Equivalent');
  ensureObject(resources, 'namespaceSelector');
  ensureObject(resources, 'objectSelector');
  const rules = [...items(resources.resourceRules), ...items(resources.excludeResourceRules)];
  for (const rule of rules) setDefault(rule, 'scope', '*');
}

export function ruleErrors(
  resources: JsonObject,
  field: string,
  lists: readonly string[] = ['resourceRules', 'excludeResourceRules'],
): FieldError[] {
  return lists.flatMap((list) =>
    items(resources[list]).flatMap((rule, index) =>
      ['operations', 'apiGroups', 'apiVersions', 'resources']
        .filter((part) => asArray(rule[part]).length === 0)
        .map((part) => required(`${field}.${list}[${index}].${part}`)),
    ),
  );
}

export function expressionErrors(
  text: string,
  compiled: PolicyExpression | undefined,
  field: string,
  missing = '',
): FieldError[] {
  if (text.trim() === '') return [required(field, missing)];
  return compiled?.problem === undefined ? [] : [invalid(field, text, compiled.problem)];
}

function policyErrors(policy: JsonObject): FieldError[] {
  const spec = specOf(policy);
  const compiled = compileAdmissionPolicy(policy);
  return [
    ...commonErrors(spec, compiled.conditions.expressions, compiled.variables),
    ...validationErrors(policy, spec, compiled),
  ];
}

export function conditionErrors(
  conditions: JsonValue | undefined,
  compiled: readonly PolicyExpression[],
  field: string,
): FieldError[] {
  const names = items(conditions).map(({ name }) => asString(name));
  return items(conditions).flatMap(({ expression }, index) => {
    const at = `${field}[${index}]`;
    const name = names[index] ?? '';
    const problems = name === '' ? [] : qualifiedNameProblems(name);
    return [
      ...expressionErrors(asString(expression), compiled[index], `${at}.expression`),
      ...(name === '' ? [required(`${at}.name`)] : problems.map((problem) => invalid(`${at}.name`, name, problem))),
      ...(name !== '' && names.indexOf(name) < index ? [duplicate(`${at}.name`, name)] : []),
    ];
  });
}

/** What policies that validate and those that mutate have in common. */
export function commonErrors(
  spec: JsonObject,
  conditions: readonly PolicyExpression[],
  variables: ReadonlyMap<string, PolicyExpression>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!FAILURE_POLICIES.includes(asString(spec.failurePolicy))) {
    errors.push(notSupported('spec.failurePolicy', spec.failurePolicy, FAILURE_POLICIES));
  }
  const constraints = optionalObject(spec, 'matchConstraints');
  if (!constraints) errors.push(required('spec.matchConstraints'));
  else {
    errors.push(...ruleErrors(constraints, 'spec.matchConstraints'));
    if (items(constraints.resourceRules).length === 0) errors.push(required('spec.matchConstraints.resourceRules'));
  }
  errors.push(...conditionErrors(spec.matchConditions, conditions, 'spec.matchConditions'));
  items(spec.variables).forEach((variable, index) => {
    const field = `spec.variables[${index}]`;
    const name = asString(variable.name);
    if (name.trim() === '') errors.push(required(`${field}.name`, 'name is not specified'));
    else if (!IDENTIFIER.test(name)) errors.push(invalid(`${field}.name`, name, 'must be a valid CEL identifier'));
    const text = asString(variable.expression);
    errors.push(...expressionErrors(text, variables.get(name), `${field}.expression`, 'expression is not specified'));
  });
  return errors;
}

function validationErrors(
  policy: JsonObject,
  spec: JsonObject,
  compiled: ReturnType<typeof compileAdmissionPolicy>,
): FieldError[] {
  const [validations, annotations] = [items(spec.validations), items(spec.auditAnnotations)];
  if (validations.length === 0 && annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [required('spec.validations', detail), required('spec.auditAnnotations', detail)];
  }
  const errors: FieldError[] = [];
  validations.forEach((validation, index) => {
    const field = `spec.validations[${index}]`;
    const [text, message] = [asString(validation.expression), asString(validation.message)];
    const parts = compiled.validations[index];
    errors.push(...expressionErrors(text, parts?.expression, `${field}.expression`, 'expression is not specified'));
    const { problem, text: source = '' } = parts?.messageExpression ?? {};
    if (problem !== undefined) errors.push(invalid(`${field}.messageExpression`, source, problem));
    if (message !== '' && message.trim() === '') {
      errors.push(invalid(`${field}.message`, message, 'must be non-empty if specified'));
    } else if (/[\n\r]/.test(message.trim())) {
      errors.push(invalid(`${field}.message`, message, 'must not contain line breaks'));
    }
    const { reason } = validation;
    if (reason !== undefined && !REASONS.includes(asString(reason))) {
      errors.push(notSupported(`${field}.reason`, reason, REASONS));
    }
  });
  const keys = new Set<string>();
  annotations.forEach((annotation, index) => {
    const field = `spec.auditAnnotations[${index}]`;
    const key = asString(annotation.key);
    const whole = `${asString(metadataOf(policy).name)}/${key}`;
    errors.push(...qualifiedNameProblems(whole).map((problem) => invalid(`${field}.key`, whole, problem)));
    const text = asString(annotation.valueExpression);
    const missing = 'valueExpression is not specified';
    errors.push(...expressionErrors(text, compiled.auditAnnotations[index], `${field}.valueExpression`, missing));
    if (keys.has(key)) errors.push(duplicate(`${field}.key`, key));
    keys.add(key);
  });
  return errors;
}

/** Policies are compiled when they are written: what does not compile is refused. */
export const validatingPolicyStrategy: Strategy = {
  generation: true,
  unconditionalUpdate: false,
  defaults(object) {
    const spec = specOf(object);
    setDefault(spec, 'failurePolicy', 'Fail');
    defaultMatchResources(spec, 'matchConstraints');
  },
  validate: policyErrors,
};

export function paramRefErrors(paramRef: JsonObject): FieldError[] {
  const field = 'spec.paramRef';
  const name = asString(paramRef.name);
  const errors = name === '' ? [] : pathSegment(name, false).map((text) => invalid(`${field}.name`, name, text));
  const hasSelector = isObject(paramRef.selector);
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '' && hasSelector) {
    errors.push(forbidden(`${field}.name`, exclusive), forbidden(`${field}.selector`, exclusive));
  }
  if (name === '' && !hasSelector) errors.push(required(field, 'one of name or selector must be specified'));
  const action = asString(paramRef.parameterNotFoundAction);
  if (action === '') errors.push(required(`${field}.parameterNotFoundAction`));
  else if (action !== 'Deny' && action !== 'Allow') {
    errors.push(notSupported(`${field}.parameterNotFoundAction`, action, ['Deny', 'Allow']));
  }
  return errors;
}

export const validatingBindingStrategy: Strategy = {
  generation: true,
  unconditionalUpdate: false,
  defaults: (object) => defaultMatchResources(specOf(object), 'matchResources'),
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    const policy = asString(spec.policyName);
    if (policy === '') errors.push(required('spec.policyName'));
    else errors.push(...dnsSubdomain(policy, false).map((text) => invalid('spec.policyName', policy, text)));
    if (isObject(spec.paramRef)) errors.push(...paramRefErrors(spec.paramRef));
    errors.push(...ruleErrors(asObject(spec.matchResources), 'spec.matchResources'));
    const actions = asArray(spec.validationActions).map(asString);
    const field = 'spec.validationActions';
    actions.forEach((action, index) => {
      if (!ACTIONS.includes(action)) errors.push(notSupported(`${field}[${index}]`, action, ACTIONS));
      if (actions.indexOf(action) < index) errors.push(duplicate(`${field}[${index}]`, action));
    });
    if (actions.includes('Deny') && actions.includes('Warn')) {
      const detail =
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
      errors.push(invalid(field, actions, detail));
    }
    if (actions.length === 0) errors.push(required(field, 'at least one validation action is required'));
    return errors;
  },
};
