import type { Conversion } from '../storage/served-resource.ts';
import type { JsonObject } from '../values/json.ts';

/** What events.k8s.io/v1 calls the fields of the core Event, which is what is stored. */
const NAMES: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];
const TO_STORAGE = new Map(NAMES);
const FROM_STORAGE = new Map(NAMES.map(([newer, core]) => [core, newer]));

function renamed(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [names.get(key) ?? key, value]));
}

export const eventsV1: Conversion = {
  toStorage(object) {
    const core = renamed(object, TO_STORAGE);
    return { ...core, involvedObject: core.involvedObject ?? {}, source: core.source ?? {} };
  },
  fromStorage: (object) => renamed(object, FROM_STORAGE),
};
