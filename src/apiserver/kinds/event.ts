import { type FieldError, invalid, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asObject, asString, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { qualifiedNameProblems } from '../values/name-rules.ts';
import { metadataOf } from '../values/object-meta.ts';

export const EVENT_LIFETIME_MS = 60 * 60_000;

const MAX_TEXT_BYTES = 128;
const MAX_MESSAGE_BYTES = 1024;

/** Events are stored in the core version, and refusals name its fields; only the reporter goes by the name that was used. */
type ReporterField = 'reportingComponent' | 'reportingController';

/** What an event of either version must be. One that has an `eventTime` is of the newer kind, with more to say. */
function validateEvent(event: JsonObject, reporterField: ReporterField): FieldError[] {
  const own = asString(metadataOf(event).namespace);
  const involved = asString(asObject(event.involvedObject).namespace);
  const mismatch = invalid('involvedObject.namespace', involved, 'does not match event.namespace');
  if (!hasTime(event.eventTime)) {
    // The event of something without a namespace is in `default`.
    const matches = involved === '' ? own === 'default' : own === involved;
    return matches ? [] : [mismatch];
  }
  const errors: FieldError[] = [];
  if (involved === '' && own !== 'default' && own !== 'kube-system') errors.push(mismatch);
  const reporter = asString(event.reportingComponent);
  if (reporter === '') errors.push(required(reporterField));
  for (const problem of qualifiedNameProblems(reporter)) errors.push(invalid(reporterField, reporter, problem));
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const text = asString(event[field]);
    if (text === '') errors.push(required(field));
    errors.push(...atMost(field, text, MAX_TEXT_BYTES));
  }
  errors.push(...atMost('message', asString(event.message), MAX_MESSAGE_BYTES));
  return errors;
}

function atMost(field: string, text: string, bytes: number): FieldError[] {
  return Buffer.byteLength(text) > bytes ? [invalid(field, '', `can have at most ${bytes} characters`)] : [];
}

function hasTime(value: JsonValue | undefined): boolean {
  return asString(value) !== '';
}

function validateSeries(event: JsonObject): FieldError[] {
  if (event.series === undefined || event.series === null) return [];
  const { count, lastObservedTime } = asObject(event.series);
  const errors: FieldError[] = [];
  if (Number(count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (!hasTime(lastObservedTime)) errors.push(required('series.lastObservedTime'));
  return errors;
}

/** What may be created through events.k8s.io/v1 only. */
function validateNewEvent(event: JsonObject): FieldError[] {
  const errors = validateSeries(event);
  const type = asString(event.type);
  const { component, host } = asObject(event.source);
  if (!hasTime(event.eventTime)) errors.push(required('eventTime'));
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  const unset = (field: string) => errors.push(invalid(field, '', 'needs to be unset'));
  if (hasTime(event.firstTimestamp)) unset('firstTimestamp');
  if (hasTime(event.lastTimestamp)) unset('lastTimestamp');
  if (Number(event.count ?? 0) !== 0) unset('count');
  if (asString(component) !== '' || asString(host) !== '') unset('source');
  return errors;
}

type Show = (value: JsonValue | undefined) => JsonValue;

const text: Show = (value) => asString(value);
const orNull: Show = (value) => value ?? null;
/** As Go shows a struct that JSON does not know. */
const struct =
  (names: Readonly<Record<string, string>>): Show =>
  (value) => {
    const object = asObject(value);
    return Object.fromEntries(Object.entries(names).map(([name, field]) => [name, asString(object[field])]));
  };
const reference = struct({
  Kind: 'kind',
  Namespace: 'namespace',
  Name: 'name',
  UID: 'uid',
  APIVersion: 'apiVersion',
  ResourceVersion: 'resourceVersion',
  FieldPath: 'fieldPath',
});

/** What an update through events.k8s.io/v1 must leave alone, in the order of the real server, which counts one twice. */
const FIXED: readonly (readonly [field: string, stored: string, show: Show])[] = [
  ['involvedObject', 'involvedObject', reference],
  ['reason', 'reason', text],
  ['message', 'message', text],
  ['source', 'source', struct({ Component: 'component', Host: 'host' })],
  ['firstTimestamp', 'firstTimestamp', orNull],
  ['lastTimestamp', 'lastTimestamp', orNull],
  ['count', 'count', (value) => value ?? 0],
  ['reason', 'reason', text],
  ['type', 'type', text],
  ['eventTime', 'eventTime', orNull],
  ['action', 'action', text],
  ['related', 'related', (value) => (value === undefined || value === null ? null : reference(value))],
  ['reportingController', 'reportingComponent', text],
  ['reportingInstance', 'reportingInstance', text],
];

function validateFixed(event: JsonObject, old: JsonObject): FieldError[] {
  return FIXED.flatMap(([field, stored, show]) => {
    const now = show(event[stored]);
    return jsonEqual(now, show(old[stored])) ? [] : [invalid(field, now, 'field is immutable')];
  });
}

export const eventStrategy: Strategy = {
  createOnUpdate: true,
  garbageCollection: 'unsupported',
  uncached: true,
  validate: (event) => validateEvent(event, 'reportingComponent'),
};

/** For events.k8s.io/v1, which is stricter. */
export const eventsV1Strategy: Strategy = {
  ...eventStrategy,
  errorGroup: '',
  validate: (event) => validateEvent(event, 'reportingController'),
  validateCreate: validateNewEvent,
  validateUpdate: (event, old) => [
    ...(jsonEqual(event.series ?? null, old.series ?? null) ? [] : validateSeries(event)),
    ...validateFixed(event, old),
  ],
};
