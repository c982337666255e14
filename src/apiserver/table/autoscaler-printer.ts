import { asObject, getPath, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { v1MetricSpecs, v1MetricStatuses } from './autoscaler-v1-metrics.ts';
import { count, isSet, list, quantity, text } from './cell-text.ts';
import { ageColumn, nameColumn } from './common-columns.ts';
import { column, printer, type TablePrinter } from './table-printer.ts';

export const autoscalerPrinter: TablePrinter = printer([
  nameColumn,
  column(
    'Reference',
    (object) => `${text(object, 'spec', 'scaleTargetRef', 'kind')}/${text(object, 'spec', 'scaleTargetRef', 'name')}`,
    { description: 'What it scales.' },
  ),
  column('Targets', targets, { description: 'Each metric as it is, and as it should be.' }),
  column(
    'MinPods',
    (object) => (isSet(object, 'spec', 'minReplicas') ? `${count(object, 'spec', 'minReplicas')}` : '<unset>'),
    { description: 'The fewest replicas.' },
  ),
  column('MaxPods', (object) => count(object, 'spec', 'maxReplicas'), { description: 'The most replicas.' }),
  column('Replicas', (object) => count(object, 'status', 'currentReplicas'), { description: 'The present replicas.' }),
  ageColumn,
]);

const MOST_SHOWN = 2;
function targets(autoscaler: JsonObject): string {
  const isV1 = autoscaler.apiVersion === 'autoscaling/v1';
  const specs = isV1 ? v1MetricSpecs(autoscaler) : list(autoscaler, 'spec', 'metrics');
  const statuses = isV1 ? v1MetricStatuses(autoscaler) : list(autoscaler, 'status', 'currentMetrics');
  if (specs.length === 0) return '<none>';
  const texts = specs.map((spec, index) => metricText(spec, statuses[index]));
  const shown = texts.slice(0, MOST_SHOWN).join(', ');
  return texts.length > MOST_SHOWN ? `${shown} + ${texts.length - MOST_SHOWN} more...` : shown;
}

function metricText(spec: JsonObject, status: JsonObject | undefined): string {
  switch (spec.type) {
    case 'External':
      return valueText(getPath(spec, 'external', 'target'), currentOf(status, 'external'));
    case 'Object':
      return valueText(getPath(spec, 'object', 'target'), currentOf(status, 'object'));
    case 'Pods': {
      const current = currentOf(status, 'pods');
      const now = current === undefined ? '<unknown>' : quantity(getPath(current, 'averageValue'));
      return `${now}/${quantity(getPath(spec, 'pods', 'target', 'averageValue'))}`;
    }
    case 'Resource':
      return resourceText(getPath(spec, 'resource'), currentOf(status, 'resource'));
    case 'ContainerResource':
      return resourceText(getPath(spec, 'containerResource'), currentOf(status, 'containerResource'));
    default:
      return '<unknown type>';
  }
}

function currentOf(status: JsonObject | undefined, source: string): JsonObject | undefined {
  const metric = getPath(status, source);
  return isObject(metric) ? asObject(metric.current) : undefined;
}

function valueText(target: JsonValue | undefined, current: JsonObject | undefined): string {
  if (isSet(target, 'averageValue')) {
    const now = isSet(current, 'averageValue') ? quantity(getPath(current, 'averageValue')) : '<unknown>';
    return `${now}/${quantity(getPath(target, 'averageValue'))} (avg)`;
  }
  const now = current === undefined ? '<unknown>' : quantity(getPath(current, 'value'));
  return `${now}/${quantity(getPath(target, 'value'))}`;
}

function resourceText(source: JsonValue | undefined, current: JsonObject | undefined): string {
  const name = text(source, 'name');
  const target = getPath(source, 'target');
  if (isSet(target, 'averageValue')) {
    const now = current === undefined ? '<unknown>' : quantity(getPath(current, 'averageValue'));
    return `${name}: ${now}/${quantity(getPath(target, 'averageValue'))}`;
  }
  const now = isSet(current, 'averageUtilization') ? `${count(current, 'averageUtilization')}%` : '<unknown>';
  const wanted = isSet(target, 'averageUtilization') ? `${count(target, 'averageUtilization')}%` : '<auto>';
  return `${name}: ${now}/${wanted}`;
}
