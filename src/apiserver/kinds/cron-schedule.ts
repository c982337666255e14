import { type FieldError, invalid, required } from '../request/field-error.ts';
import type { JsonValue } from '../values/json.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** The first stands for `min`. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTOR = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/;
const EVERY = /^@every [+-]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/;

/** The schedule of a CronJob, judged in the words of the library that the real server reads it with. */
export function validateSchedule(schedule: string, field: string): FieldError[] {
  if (schedule === '') return [required(field)];
  const errors: FieldError[] = [];
  const problem = scheduleProblem(schedule.replace(/^(?:CRON_)?TZ=\S* +/, ''));
  if (problem !== undefined) errors.push(invalid(field, schedule, problem));
  if (schedule.includes('TZ')) {
    errors.push(invalid(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  }
  return errors;
}

function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) {
    return DESCRIPTOR.test(schedule) || EVERY.test(schedule) ? undefined : `unrecognized descriptor: ${schedule}`;
  }
  const fields = schedule.split(/\s+/).filter((part) => part !== '');
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (fields[index] ?? '').split(',')) {
      const problem = range === '' ? undefined : rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function rangeProblem(range: string, bounds: Bounds): string | undefined {
  const [lowAndHigh = '', stepText, ...slashes] = range.split('/');
  const [low = '', high, ...hyphens] = lowAndHigh.split('-');
  const isAny = low === '*' || low === '?';
  const start = isAny ? bounds.min : numberOf(low, bounds);
  if (typeof start === 'string') return start;
  if (!isAny && hyphens.length > 0) return `too many hyphens: ${range}`;
  const named = isAny ? bounds.max : high === undefined ? start : numberOf(high, bounds);
  if (typeof named === 'string') return named;
  if (slashes.length > 0) return `too many slashes: ${range}`;
  const step = stepText === undefined ? 1 : numberOf(stepText, { min: 0, max: 0 });
  if (typeof step === 'string') return step;
  const end = stepText !== undefined && high === undefined ? bounds.max : named;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${range}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

/** What is wrong with it, when it is not a number. */
function numberOf(text: string, { min, names }: Bounds): number | string {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  if (index >= 0) return min + index;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}

export function validateTimeZone(value: JsonValue | undefined, field: string): FieldError[] {
  if (typeof value !== 'string') return [];
  if (value === '') return [invalid(field, value, 'timeZone must be nil or non-empty string')];
  const unknown = invalid(field, value, `unknown time zone ${value}`);
  const isOdd = (part: string) => /^\.{1,2}$|^-/.test(part) || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part);
  if (value.split('/').some(isOdd)) return [unknown];
  const errors: FieldError[] = [];
  if (value.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalid(field, value, detail));
  }
  return isKnownZone(value) ? errors : [...errors, unknown];
}

function isKnownZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
