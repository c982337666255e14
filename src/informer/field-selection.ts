import type { Cached } from '../api/cached.ts';
import type { FieldSelector } from '../api/field-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { fieldText, readFieldText, resolveField } from '../api/selectable-fields.ts';
import { findBuiltin } from '../generated/resources.ts';
import { parseIndexPath, pathReader } from '../store/index-path.ts';

/**
 * Whether a selector selects an object, by the rules of the server: what it accepts of a kind, and what it reads where a field
 * is absent. Throws `SelectorError` for a field that the server does not know of a built-in kind. Which fields a custom
 * resource has for selectors is written in its definition, which is not known here: they may be any path.
 */
export function fieldSelection<T extends KubernetesObject>(
  selector: FieldSelector,
  resource: Resource | undefined,
): (object: Cached<T>) => boolean {
  const builtin = resource && findBuiltin(resource.group, resource.version, resource.plural);
  const resolved = builtin ? selector.mapFields((field) => resolveField(builtin, field)) : selector;
  const readers = new Map(
    resolved.requirements.map(({ field }) => [field, fieldReader<T>(builtin ?? { group: '*', plural: '*' }, field)]),
  );
  return (object) => resolved.matches((field) => readers.get(field)?.(object) ?? '');
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
