import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { dnsLabel, pathSegment } from '../values/name-rules.ts';
import { parseAmount } from '../values/resource-amounts.ts';
import { validateContainerResourceName } from './resource-names.ts';
import { validateText } from './text-rules.ts';

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
const EITHER_RAW_OR_SHARE = 'must set either a target raw value or a target utilization';

interface SourceRule {
  /** What a metric with this source is called. */
  readonly type: string;
  validate(source: JsonObject, field: string): FieldError[];
  /** Of these one must be set, and the first is found missing. */
  readonly oneOf: readonly string[];
  readonly whenNone: string;
  /** Set when no more than one of them may be set: which field is then at fault, and the words for it. */
  readonly whenBoth?: readonly [field: string, text: string];
}

/** By field, in the order in which they are looked at. */
const SOURCES = new Map<string, SourceRule>([
  [
    'object',
    {
      type: 'Object',
      validate: ({ describedObject, metric }, field) => [
        ...validateScaled(asObject(describedObject), `${field}.describedObject`, true),
        ...validateMetricName(metric, field),
      ],
      oneOf: ['averageValue', 'value'],
      whenNone: 'must set either a target value or averageValue',
    },
  ],
  [
    'external',
    {
      type: 'External',
      validate: ({ metric }, field) => validateMetricName(metric, field),
      oneOf: ['averageValue', 'value'],
      whenNone: 'must set either a target value for metric or a per-pod target',
      whenBoth: ['value', 'may not set both a target value for metric and a per-pod target'],
    },
  ],
  [
    'pods',
    {
      type: 'Pods',
      validate: ({ metric }, field) => validateMetricName(metric, field),
      oneOf: ['averageValue'],
      whenNone: 'must specify a positive target averageValue',
    },
  ],
  [
    'resource',
    {
      type: 'Resource',
      validate: ({ name }, field) => needed(asString(name), `${field}.name`, 'must specify a resource name'),
      oneOf: ['averageUtilization', 'averageValue'],
      whenNone: EITHER_RAW_OR_SHARE,
      whenBoth: ['averageValue', 'may not set both a target raw value and a target utilization'],
    },
  ],
  [
    'containerResource',
    {
      type: 'ContainerResource',
      validate: validateContainerResource,
      oneOf: ['averageUtilization', 'averageValue'],
      whenNone: EITHER_RAW_OR_SHARE,
      whenBoth: ['averageValue', 'may not set both a target raw value and a target utilization'],
    },
  ],
]);
const TYPES = [...SOURCES.values()].map(({ type }) => type).sort();

export function validateMetrics(metrics: readonly JsonObject[], field: string): FieldError[] {
  return metrics.flatMap((metric, index) => validateMetric(metric, `${field}[${index}]`));
}

function validateMetric(metric: JsonObject, field: string): FieldError[] {
  const type = asString(metric.type);
  const errors: FieldError[] = [];
  const unknown = TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type, TYPES)];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric source type'));
  errors.push(...unknown);
  const present = [...SOURCES].filter(([name]) => isObject(metric[name]));
  const [first] = present;
  if (first) errors.push(...validateSource(first[1], asObject(metric[first[0]]), `${field}.${first[0]}`));
  // The real server says this twice.
  errors.push(...unknown);
  const [expected] = [...SOURCES].find(([, rule]) => rule.type === type) ?? [];
  if (expected !== undefined && !isObject(metric[expected])) {
    errors.push(required(`${field}.${expected}`, 'must populate information for the given metric source'));
  }
  if (present.length === 1) return errors;
  const others = present.filter(([name]) => name !== expected);
  return [
    ...errors,
    ...others.map(([name]) => forbidden(`${field}.${name}`, 'must populate the given metric source only')),
  ];
}

function validateSource(rule: SourceRule, source: JsonObject, field: string): FieldError[] {
  const target = asObject(source.target);
  const at = `${field}.target`;
  const errors = [...rule.validate(source, field), ...validateTarget(target, at)];
  const given = rule.oneOf.filter((name) => target[name] !== undefined);
  if (given.length === 0) errors.push(required(`${at}.${rule.oneOf[0]}`, rule.whenNone));
  if (given.length > 1 && rule.whenBoth) errors.push(forbidden(`${at}.${rule.whenBoth[0]}`, rule.whenBoth[1]));
  return errors;
}

function validateTarget(target: JsonObject, field: string): FieldError[] {
  const type = asString(target.type);
  const errors = needed(type, `${field}.type`, 'must specify a metric target type');
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalid(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const name of ['value', 'averageValue']) {
    const amount = parseAmount(target[name]);
    if (amount && amount.nanos <= 0n) errors.push(invalid(`${field}.${name}`, target[name], 'must be positive'));
  }
  const share = target.averageUtilization;
  if (typeof share === 'number' && share < 1) {
    errors.push(invalid(`${field}.averageUtilization`, share, 'must be greater than 0'));
  }
  return errors;
}

function validateContainerResource(source: JsonObject, field: string): FieldError[] {
  const [name, container] = [asString(source.name), asString(source.container)];
  const errors = needed(name, `${field}.name`, 'must specify a resource name');
  if (name !== '') errors.push(...validateContainerResourceName(name, `${field}.name`));
  errors.push(...needed(container, `${field}.container`, 'must specify a container'));
  return container === '' ? errors : [...errors, ...validateText(container, dnsLabel, `${field}.container`)];
}

function validateMetricName(metric: JsonValue | undefined, field: string): FieldError[] {
  const name = asString(asObject(metric).name);
  const at = `${field}.metric.name`;
  return name === '' ? [required(at, 'must specify a metric name')] : validateText(name, pathSegment, at);
}

function needed(text: string, field: string, detail: string): FieldError[] {
  return text === '' ? [required(field, detail)] : [];
}

/** An object that an autoscaler names; `mayBeCore` when it may be of the group that has no name. */
export function validateScaled(reference: JsonObject, field: string, mayBeCore: boolean): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ['kind', 'name']) {
    const text = asString(reference[part]);
    if (text === '') errors.push(required(`${field}.${part}`));
    else errors.push(...validateText(text, pathSegment, `${field}.${part}`));
  }
  const version = asString(reference.apiVersion);
  const parts = version.split('/');
  if (parts.length > 2) {
    errors.push(invalid(`${field}.apiVersion`, version, `unexpected GroupVersion string: ${version}`));
  } else if (!mayBeCore && (parts.length < 2 || parts[0] === '')) {
    errors.push(invalid(`${field}.apiVersion`, version, 'apiVersion must specify API group'));
  }
  return errors;
}
