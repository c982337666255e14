import { asArray, asObject, asString, getPath, type JsonObject, type JsonValue } from '../json.ts';
import type { SelectableField } from '../strategy.ts';

function text(value: JsonValue | undefined): string {
  if (value === undefined || value === null || typeof value === 'object') return '';
  return String(value);
}

const flag =
  (...path: string[]) =>
  (object: JsonObject) =>
    getPath(object, ...path) === true ? 'true' : 'false';
const count =
  (...path: string[]) =>
  (object: JsonObject) =>
    String(getPath(object, ...path) ?? 0);

/** Fields whose text is not simply the value at their path. Keys are `plural.group field`. */
const SPECIAL: Readonly<Record<string, (object: JsonObject) => string>> = {
  'pods. spec.hostNetwork': flag('spec', 'hostNetwork'),
  'pods. status.podIP': (object) => {
    const first = asObject(asArray(getPath(object, 'status', 'podIPs'))[0]);
    return asString(first.ip) || text(getPath(object, 'status', 'podIP'));
  },
  'pods. status.podIPs': (object) =>
    asArray(getPath(object, 'status', 'podIPs'))
      .map((item) => asString(asObject(item).ip))
      .join(','),
  'nodes. spec.unschedulable': flag('spec', 'unschedulable'),
  'replicationcontrollers. status.replicas': count('status', 'replicas'),
  'jobs.batch status.successful': count('status', 'succeeded'),
  'events. source': (object) => asString(getPath(object, 'source', 'component')) || asString(object.reportingComponent),
  'events. reportingComponent': (object) => asString(object.reportingComponent),
  'events.events.k8s.io reportingController': (object) => asString(object.reportingComponent),
};

/** How the stored event names what events.k8s.io calls `regarding`. */
function storedPath(group: string, field: string): string[] {
  if (group === 'events.k8s.io') return field.replace(/^regarding\./, 'involvedObject.').split('.');
  return field.split('.');
}

export function selectableField(plural: string, group: string, name: string): SelectableField {
  const special = SPECIAL[`${plural}.${group} ${name}`];
  const path = storedPath(group, name);
  return { name, read: special ?? ((object) => text(getPath(object, ...path))) };
}
