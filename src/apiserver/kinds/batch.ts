import { type FieldError, invalid, notSupported } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asObject, asString, ensureObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { validateSchedule, validateTimeZone } from './cron-schedule.ts';
import { items, setDefault, specOf } from './defaulting.ts';
import { NAME_LABELS, UID_LABELS, validateGeneratedLabels, validateJobSpec } from './job-rules.ts';
import { validateJobStatus } from './job-status.ts';
import { nameWarnings } from './name-warnings.ts';
import { validateNonNegative } from './number-rules.ts';
import { defaultPodTemplate } from './pod-spec.ts';
import { templateWarnings } from './pod-warnings.ts';

const MAX_INT32 = 2 ** 31 - 1;

function defaultJobSpec(spec: JsonObject): void {
  if (spec.parallelism === undefined && spec.completions === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32;
  setDefault(spec, 'completionMode', 'NonIndexed');
  spec.suspend ??= false;
  setDefault(spec, 'podReplacementPolicy', spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed');
  spec.manualSelector ??= false;
  for (const rule of items(asObject(spec.podFailurePolicy).rules)) {
    for (const pattern of items(rule.onPodConditions)) setDefault(pattern, 'status', 'True');
  }
}

/** Makes pods of this job, and no others, match its selector. */
function generateSelector(object: JsonObject): void {
  const spec = specOf(object);
  const { name, uid } = metadataOf(object);
  const template = ensureObject(ensureObject(spec, 'template'), 'metadata');
  const labels = ensureObject(template, 'labels');
  for (const label of NAME_LABELS) labels[label] ??= asString(name);
  for (const label of UID_LABELS) labels[label] ??= asString(uid);
  const match = ensureObject(ensureObject(spec, 'selector'), 'matchLabels');
  match['batch.kubernetes.io/controller-uid'] ??= asString(uid);
}

/** A job without labels takes those of its pods. */
function copyTemplateLabels(object: JsonObject): void {
  const labels = asObject(asObject(asObject(specOf(object).template).metadata).labels);
  const metadata = ensureObject(object, 'metadata');
  if (Object.keys(labels).length > 0 && Object.keys(asObject(metadata.labels)).length === 0) {
    metadata.labels = { ...labels };
  }
}

export const jobStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => [...nameWarnings(object, old), ...templateWarnings(object, old)],
  // For clients from before owner references; kubectl says Background.
  garbageCollection: 'orphan',
  defaults(object) {
    const spec = specOf(object);
    defaultPodTemplate(spec);
    defaultJobSpec(spec);
    copyTemplateLabels(object);
  },
  prepareForCreate(object) {
    if (specOf(object).manualSelector !== true) generateSelector(object);
  },
  canonicalize: copyTemplateLabels,
  validate(object) {
    const spec = specOf(object);
    return [...validateJobSpec(spec, 'spec'), ...validateGeneratedLabels(object)];
  },
  validateStatusUpdate: validateJobStatus,
  warnOnDelete({ propagationPolicy, orphanDependents }) {
    if (propagationPolicy !== undefined || orphanDependents !== undefined) return undefined;
    return 'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
  },
  validateUpdate(object, old) {
    const errors: FieldError[] = [];
    for (const field of ['selector', 'template', 'completions', 'completionMode', 'podFailurePolicy']) {
      if (field === 'template' && specOf(old).suspend === true) continue;
      const now = specOf(object)[field];
      if (!jsonEqual(now, specOf(old)[field])) errors.push(invalid(`spec.${field}`, now, 'field is immutable'));
    }
    return errors;
  },
};

const CONCURRENCY = ['Allow', 'Forbid', 'Replace'];

export const cronJobStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => [
    ...nameWarnings(object, old),
    ...templateWarnings(object, old, ['spec', 'jobTemplate', 'spec', 'template']),
  ],
  defaults(object) {
    const spec = specOf(object);
    setDefault(spec, 'concurrencyPolicy', 'Allow');
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    const job = ensureObject(ensureObject(spec, 'jobTemplate'), 'spec');
    defaultPodTemplate(job);
  },
  validateCreate(object) {
    // Eleven characters are for the time at the end of the names of its jobs.
    const name = asString(asObject(object.metadata).name);
    return name.length > 52 ? [invalid('metadata.name', name, 'must be no more than 52 characters')] : [];
  },
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    const template = asObject(spec.jobTemplate);
    const field = 'spec.jobTemplate';
    errors.push(...validateSchedule(asString(spec.schedule), 'spec.schedule'));
    errors.push(...validateNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'));
    errors.push(...validateTimeZone(spec.timeZone, 'spec.timeZone'));
    if (!CONCURRENCY.includes(asString(spec.concurrencyPolicy))) {
      errors.push(notSupported('spec.concurrencyPolicy', spec.concurrencyPolicy, CONCURRENCY));
    }
    const job = asObject(template.spec);
    if (job.selector !== undefined) {
      errors.push(invalid(`${field}.spec.selector`, job.selector, '`selector` will be auto-generated'));
    }
    if (job.manualSelector === true) {
      errors.push(notSupported(`${field}.spec.manualSelector`, true, ['nil', 'false']));
    }
    errors.push(...validateJobSpec(job, `${field}.spec`, { hasSelector: false }));
    for (const limit of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']) {
      errors.push(...validateNonNegative(spec[limit], `spec.${limit}`));
    }
    return errors;
  },
};
