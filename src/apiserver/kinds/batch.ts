import { type FieldError, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asObject, asString, ensureObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { setDefault, specOf } from './defaulting.ts';
import { nameWarnings } from './name-warnings.ts';
import { defaultPodTemplate } from './pod-spec.ts';
import { validatePodSpec } from './pod-validation.ts';
import { nonNegative, validateTemplate } from './workloads.ts';

const MAX_INT32 = 2 ** 31 - 1;
const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];
const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
const JOB_RESTARTS = ['OnFailure', 'Never'];

function defaultJobSpec(spec: JsonObject): void {
  if (spec.parallelism === undefined && spec.completions === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32;
  setDefault(spec, 'completionMode', 'NonIndexed');
  spec.suspend ??= false;
  setDefault(spec, 'podReplacementPolicy', spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed');
  spec.manualSelector ??= false;
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
  warnings: (object, old) => nameWarnings(object, old),
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
    const errors = ['parallelism', 'completions', 'backoffLimit'].flatMap((field) => nonNegative(spec, field));
    errors.push(...validateTemplate(spec, JOB_RESTARTS));
    const policy = asString(asObject(asObject(spec.template).spec).restartPolicy);
    if (policy !== 'Always') return errors;
    const detail = 'Required value: valid values: "OnFailure", "Never"';
    const others = errors.filter((error) => error.field !== 'spec.template.spec.restartPolicy');
    return [...others, { reason: 'FieldValueRequired', field: 'spec.template.spec.restartPolicy', message: detail }];
  },
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
const CRON_MACROS = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/;

export const cronJobStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => nameWarnings(object, old),
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
    const schedule = asString(spec.schedule);
    if (schedule === '') errors.push(required('spec.schedule'));
    else if (!CRON_MACROS.test(schedule) && schedule.trim().split(/\s+/).length !== 5) {
      const count = schedule.trim().split(/\s+/).length;
      errors.push(invalid('spec.schedule', schedule, `expected exactly 5 fields, found ${count}: [${schedule}]`));
    }
    if (!CONCURRENCY.includes(asString(spec.concurrencyPolicy))) {
      errors.push(notSupported('spec.concurrencyPolicy', spec.concurrencyPolicy, CONCURRENCY));
    }
    const pod = asObject(asObject(asObject(asObject(spec.jobTemplate).spec).template).spec);
    errors.push(...validatePodSpec(pod, 'spec.jobTemplate.spec.template.spec'));
    if (asString(pod.restartPolicy) === 'Always') {
      errors.push({
        reason: 'FieldValueRequired',
        field: 'spec.jobTemplate.spec.template.spec.restartPolicy',
        message: 'Required value: valid values: "OnFailure", "Never"',
      });
    }
    return errors;
  },
};
