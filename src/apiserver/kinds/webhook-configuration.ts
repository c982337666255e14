import { conditionsOf } from '../admission/policy/match-conditions.ts';
import { clientConfigErrors } from '../admission/webhook/client-config-rules.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, ensureObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { dnsSubdomain } from '../values/name-rules.ts';
import { conditionErrors, ruleErrors } from './admission-policy.ts';
import { items, optionalObject, setDefault } from './defaulting.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

function defaultWebhook(webhook: JsonObject, mutating: boolean): void {
  setDefault(webhook, 'failurePolicy', 'Fail');
  setDefault(webhook, 'matchPolicy', 'Equivalent');
  ensureObject(webhook, 'namespaceSelector');
  ensureObject(webhook, 'objectSelector');
  webhook.timeoutSeconds ??= 10;
  if (mutating) setDefault(webhook, 'reinvocationPolicy', 'Never');
  for (const rule of items(webhook.rules)) setDefault(rule, 'scope', '*');
  const service = optionalObject(asObject(webhook.clientConfig), 'service');
  if (service) service.port ??= 443;
}

function webhookErrors(webhook: JsonObject, field: string, mutating: boolean): FieldError[] {
  const errors = [
    ...nameErrors(asString(webhook.name), `${field}.name`),
    ...ruleErrors({ rules: webhook.rules ?? [] }, field, ['rules']),
    ...oneOf(webhook.failurePolicy, `${field}.failurePolicy`, FAILURE_POLICIES),
    ...oneOf(webhook.matchPolicy, `${field}.matchPolicy`, MATCH_POLICIES),
  ];
  if (webhook.sideEffects === undefined || webhook.sideEffects === null) {
    errors.push(required(`${field}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`));
  } else errors.push(...oneOf(webhook.sideEffects, `${field}.sideEffects`, SIDE_EFFECTS));
  const { timeoutSeconds: seconds } = webhook;
  if (typeof seconds === 'number' && (seconds < 1 || seconds > 30)) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    errors.push(invalid(`${field}.timeoutSeconds`, seconds, detail));
  }
  errors.push(...clientConfigErrors(asObject(webhook.clientConfig), `${field}.clientConfig`));
  if (mutating) errors.push(...oneOf(webhook.reinvocationPolicy, `${field}.reinvocationPolicy`, REINVOCATIONS));
  const { matchConditions } = webhook;
  errors.push(
    ...conditionErrors(matchConditions, conditionsOf(matchConditions).expressions, `${field}.matchConditions`),
  );
  return [...errors, ...versionErrors(webhook, `${field}.admissionReviewVersions`)];
}

function nameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const problems = dnsSubdomain(name, false);
  if (problems.length > 0) return [invalid(field, name, problems.join(','))];
  const isQualified = name.split('.').length >= 3;
  return isQualified ? [] : [invalid(field, name, 'should be a domain with at least three segments separated by dots')];
}

function oneOf(value: JsonValue | undefined, field: string, supported: readonly string[]): FieldError[] {
  return value === undefined || supported.includes(asString(value)) ? [] : [notSupported(field, value, supported)];
}

function versionErrors({ admissionReviewVersions }: JsonObject, field: string): FieldError[] {
  const versions = asArray(admissionReviewVersions).map(asString);
  if (versions.length === 0) return [required(field, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const errors = versions.flatMap((version, index) =>
    versions.indexOf(version) < index ? [invalid(`${field}[${index}]`, version, 'duplicate version')] : [],
  );
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, invalid(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}

export function webhookStrategy(mutating: boolean): Strategy {
  return {
    generation: true,
    unconditionalUpdate: false,
    defaults(object) {
      for (const webhook of items(object.webhooks)) defaultWebhook(webhook, mutating);
    },
    validate(object) {
      const names = items(object.webhooks).map(({ name }) => asString(name));
      return items(object.webhooks).flatMap((webhook, index) => {
        const field = `webhooks[${index}]`;
        const name = names[index] ?? '';
        const isRepeated = name !== '' && names.indexOf(name) < index;
        return [...webhookErrors(webhook, field, mutating), ...(isRepeated ? [duplicate(`${field}.name`, name)] : [])];
      });
    },
  };
}
