import type { Cached } from '../api/cached.ts';
import { FieldSelector } from '../api/field-selector.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { plainCached } from '../api/plain-cached.ts';
import type { Resource } from '../api/resource.ts';
import { fieldText, readFieldText, resolveField, type SelectableResource } from '../api/selectable-fields.ts';
import { SelectorError } from '../api/selector-error.ts';
import { didYouMean } from '../api/suggestion.ts';
import { findBuiltin } from '../generated/resources.ts';
import { parseIndexPath, pathReader } from '../store/index-path.ts';
import type { InformerOrigin } from './informer-origin.ts';

const ANY = { group: '*', plural: '*' };

/**
 * Whether a selector selects an object, by the rules of the server: what it accepts of a kind, and what it reads where a field
 * is absent. Throws `SelectorError` for a field that the server does not know of a built-in kind. Which fields a custom
 * resource has for selectors is written in its definition, which is not known here: they may be any path. Throws it too for a
 * field that the cache leaves out, by which nothing could be selected.
 */
export function fieldSelection<T extends KubernetesObject>(
  selector: FieldSelector,
  resource: Resource | undefined,
  whyNotHeld: (path: string) => string | undefined = () => undefined,
): (object: Cached<T>) => boolean {
  const builtin = resource && findBuiltin(resource.group, resource.version, resource.plural);
  const resolved = builtin ? selector.mapFields((field) => knownField(builtin, field)) : selector;
  for (const { field } of resolved.requirements) mustBeHeld(builtin ?? ANY, field, whyNotHeld);
  const readers = new Map(resolved.requirements.map(({ field }) => [field, fieldReader<T>(builtin ?? ANY, field)]));
  return (object) => resolved.matches((field) => readers.get(field)?.(object) ?? '');
}

/** As the server resolves it; its refusal, with the field that was likely meant. */
function knownField(resource: SelectableResource, field: string): string {
  try {
    return resolveField(resource, field);
  } catch (error) {
    const hint = didYouMean(field, ['metadata.name', 'metadata.namespace', ...resource.selectableFields]);
    if (!(error instanceof SelectorError) || hint === undefined) throw error;
    throw new SelectorError(`${error.message}; ${hint}`, { cause: error });
  }
}

function mustBeHeld(
  resource: Pick<Resource, 'group' | 'plural'>,
  field: string,
  whyNotHeld: (path: string) => string | undefined,
): void {
  for (const path of fieldText(resource, field).paths) {
    const reason = whyNotHeld(path);
    if (reason === undefined) continue;
    throw new SelectorError(
      `cannot select by ${field}: the cache ${reason}. Keep ${path} in the cache, or let the server select, by tweakListOptions`,
    );
  }
}

function fieldReader<T extends KubernetesObject>(
  resource: Pick<Resource, 'group' | 'plural'>,
  field: string,
): (object: Cached<T>) => string {
  const text = fieldText(resource, field);
  const readers = new Map(text.paths.map((path) => [path, pathReader<T>(parseIndexPath('fieldSelector', path))]));
  return (object) =>
    readFieldText(text, (path) => {
      const found = readers.get(path)?.(object) ?? [];
      return typeof found === 'string' ? [found] : found;
    });
}

/**
 * Whether the selectors that an informer lists and watches with select an object. True where that cannot be known: functions of the
 * user's own decide what they list, and a selector that cannot be read shows as a failed list.
 */
export function originSelection<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
): (object: KubernetesObject) => boolean {
  if ('listWatch' in origin || origin.tweakListOptions === undefined) return () => true;
  const { resource, tweakListOptions } = origin;
  return (object) => {
    try {
      const options: ListOptions = {};
      tweakListOptions(options, resource);
      const { labelSelector, fieldSelector } = options;
      const labels = LabelSelector.parse(labelSelector ?? '');
      if (!labels.matches(object.metadata?.labels ?? {})) return false;
      return !fieldSelector || fieldSelection(FieldSelector.parse(fieldSelector), resource)(plainCached(object));
    } catch {
      return true;
    }
  };
}
