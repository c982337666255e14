import type { FieldError } from '../request/field-error.ts';
import { invalid, invalidWithoutValue, required } from '../request/field-error.ts';
import { asObject, asString, type JsonObject, jsonEqual } from '../values/json.ts';
import { items, specOf } from './defaulting.ts';
import { validateNonNegative } from './number-rules.ts';

const CONDITIONS = 'status.conditions';

/** What of a job's status the rules go by. */
class JobState {
  readonly status: JsonObject;
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly successCriteriaMet: boolean;

  constructor(job: JsonObject) {
    this.status = asObject(job.status);
    const isTrue = (type: string) =>
      items(this.status.conditions).some((condition) => condition.type === type && condition.status === 'True');
    this.complete = isTrue('Complete');
    this.failed = isTrue('Failed');
    this.failureTarget = isTrue('FailureTarget');
    this.successCriteriaMet = isTrue('SuccessCriteriaMet');
  }

  get finished(): boolean {
    return this.complete || this.failed;
  }

  count(field: string): number {
    return Number(this.status[field] ?? 0);
  }

  time(field: string): string {
    return asString(this.status[field]);
  }
}

/** A rule looks at what has changed only: what was wrong before does not stop other writes. */
export function validateJobStatus(job: JsonObject, old: JsonObject): FieldError[] {
  const [now, before] = [new JobState(job), new JobState(old)];
  return [...validateState(job, now, before), ...validateTransition(job, now, before, old)];
}

function validateState(job: JsonObject, now: JobState, before: JobState): FieldError[] {
  const errors = ['active', 'succeeded', 'failed', 'ready', 'terminating'].flatMap((field) =>
    validateNonNegative(now.status[field], `status.${field}`),
  );
  const aboutConditions = (text: string) => errors.push(invalidWithoutValue(CONDITIONS, text));
  const isNew = (...fields: ('complete' | 'failed' | 'failureTarget' | 'finished' | 'successCriteriaMet')[]) =>
    fields.some((field) => now[field] !== before[field]);
  const isOther = (...fields: string[]) => fields.some((field) => !jsonEqual(now.status[field], before.status[field]));
  const [started, completed] = [now.time('startTime'), now.time('completionTime')];
  if (isNew('complete', 'failed') && now.complete && now.failed) {
    aboutConditions('cannot set Complete=True and Failed=true conditions');
  }
  if (isNew('complete', 'failureTarget') && now.complete && now.failureTarget) {
    aboutConditions('cannot set Complete=True and FailureTarget=true conditions');
  }
  if (isNew('complete') || isOther('completionTime')) {
    const field = 'status.completionTime';
    if (completed !== '' && !now.complete) {
      errors.push(invalid(field, completed, 'cannot set completionTime when there is no Complete=True condition'));
    }
    if (completed === '' && now.complete) errors.push(required(field, 'completionTime is required for Complete jobs'));
  }
  if (isOther('startTime', 'completionTime') && started !== '' && completed !== '' && completed < started) {
    errors.push(invalid('status.completionTime', completed, 'must be equal to or after `startTime`'));
  }
  if ((isNew('failed') || isOther('failedIndexes')) && now.failed && !now.failureTarget) {
    aboutConditions('cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if (isNew('complete', 'successCriteriaMet') && now.complete && !now.successCriteriaMet) {
    aboutConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
  if ((isNew('finished') || isOther('active')) && now.finished && now.count('active') > 0) {
    errors.push(invalid('status.active', now.count('active'), 'active>0 is invalid for finished job'));
  }
  const { suspend, completions, completionMode } = specOf(job);
  const isEmpty = suspend === true && completions === 0;
  if ((isNew('finished') || isOther('startTime')) && now.finished && started === '' && !isEmpty) {
    errors.push(required('status.startTime', 'startTime is required for finished job'));
  }
  const indexes = now.status.completedIndexes;
  if (isOther('completedIndexes') && asString(indexes) !== '' && completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalid('status.completedIndexes', indexes, detail));
  }
  if ((isNew('finished') || isOther('terminating')) && now.finished && now.count('terminating') > 0) {
    errors.push(invalid('status.terminating', now.count('terminating'), 'terminating>0 is invalid for finished job'));
  }
  if (isOther('ready', 'active') && now.count('ready') > now.count('active')) {
    errors.push(invalid('status.ready', now.count('ready'), 'cannot set more ready pods than active'));
  }
  if (now.successCriteriaMet && now.failed) {
    aboutConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  }
  if (now.successCriteriaMet && now.failureTarget) {
    aboutConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  return errors;
}

function validateTransition(job: JsonObject, now: JobState, before: JobState, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const aboutConditions = (text: string) => errors.push(invalidWithoutValue(CONDITIONS, text));
  for (const [type, had, has] of [
    ['Failed', before.failed, now.failed],
    ['Complete', before.complete, now.complete],
    ['FailureTarget', before.failureTarget, now.failureTarget],
  ] as const) {
    if (had && !has) aboutConditions(`cannot disable the terminal ${type}=True condition`);
  }
  const { completionMode, completions, parallelism, suspend } = specOf(job);
  for (const field of ['failed', 'succeeded']) {
    // An indexed job whose parallelism follows its completions may be made smaller.
    if (field === 'succeeded' && completionMode === 'Indexed' && completions === parallelism) continue;
    if (now.count(field) >= before.count(field)) continue;
    errors.push(invalid(`status.${field}`, now.count(field), `cannot decrease the ${field} counter`));
  }
  const [completed, wasCompleted] = [now.time('completionTime'), before.time('completionTime')];
  if (completed !== '' && wasCompleted !== '' && completed !== wasCompleted) {
    errors.push(invalid('status.completionTime', completed, 'field is immutable'));
  }
  const [started, wasStarted] = [now.time('startTime'), before.time('startTime')];
  if (wasStarted !== '' && started !== wasStarted && suspend !== true && !isResumed(job, old)) {
    const detail = 'field is immutable for unsuspended job once set';
    errors.push(invalid('status.startTime', started === '' ? null : started, detail));
  }
  if (before.successCriteriaMet && !now.successCriteriaMet) {
    aboutConditions('cannot disable the SuccessCriteriaMet=True condition');
  }
  if (before.complete && !before.successCriteriaMet && now.successCriteriaMet) {
    aboutConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
  return errors;
}

function isResumed(job: JsonObject, old: JsonObject): boolean {
  const suspended = (object: JsonObject) =>
    items(asObject(object.status).conditions).find(({ type }) => type === 'Suspended')?.status;
  return suspended(old) === 'True' && suspended(job) === 'False';
}
