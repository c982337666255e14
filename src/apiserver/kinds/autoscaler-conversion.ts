import type { Conversion } from '../storage/served-resource.ts';
import { asObject, asString, getPath, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { items } from './defaulting.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';

/** What v1 has no field for travels in annotations, as JSON. */
const ANNOTATED = {
  metrics: 'metrics',
  behavior: 'behavior',
  currentMetrics: 'current-metrics',
  conditions: 'conditions',
};

function isCpuUtilization(metric: JsonObject, value: 'target' | 'current'): boolean {
  if (metric.type !== 'Resource' || getPath(metric, 'resource', 'name') !== 'cpu') return false;
  return typeof getPath(metric, 'resource', value, 'averageUtilization') === 'number';
}

function cpuTarget(percentage: JsonValue): JsonObject {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
  };
}

function fromAnnotation(annotations: JsonObject, name: string): JsonValue | undefined {
  const text = asString(annotations[PREFIX + name]);
  delete annotations[PREFIX + name];
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** autoscaling/v1 as a view of the stored v2. */
export const autoscalerV1: Conversion = {
  toStorage(object) {
    const metadata = { ...asObject(object.metadata) };
    const annotations = { ...asObject(metadata.annotations) };
    const { targetCPUUtilizationPercentage: target, ...spec } = asObject(object.spec);
    const { currentCPUUtilizationPercentage: current, ...status } = asObject(object.status);
    const others = fromAnnotation(annotations, ANNOTATED.metrics);
    const metrics = [...(target === undefined ? [] : [cpuTarget(target)]), ...items(others)];
    const behavior = fromAnnotation(annotations, ANNOTATED.behavior);
    const conditions = fromAnnotation(annotations, ANNOTATED.conditions);
    const measured = items(fromAnnotation(annotations, ANNOTATED.currentMetrics));
    if (current !== undefined) {
      measured.unshift({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } });
    }
    if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
    else delete metadata.annotations;
    return {
      ...object,
      metadata,
      spec: { ...spec, ...(metrics.length > 0 ? { metrics } : {}), ...(behavior === undefined ? {} : { behavior }) },
      status: {
        ...status,
        ...(measured.length > 0 ? { currentMetrics: measured } : {}),
        ...(conditions === undefined ? {} : { conditions }),
      },
    };
  },

  fromStorage(object) {
    const metadata = { ...asObject(object.metadata) };
    const annotations = { ...asObject(metadata.annotations) };
    const { metrics, behavior, ...spec } = asObject(object.spec);
    const { currentMetrics, conditions, ...status } = asObject(object.status);
    const cpu = items(metrics).find((metric) => isCpuUtilization(metric, 'target'));
    const current = items(currentMetrics).find((metric) => isCpuUtilization(metric, 'current'));
    const keep = (name: string, value: JsonValue | undefined) => {
      const empty = value === undefined || (Array.isArray(value) && value.length === 0);
      if (!empty) annotations[PREFIX + name] = JSON.stringify(value);
    };
    keep(
      ANNOTATED.metrics,
      items(metrics).filter((metric) => metric !== cpu),
    );
    keep(ANNOTATED.behavior, isObject(behavior) ? behavior : undefined);
    keep(
      ANNOTATED.currentMetrics,
      items(currentMetrics).filter((metric) => metric !== current),
    );
    keep(ANNOTATED.conditions, items(conditions));
    if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
    const target = cpu && getPath(cpu, 'resource', 'target', 'averageUtilization');
    const measured = current && getPath(current, 'resource', 'current', 'averageUtilization');
    return {
      ...object,
      metadata,
      spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
      status: {
        currentReplicas: 0,
        desiredReplicas: 0,
        ...status,
        ...(measured === undefined ? {} : { currentCPUUtilizationPercentage: measured }),
      },
    };
  },
};
