import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../values/json.ts';
import { parseAmount } from '../values/resource-amounts.ts';
import { items, optionalObject, specOf } from './defaulting.ts';
import { validateMetrics, validateScaled } from './metric-rules.ts';
import { validateNonNegative } from './number-rules.ts';

const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const PERIOD_SECONDS = 15;
const percent = { type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS };
const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Pods', value: 4, periodSeconds: PERIOD_SECONDS }, percent],
};
const SCALE_DOWN = { selectPolicy: 'Max', policies: [percent] };

function defaultMetrics(): JsonObject[] {
  const target = { type: 'Utilization', averageUtilization: 80 };
  return [{ type: 'Resource', resource: { name: 'cpu', target } }];
}

/** Stored as autoscaling/v2. */
export const horizontalPodAutoscalerStrategy: Strategy = {
  defaults(object) {
    const spec = specOf(object);
    spec.minReplicas ??= 1;
    if (asArray(spec.metrics).length === 0) spec.metrics = defaultMetrics();
    const behavior = optionalObject(spec, 'behavior');
    if (!behavior) return;
    behavior.scaleUp = { ...structuredClone(SCALE_UP), ...asObject(behavior.scaleUp) };
    behavior.scaleDown = { ...structuredClone(SCALE_DOWN), ...asObject(behavior.scaleDown) };
  },
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    const [min, max] = [Number(spec.minReplicas ?? 1), Number(spec.maxReplicas ?? 0)];
    if (min < 1) errors.push(invalid('spec.minReplicas', min, 'must be greater than or equal to 1'));
    if (max === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
    if (max < 0) errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to 1'));
    if (max < min) errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
    const metrics = items(spec.metrics);
    errors.push(...validateMetrics(metrics, 'spec.metrics'));
    if (min === 0 && metrics.every(({ type }) => type !== 'Object' && type !== 'External')) {
      const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
      errors.push(forbidden('spec.metrics', detail));
    }
    return [...errors, ...validateBehavior(asObject(spec.behavior))];
  },
  validateCreate: (object) => validateTarget(object),
  validateUpdate(object, old) {
    const [target, before] = [object, old].map((one) => asObject(specOf(one).scaleTargetRef));
    const isSame = target?.apiVersion === before?.apiVersion && target?.kind === before?.kind;
    return validateTarget(object, isSame);
  },
  validateStatusUpdate: ({ status }) =>
    ['currentReplicas', 'desiredReplicas'].flatMap((field) =>
      validateNonNegative(asObject(status)[field], `status.${field}`),
    ),
};

/** An object whose type has not changed is not asked for its group again. */
function validateTarget(object: JsonObject, isKnown = false): FieldError[] {
  const target = asObject(specOf(object).scaleTargetRef);
  const field = 'spec.scaleTargetRef';
  const errors = validateScaled(target, field, target.kind === 'ReplicationController');
  return isKnown ? errors.filter((error) => error.field !== `${field}.apiVersion`) : errors;
}

function validateBehavior(behavior: JsonObject): FieldError[] {
  return ['scaleUp', 'scaleDown'].flatMap((direction) => {
    const rules = behavior[direction];
    return isObject(rules) ? validateRules(rules, `spec.behavior.${direction}`) : [];
  });
}

function validateRules(rules: JsonObject, field: string): FieldError[] {
  const { stabilizationWindowSeconds: window, selectPolicy, tolerance } = rules;
  const errors: FieldError[] = [];
  if (typeof window === 'number') {
    const at = `${field}.stabilizationWindowSeconds`;
    if (window < 0) errors.push(invalid(at, window, 'must be greater than or equal to zero'));
    if (window > MAX_WINDOW_SECONDS) {
      errors.push(invalid(at, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
    }
  }
  if (!SELECT_POLICIES.includes(asString(selectPolicy))) {
    errors.push(notSupported(`${field}.selectPolicy`, selectPolicy, SELECT_POLICIES));
  }
  const policies = items(rules.policies);
  if (policies.length === 0) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  errors.push(...policies.flatMap((policy, index) => validatePolicy(policy, `${field}.policies[${index}]`)));
  const allowed = parseAmount(tolerance);
  if (allowed && allowed.nanos < 0n) {
    errors.push(invalid(`${field}.tolerance`, tolerance, 'must be greater than or equal to 0'));
  }
  return errors;
}

function validatePolicy(policy: JsonObject, field: string): FieldError[] {
  const type = asString(policy.type);
  const errors = POLICY_TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type, POLICY_TYPES)];
  for (const part of ['value', 'periodSeconds']) {
    const number = Number(policy[part] ?? 0);
    if (number <= 0) errors.push(invalid(`${field}.${part}`, number, 'must be greater than zero'));
    if (part === 'periodSeconds' && number > MAX_PERIOD_SECONDS) {
      errors.push(invalid(`${field}.${part}`, number, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
    }
  }
  return errors;
}
