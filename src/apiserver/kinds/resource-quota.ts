import { type FieldError, invalid, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { parseAmounts } from '../values/resource-amounts.ts';
import { items, specOf } from './defaulting.ts';
import { isQuotaName, validateQuotaResourceName, validateResourceAmount } from './resource-names.ts';

const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const OF_PODS = new Set(['pods', ...COMPUTE]);
/** The scopes, with the names that they may limit. */
const SCOPES = new Map<string, ReadonlySet<string>>([
  ['Terminating', OF_PODS],
  ['NotTerminating', OF_PODS],
  ['NotBestEffort', OF_PODS],
  ['PriorityClass', OF_PODS],
  ['CrossNamespacePodAffinity', OF_PODS],
  ['BestEffort', new Set(['pods'])],
  ['VolumeAttributesClass', new Set(['persistentvolumeclaims', 'requests.storage'])],
]);
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
/** Scopes that have values to choose from. */
const WITH_VALUES = new Set(['PriorityClass', 'VolumeAttributesClass']);
/** By name: in the words of the real server, which are not ours. */
const NOTHING = 'no value';
const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

export const resourceQuotaStrategy: Strategy = {
  returnDeletedObject: true,
  validate(object) {
    const spec = specOf(object);
    return [...validateAmounts(spec.hard, 'spec.hard'), ...validateScopes(spec), ...validateSelector(spec)];
  },
  validateUpdate(object, old) {
    const [now, before] = [scopesOf(specOf(object)), scopesOf(specOf(old))];
    if (now.length === before.length && now.every((scope) => before.includes(scope))) return [];
    return [invalid('spec.scopes', specOf(object).scopes, 'field is immutable')];
  },
  validateStatusUpdate({ status }) {
    const { hard, used } = asObject(status);
    return [...validateAmounts(hard, 'status.hard'), ...validateAmounts(used, 'status.used')];
  },
};

function scopesOf(spec: JsonObject): string[] {
  return [...new Set(asArray(spec.scopes).map(asString))];
}

function validateAmounts(list: JsonValue | undefined, field: string): FieldError[] {
  return [...parseAmounts(list)].flatMap(([name, amount]) => {
    const at = `${field}[${name}]`;
    return [...validateQuotaResourceName(name, at), ...validateResourceAmount(name, amount, at)];
  });
}

/** Names of the quota that a scope has nothing to do with. */
function strangers(spec: JsonObject, scope: string): string[] {
  const known = SCOPES.get(scope);
  if (!known) return [];
  return Object.keys(asObject(spec.hard)).filter((name) => isQuotaName(name) && !known.has(name));
}

function validateScopes(spec: JsonObject): FieldError[] {
  const field = 'spec.scopes';
  const refuse = (detail: string) => invalid(field, spec.scopes, detail);
  const errors = asArray(spec.scopes)
    .map(asString)
    .flatMap((scope) => [
      ...(SCOPES.has(scope) ? [] : [refuse('unsupported scope')]),
      ...strangers(spec, scope).map(() => refuse('unsupported scope applied to resource')),
    ]);
  return [...errors, ...conflicts(scopesOf(spec)).map(() => refuse('conflicting scopes'))];
}

function conflicts(scopes: readonly string[]): unknown[] {
  return OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

function validateSelector(spec: JsonObject): FieldError[] {
  if (!isObject(spec.scopeSelector)) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const terms = items(spec.scopeSelector.matchExpressions);
  const errors = terms.flatMap((term) => {
    const [scope, operator] = [asString(term.scopeName), asString(term.operator)];
    const own: FieldError[] = [];
    if (!SCOPES.has(scope)) own.push(invalid(`${field}.scopeName`, scope, 'unsupported scope'));
    own.push(
      ...strangers(spec, scope).map(() => invalid(field, selectorInGo(terms), 'unsupported scope applied to resource')),
    );
    if (SCOPES.has(scope) && !WITH_VALUES.has(scope) && operator !== 'Exists') {
      own.push(invalid(`${field}.operator`, operator, ONLY_EXISTS));
    }
    return [...own, ...validateOperator(operator, asArray(term.values), field)];
  });
  const scopes = terms.map(({ scopeName }) => asString(scopeName));
  return [...errors, ...conflicts(scopes).map(() => invalid(field, spec.scopes ?? null, 'conflicting scopes'))];
}

function validateOperator(operator: string, values: readonly JsonValue[], field: string): FieldError[] {
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return values.length > 0 ? [] : [required(`${field}.values`, detail)];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = `must be ${NOTHING} when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`;
    return values.length === 0 ? [] : [invalid(`${field}.values`, [...values], detail)];
  }
  return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
}

/** The selector with the names that its fields have in Go, which is how a refusal shows it. */
function selectorInGo(terms: readonly JsonObject[]): JsonObject {
  return {
    MatchExpressions: terms.map(({ scopeName, operator, values }) => ({
      ScopeName: asString(scopeName),
      Operator: asString(operator),
      Values: values ?? null,
    })),
  };
}
