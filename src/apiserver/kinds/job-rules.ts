import { LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts';
import { type FieldError, invalid, invalidWithoutValue, notSupported, required } from '../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject, sortedKeys } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { items, specOf } from './defaulting.ts';
import { validateNonNegative } from './number-rules.ts';
import { validateLabelSelector } from './selector-rules.ts';
import { unmatchedLabels, validatePodTemplate } from './template-rules.ts';
import { validateDomainPath } from './text-rules.ts';

export const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];
export const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];

const COMPLETION_MODES = ['NonIndexed', 'Indexed'];
const REPLACEMENTS = ['Failed', 'TerminatingOrFailed'];
const FAILURE_ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const RESTARTS = ['OnFailure', 'Never'];
const MAX_INDEXED_PARALLELISM = 100_000;
const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** For jobs, and for the template of jobs in a CronJob, which has no selector yet. */
export function validateJobSpec(
  spec: JsonObject,
  field: string,
  { hasSelector } = { hasSelector: true },
): FieldError[] {
  const errors = COUNTS.flatMap((name) => validateNonNegative(spec[name], `${field}.${name}`));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (spec.managedBy !== undefined) {
    errors.push(...validateDomainPath(asString(spec.managedBy), `${field}.managedBy`));
  }
  errors.push(...validateCompletionMode(spec, field));
  if (isObject(spec.podFailurePolicy)) {
    errors.push(...validateFailurePolicy(spec.podFailurePolicy, `${field}.podFailurePolicy`));
  }
  if (isObject(spec.successPolicy) && spec.completionMode !== 'Indexed') {
    const rules = items(spec.successPolicy.rules).map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    errors.push(invalid(`${field}.successPolicy`, { Rules: rules }, 'requires indexed completion mode'));
  }
  const replacement = spec.podReplacementPolicy;
  if (replacement !== undefined && !REPLACEMENTS.includes(asString(replacement))) {
    errors.push(notSupported(`${field}.podReplacementPolicy`, replacement, REPLACEMENTS));
  }
  errors.push(...validatePodTemplate(asObject(spec.template), `${field}.template`), ...validateRestarts(spec, field));
  return hasSelector ? [...errors, ...validateSelector(spec)] : errors;
}

function validateCompletionMode(spec: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const mode = spec.completionMode;
  if (mode !== undefined && !COMPLETION_MODES.includes(asString(mode))) {
    errors.push(notSupported(`${field}.completionMode`, mode, COMPLETION_MODES));
  }
  if (mode === 'Indexed') {
    if (spec.completions === undefined) {
      errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
    }
    if (Number(spec.parallelism ?? 0) > MAX_INDEXED_PARALLELISM) {
      const detail = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
      errors.push(invalid(`${field}.parallelism`, spec.parallelism, detail));
    }
    if (spec.completions !== undefined && Number(spec.maxFailedIndexes ?? 0) > Number(spec.completions)) {
      const detail = 'must be less than or equal to completions';
      errors.push(invalid(`${field}.maxFailedIndexes`, spec.maxFailedIndexes, detail));
    }
  }
  if (mode !== undefined && mode !== 'NonIndexed') return errors;
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
    if (spec[name] === undefined) continue;
    errors.push(invalid(`${field}.${name}`, spec[name], 'requires indexed completion mode'));
  }
  return errors;
}

function validateFailurePolicy(policy: JsonObject, field: string): FieldError[] {
  return items(policy.rules).flatMap((rule, index) => {
    const at = `${field}.rules[${index}]`;
    const errors: FieldError[] = [];
    const action = asString(rule.action);
    if (action === '') errors.push(required(`${at}.action`, `valid values: ${JSON.stringify(FAILURE_ACTIONS)}`));
    else if (!FAILURE_ACTIONS.includes(action)) errors.push(notSupported(`${at}.action`, action, FAILURE_ACTIONS));
    const [hasCodes, hasConditions] = [isObject(rule.onExitCodes), items(rule.onPodConditions).length > 0];
    if (hasCodes && hasConditions) {
      const detail = 'specifying both OnExitCodes and OnPodConditions is not supported';
      errors.push(invalidWithoutValue(at, detail));
    }
    if (!hasCodes && !hasConditions) {
      errors.push(invalidWithoutValue(at, 'specifying one of OnExitCodes and OnPodConditions is required'));
    }
    return errors;
  });
}

function validateRestarts(spec: JsonObject, field: string): FieldError[] {
  const at = `${field}.template.spec.restartPolicy`;
  const policy = asString(asObject(asObject(spec.template).spec).restartPolicy);
  if (policy === '' || policy === 'Always') return [required(at, 'valid values: "OnFailure", "Never"')];
  if (!RESTARTS.includes(policy)) return [notSupported(at, policy, RESTARTS)];
  if (spec.podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

function validateSelector(spec: JsonObject): FieldError[] {
  const template = asObject(spec.template);
  if (!isObject(spec.selector)) return [required('spec.selector'), unmatchedLabels(template)];
  const errors = validateLabelSelector(spec.selector, 'spec.selector');
  if (errors.length > 0) return errors;
  const selector = LabelSelector.fromObject(spec.selector as LabelSelectorObject);
  const labels = asObject(asObject(template.metadata).labels) as Record<string, string>;
  return selector.matches(labels) ? [] : [unmatchedLabels(template)];
}

/** The labels that the server gives to the pods of a job are its own, unless the client chooses the selector. */
export function validateGeneratedLabels(job: JsonObject): FieldError[] {
  const spec = specOf(job);
  if (spec.manualSelector === true) return [];
  const errors: FieldError[] = [];
  const { name, uid } = metadataOf(job);
  const labels = sortedKeys(asObject(asObject(asObject(spec.template).metadata).labels));
  for (const [keys, value] of [
    [UID_LABELS, asString(uid)],
    [NAME_LABELS, asString(name)],
  ] as const) {
    for (const key of keys) {
      if (labels[key] === value) continue;
      const field = `spec.template.metadata.labels[${key}]`;
      errors.push(
        labels[key] === undefined
          ? required(field, `must be '${value}'`)
          : invalid(field, labels, `must be '${value}'`),
      );
    }
  }
  const expected = { matchLabels: { 'batch.kubernetes.io/controller-uid': asString(uid) } };
  const { matchLabels, ...rest } = asObject(spec.selector);
  const isOwn =
    Object.keys(rest).length === 0 && JSON.stringify(matchLabels ?? null) === JSON.stringify(expected.matchLabels);
  if (isObject(spec.selector) && !isOwn) {
    const shown = { ...rest, matchLabels: sortedKeys(asObject(matchLabels)) };
    errors.push(invalid('spec.selector', shown, '`selector` not auto-generated'));
  }
  return errors;
}
