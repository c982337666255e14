import { SelectorError } from './selector-error.ts';

/** A resource as field selectors see it. */
export interface SelectableResource {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** What its selectors may name beside metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  /** From a CustomResourceDefinition. */
  readonly isCustom?: boolean;
}

/** How the text of a selectable field is read from an object of the API version that the resource has. */
export interface FieldText {
  /** The first that leads to a text counts; `*` is every element of a list. */
  readonly paths: readonly string[];
  /** The text when none does. */
  readonly absent: string;
  /** All that a path leads to counts, with commas between. Default: the first. */
  readonly isJoined?: true;
}

/** Fields whose text is not simply the value at their path. Keys are `plural.group field`. */
const TEXTS: ReadonlyMap<string, FieldText> = new Map<string, FieldText>([
  ['pods. spec.hostNetwork', { paths: ['spec.hostNetwork'], absent: 'false' }],
  ['pods. status.podIP', { paths: ['status.podIPs.*.ip', 'status.podIP'], absent: '' }],
  ['pods. status.podIPs', { paths: ['status.podIPs.*.ip'], absent: '', isJoined: true }],
  ['nodes. spec.unschedulable', { paths: ['spec.unschedulable'], absent: 'false' }],
  ['replicationcontrollers. status.replicas', { paths: ['status.replicas'], absent: '0' }],
  ['jobs.batch status.successful', { paths: ['status.succeeded'], absent: '0' }],
  ['events. source', { paths: ['source.component', 'reportingComponent'], absent: '' }],
]);

/** Names that older clients use. */
const ALIASES: ReadonlyMap<string, string> = new Map([['pods. spec.host', 'spec.nodeName']]);

type Named = Pick<SelectableResource, 'group' | 'plural'>;

export function fieldText(resource: Named, field: string): FieldText {
  return TEXTS.get(keyOf(resource, field)) ?? { paths: [field], absent: '' };
}

/** `read` gives the texts that a path leads to. */
export function readFieldText(
  { paths, absent, isJoined }: FieldText,
  read: (path: string) => readonly string[],
): string {
  for (const path of paths) {
    const texts = read(path);
    const text = isJoined ? texts.join(',') : texts.find((each) => each !== '');
    if (text) return text;
  }
  return absent;
}

/** The name that the server knows a field of a selector by. Throws `SelectorError` in its words when it knows none. */
export function resolveField(resource: SelectableResource, field: string): string {
  const name = ALIASES.get(keyOf(resource, field)) ?? field;
  if (name === 'metadata.name' || resource.selectableFields.includes(name)) return name;
  if (name === 'metadata.namespace' && knowsNamespace(resource)) return name;
  throw new SelectorError(unsupported(resource, field));
}

/** Kinds without fields of their own share a rule that does not look at their scope. */
function knowsNamespace({ namespaced, isCustom, selectableFields }: SelectableResource): boolean {
  return namespaced || isCustom === true || selectableFields.length === 0;
}

function unsupported({ group, plural, kind, isCustom, selectableFields }: SelectableResource, field: string): string {
  if (plural === 'jobs' && group === 'batch') return `field label ${JSON.stringify(field)} not supported for ${kind}`;
  if (selectableFields.length === 0 && !isCustom) {
    return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  return `field label not supported: ${field}`;
}

function keyOf({ group, plural }: Named, field: string): string {
  return `${plural}.${group} ${field}`;
}
