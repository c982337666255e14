import { duplicate, type FieldError, forbidden, invalid, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asObject, asString, type JsonObject } from '../values/json.ts';
import { qualifiedNameProblems } from '../values/name-rules.ts';
import { metadataOf } from '../values/object-meta.ts';
import { type Amount, type Amounts, amountText, parseAmounts } from '../values/resource-amounts.ts';
import { items, specOf } from './defaulting.ts';
import { isOvercommitAllowed, validateContainerResourceName, validateResourceName } from './resource-names.ts';

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const RATIO = 'maxLimitRequestRatio';
const ONE = 1_000_000_000n;
type Bound = 'min' | 'max' | 'default' | 'defaultRequest';

/** What may not be less than what: the field that is at fault, what it shows, and the two with their names. */
const ORDER: readonly [at: Bound, shown: Bound, small: Bound, large: Bound, smallName: string, largeName: string][] = [
  ['min', 'min', 'min', 'max', 'min value', 'max value'],
  ['defaultRequest', 'defaultRequest', 'min', 'defaultRequest', 'min value', 'default request value'],
  ['defaultRequest', 'defaultRequest', 'defaultRequest', 'max', 'default request value', 'max value'],
  ['defaultRequest', 'defaultRequest', 'defaultRequest', 'default', 'default request value', 'default limit value'],
  ['default', 'min', 'min', 'default', 'min value', 'default value'],
  ['default', 'max', 'default', 'max', 'default value', 'max value'],
];

export const limitRangeStrategy: Strategy = {
  createOnUpdate: true,
  defaults(object) {
    for (const limit of items(specOf(object).limits)) {
      if (limit.type !== 'Container') continue;
      const [min, max] = [asObject(limit.min), asObject(limit.max)];
      const fallback = { ...max, ...asObject(limit.default) };
      const request = { ...min, ...fallback, ...asObject(limit.defaultRequest) };
      if (Object.keys(fallback).length > 0) limit.default = fallback;
      if (Object.keys(request).length > 0) limit.defaultRequest = request;
    }
  },
  prepareForCreate(object) {
    const metadata = metadataOf(object);
    // No other kind is given a name that nobody asked for.
    if (asString(metadata.name) === '') metadata.name = asString(metadata.uid);
  },
  validate(object) {
    const limits = items(specOf(object).limits);
    return limits.flatMap((limit, index) => {
      const field = `spec.limits[${index}]`;
      const errors = validateType(asString(limit.type), `${field}.type`);
      if (limits.slice(0, index).some(({ type }) => type === limit.type)) {
        errors.push(duplicate(`${field}.type`, limit.type));
      }
      return [...errors, ...validateLimit(limit, field)];
    });
  },
};

function validateType(type: string, field: string): FieldError[] {
  const errors = qualifiedNameProblems(type).map((text) => invalid(field, type, text));
  if (errors.length > 0 || type.includes('/') || TYPES.includes(type)) return errors;
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function validateLimit(limit: JsonObject, field: string): FieldError[] {
  const { type } = limit;
  const errors: FieldError[] = [];
  const isOfPod = type === 'Pod';
  const rule = isOfPod || type === 'Container' ? validateContainerResourceName : validateResourceName;
  const named = (list: string): Amounts => {
    const amounts = parseAmounts(limit[list]);
    for (const name of amounts.keys()) errors.push(...rule(name, `${field}.${list}[${name}]`));
    return amounts;
  };
  const none: Amounts = new Map();
  const [max, min] = [named('max'), named('min')];
  if (isOfPod) errors.push(...validateNoDefaults(limit, field));
  const bounds: Record<Bound, Amounts> = {
    min,
    max,
    default: isOfPod ? none : named('default'),
    defaultRequest: isOfPod ? none : named('defaultRequest'),
  };
  if (type === 'PersistentVolumeClaim' && !min.has('storage') && !max.has('storage')) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(`${field}.limits`, detail));
  }
  const ratios = named(RATIO);
  const names = new Set([...Object.values(bounds), ratios].flatMap((amounts) => [...amounts.keys()]));
  for (const name of names) errors.push(...validateOrder(name, bounds, ratios.get(name), field));
  return errors;
}

function validateNoDefaults(limit: JsonObject, field: string): FieldError[] {
  return ['default', 'defaultRequest']
    .filter((list) => Object.keys(asObject(limit[list])).length > 0)
    .map((list) => forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'"));
}

function validateOrder(
  name: string,
  bounds: Readonly<Record<Bound, Amounts>>,
  ratio: Amount | undefined,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const of = (bound: Bound) => bounds[bound].get(name);
  const text = (bound: Bound) => amountText(of(bound) ?? { nanos: 0n, binary: false });
  for (const [at, shown, small, large, smallName, largeName] of ORDER) {
    const [less, more] = [of(small), of(large)];
    if (!less || !more || less.nanos <= more.nanos) continue;
    const detail = `${smallName} ${text(small)} is greater than ${largeName} ${text(large)}`;
    errors.push(invalid(`${field}.${at}[${name}]`, text(shown), detail));
  }
  if (ratio) errors.push(...validateRatio(ratio, of('min'), of('max'), `${field}.${RATIO}[${name}]`));
  const [limit, request] = [of('default'), of('defaultRequest')];
  if (limit && request && limit.nanos !== request.nanos && !isOvercommitAllowed(name)) {
    const detail = `default value ${text('default')} must equal to defaultRequest value ${text('defaultRequest')} in ${name}`;
    errors.push(invalid(`${field}.defaultRequest[${name}]`, text('defaultRequest'), detail));
  }
  return errors;
}

function validateRatio(ratio: Amount, min: Amount | undefined, max: Amount | undefined, field: string): FieldError[] {
  const shown = amountText(ratio);
  const errors = ratio.nanos < ONE ? [invalid(field, shown, `ratio ${shown} is less than 1`)] : [];
  if (!min || !max) return errors;
  const most = Number(max.nanos) / Number(min.nanos);
  if (Number(ratio.nanos) / Number(ONE) > most) {
    errors.push(invalid(field, shown, `ratio ${shown} is greater than max/min = ${most.toFixed(6)}`));
  }
  return errors;
}
