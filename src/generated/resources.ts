import type { ResourceDescription, SubresourceDescription } from '../api/type-schema.ts';
import { resourceVersions } from './tables/resources.ts';

/*
 * The table holds a block for each group and version: `group version groupAccessor package`, then a line a resource:
 * `plural;singular;Kind;accessor;flags;verbs;shortNames;categories;selectableFields;subresources`, lists with commas.
 * - flags: `n` namespaced, `o` opt-in.
 * - subresources, with spaces between: `name:group/version:Kind:verbs`, the second empty when it is the resource's own.
 */

let expanded: readonly ResourceDescription[] | undefined;

/** In the order of a server's discovery: groups by priority, of each group the preferred version first. */
export function builtinResources(): readonly ResourceDescription[] {
  expanded ??= resourceVersions.flatMap(([head, lines]) => lines.split('\n').map((line) => parseResource(head, line)));
  return expanded;
}

export function findBuiltin(group: string, version: string, plural: string): ResourceDescription | undefined {
  return builtinResources().find(
    (resource) => resource.plural === plural && resource.group === group && resource.version === version,
  );
}

function parseResource(head: string, line: string): ResourceDescription {
  const [group = '', version = '', groupAccessor = '', schemaPackage = ''] = head.split(' ');
  const [plural = '', singular = '', kind = '', accessor = '', flags = '', ...lists] = line.split(';');
  const [verbs = '', shortNames = '', categories = '', selectableFields = '', subresources = ''] = lists;
  return {
    group,
    version,
    plural,
    singular,
    kind,
    namespaced: flags.includes('n'),
    shortNames: parseList(shortNames),
    categories: parseList(categories),
    verbs: parseList(verbs),
    subresources:
      subresources === '' ? [] : subresources.split(' ').map((text) => parseSubresource(text, group, version)),
    schema: `${schemaPackage}.${kind}`,
    groupAccessor,
    accessor,
    selectableFields: parseList(selectableFields),
    ...(flags.includes('o') ? { optIn: true } : {}),
  };
}

function parseSubresource(text: string, group: string, version: string): SubresourceDescription {
  const [name = '', foreign = '', kind = '', verbs = ''] = text.split(':');
  const slash = foreign.indexOf('/');
  const other = slash >= 0;
  return {
    name,
    group: other ? foreign.slice(0, slash) : group,
    version: other ? foreign.slice(slash + 1) : version,
    kind,
    verbs: parseList(verbs),
  };
}

function parseList(text: string): string[] {
  return text === '' ? [] : text.split(',');
}
