import { asArray, asObject, getKey, getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { text } from './cell-text.ts';

/** What autoscaling/v1 aims at when nothing is said. */
const DEFAULT_CPU_PERCENT = 80;
const SPECS = 'autoscaling.alpha.kubernetes.io/metrics';
const STATUSES = 'autoscaling.alpha.kubernetes.io/current-metrics';

/**
 * The metrics of an autoscaling/v1 HorizontalPodAutoscaler in the shape of v2. v1 has a field for CPU utilisation alone;
 * the real server carries all others in annotations.
 */
export function v1MetricSpecs(autoscaler: JsonObject): JsonObject[] {
  const others = annotated(autoscaler, SPECS).map((metric) => v2Metric(metric, 'target'));
  const percent = getPath(autoscaler, 'spec', 'targetCPUUtilizationPercentage');
  if (percent === undefined && others.length > 0) return others;
  const target = { averageUtilization: percent ?? DEFAULT_CPU_PERCENT };
  return [...others, { type: 'Resource', resource: { name: 'cpu', target } }];
}

export function v1MetricStatuses(autoscaler: JsonObject): JsonObject[] {
  const statuses = annotated(autoscaler, STATUSES).map((metric) => v2Metric(metric, 'current'));
  const percent = getPath(autoscaler, 'status', 'currentCPUUtilizationPercentage');
  if (statuses.length > 0 || percent === undefined) return statuses;
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percent } } }];
}

function annotated(autoscaler: JsonObject, key: string): JsonObject[] {
  try {
    const value = getKey(asObject(getPath(autoscaler, 'metadata', 'annotations')), key);
    return asArray(JSON.parse(typeof value === 'string' ? value : '[]') as JsonValue).map(asObject);
  } catch {
    return [];
  }
}

/** `targetAverageValue` and `currentAverageValue` of v1 are `target.averageValue` and `current.averageValue` of v2. */
function v2Metric(metric: JsonObject, part: 'target' | 'current'): JsonObject {
  const type = text(metric, 'type');
  const key = type.charAt(0).toLowerCase() + type.slice(1);
  const source = asObject(getKey(metric, key));
  const values: JsonObject = {};
  for (const [name, field] of [
    ['Value', 'value'],
    ['AverageValue', 'averageValue'],
    ['AverageUtilization', 'averageUtilization'],
  ] as const) {
    const value =
      source[`${part}${name}`] ?? (type === 'Object' && field === 'averageValue' ? source[field] : undefined);
    if (value !== undefined) values[field] = value;
  }
  return { type, [key]: { name: text(source, 'name'), [part]: values } };
}
