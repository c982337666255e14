import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject } from '../values/json.ts';
import { labelValueProblems, qualifiedNameProblems } from '../values/name-rules.ts';
import { items } from './defaulting.ts';
import { validateLabelSelector } from './selector-rules.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Where a pod may run: tolerations, affinities, constraints and gates. */
export function validateScheduling(spec: JsonObject, field: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = asObject(spec.affinity);
  return [
    ...(isObject(nodeAffinity) ? validateNodeAffinity(nodeAffinity, `${field}.affinity.nodeAffinity`) : []),
    ...(isObject(podAffinity) ? validatePodAffinity(podAffinity, `${field}.affinity.podAffinity`) : []),
    ...(isObject(podAntiAffinity) ? validatePodAffinity(podAntiAffinity, `${field}.affinity.podAntiAffinity`) : []),
    ...items(spec.tolerations).flatMap((item, index) => validateToleration(item, `${field}.tolerations[${index}]`)),
    ...validateSpread(items(spec.topologySpreadConstraints), `${field}.topologySpreadConstraints`),
    ...validateGates(spec, field),
  ];
}

function validateToleration(toleration: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((part) =>
    asString(toleration[part]),
  ) as [string, string, string, string];
  if (key !== '') errors.push(...qualifiedNameProblems(key).map((text) => invalid(`${field}.key`, key, text)));
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${field}.operator`, operator, detail));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalid(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === '' || operator === 'Equal') {
    errors.push(...labelValueProblems(value).map((text) => invalid(`${field}.operator`, value, text)));
  } else if (operator === 'Exists') {
    if (value !== '') {
      errors.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    }
  } else errors.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists']));
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, EFFECTS));
  return errors;
}

function validateNodeAffinity(affinity: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const needed = affinity[REQUIRED];
  if (isObject(needed)) {
    const at = `${field}.${REQUIRED}.nodeSelectorTerms`;
    const terms = items(needed.nodeSelectorTerms);
    if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
    errors.push(...terms.flatMap((term, index) => validateTerm(term, `${at}[${index}]`)));
  }
  items(affinity[PREFERRED]).forEach((choice, index) => {
    const at = `${field}.${PREFERRED}[${index}]`;
    errors.push(...validateWeight(choice, at), ...validateTerm(asObject(choice.preference), `${at}.preference`));
  });
  return errors;
}

function validateTerm(term: JsonObject, field: string): FieldError[] {
  return items(term.matchExpressions).flatMap(({ key, operator, values }, index) => {
    const at = `${field}.matchExpressions[${index}]`;
    const count = Array.isArray(values) ? values.length : 0;
    const name = asString(key);
    const errors: FieldError[] = [];
    if (operator === 'In' || operator === 'NotIn') {
      if (count === 0) errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      if (count > 0) errors.push(forbidden(`${at}.values`, detail));
    } else if (operator === 'Gt' || operator === 'Lt') {
      const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      if (count !== 1) errors.push(required(`${at}.values`, detail));
    } else errors.push(invalid(`${at}.operator`, asString(operator), 'not a valid selector operator'));
    return [...errors, ...qualifiedNameProblems(name).map((text) => invalid(`${at}.key`, name, text))];
  });
}

function validateWeight({ weight }: JsonObject, field: string): FieldError[] {
  const value = Number(weight ?? 0);
  return value >= 1 && value <= 100 ? [] : [invalid(`${field}.weight`, value, 'must be in the range 1-100')];
}

function validatePodAffinity(affinity: JsonObject, field: string): FieldError[] {
  return [
    ...items(affinity[REQUIRED]).flatMap((term, index) => validatePodTerm(term, `${field}.${REQUIRED}[${index}]`)),
    ...items(affinity[PREFERRED]).flatMap((choice, index) => {
      const at = `${field}.${PREFERRED}[${index}]`;
      const term = validatePodTerm(asObject(choice.podAffinityTerm), `${at}.podAffinityTerm`);
      return [...validateWeight(choice, at), ...term];
    }),
  ];
}

function validatePodTerm(term: JsonObject, field: string): FieldError[] {
  const key = asString(term.topologyKey);
  return [
    ...validateLabelSelector(term.labelSelector, `${field}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${field}.namespaceSelector`),
    ...(key === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...qualifiedNameProblems(key).map((text) => invalid(`${field}.topologyKey`, key, text)),
  ];
}

function validateSpread(constraints: readonly JsonObject[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  constraints.forEach((constraint, index) => {
    const at = `${field}[${index}]`;
    const [key, policy] = [asString(constraint.topologyKey), asString(constraint.whenUnsatisfiable)];
    const skew = Number(constraint.maxSkew ?? 0);
    if (skew <= 0) errors.push(invalid(`${at}.maxSkew`, skew, 'must be greater than zero'));
    if (key === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (!UNSATISFIABLE.includes(policy)) errors.push(notSupported(`${at}.whenUnsatisfiable`, policy, UNSATISFIABLE));
    const isSame = (other: JsonObject) => other.topologyKey === key && other.whenUnsatisfiable === policy;
    if (constraints.slice(index + 1).some(isSame)) {
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${policy}}`));
    }
    errors.push(...validateLabelSelector(constraint.labelSelector, `${at}.labelSelector`));
  });
  return errors;
}

function validateGates(spec: JsonObject, field: string): FieldError[] {
  const names = items(spec.schedulingGates).map((gate) => asString(gate.name));
  const errors = names.flatMap((name, index) => {
    const at = `${field}.schedulingGates[${index}]`;
    const problems = qualifiedNameProblems(name).map((text) => invalid(`${at}.name`, name, text));
    return names.indexOf(name) < index ? [...problems, duplicate(at, name)] : problems;
  });
  if (names.length > 0 && asString(spec.nodeName) !== '') {
    errors.push(forbidden(`${field}.nodeName`, 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}
