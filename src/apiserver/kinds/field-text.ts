import { fieldText, readFieldText } from '../../api/selectable-fields.ts';
import type { SelectableField } from '../storage/storage.ts';
import type { JsonObject, JsonValue } from '../values/json.ts';

export function selectableField(plural: string, group: string, name: string): SelectableField {
  const text = fieldText({ plural, group }, name);
  return { name, read: (object) => readFieldText(text, (path) => textsAt(object, storedPath(group, path))) };
}

/** Objects are read as they are stored: how the stored event names what events.k8s.io calls otherwise. */
function storedPath(group: string, path: string): string[] {
  if (group !== 'events.k8s.io') return path.split('.');
  if (path === 'reportingController') return ['reportingComponent'];
  return path.replace(/^regarding\./, 'involvedObject.').split('.');
}

function textsAt(value: JsonValue | undefined, [first, ...rest]: readonly string[]): string[] {
  if (value === undefined || value === null) return [];
  if (first === undefined) return typeof value === 'object' ? [] : [String(value)];
  if (typeof value !== 'object') return [];
  if (Array.isArray(value)) return first === '*' ? value.flatMap((element) => textsAt(element, rest)) : [];
  return Object.hasOwn(value, first) ? textsAt((value as JsonObject)[first], rest) : [];
}
