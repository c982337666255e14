import { type FieldError, invalid, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, type JsonObject } from '../values/json.ts';
import { optionalObject, specOf } from './defaulting.ts';

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
    if (max < 1) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
    if (max < min) errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
    const target = asObject(spec.scaleTargetRef);
    for (const field of ['kind', 'name']) {
      if (asString(target[field]) === '') errors.push(required(`spec.scaleTargetRef.${field}`));
    }
    if (asString(target.apiVersion) === '' && asString(target.kind) !== 'ReplicationController') {
      errors.push(invalid('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group'));
    }
    return errors;
  },
};
