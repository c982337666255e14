import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource, type Resource } from '../api/resource.ts';
import type { ResourceDescription, SubresourceDescription } from '../api/type-schema.ts';
import { resourceVersions } from './tables/resources.ts';

/*
 * The table holds a block for each group and version: `group version groupAccessor package`, then a line a resource:
 * `plural;singular;Kind;accessor;flags;verbs;shortNames;categories;selectableFields;subresources`, lists with commas.
 * - flags: `n` namespaced, `o` opt-in.
 * - subresources, with spaces between: `name:group/version:Kind:verbs`, the second empty when it is the resource's own.
 */

interface Expanded {
  readonly descriptions: readonly ResourceDescription[];
  /** In the same order. */
  readonly tokens: readonly Resource[];
}

let expanded: Expanded | undefined;

function expand(): Expanded {
  if (expanded) return expanded;
  const descriptions = resourceVersions.flatMap(([head, lines]) =>
    lines.split('\n').map((line) => parseResource(head, line)),
  );
  expanded = { descriptions, tokens: descriptions.map((description) => defineResource(description)) };
  return expanded;
}

/** In the order of a server's discovery: groups by priority, of each group the preferred version first. */
export function builtinResources(): readonly ResourceDescription[] {
  return expand().descriptions;
}

export function findBuiltin(group: string, version: string, plural: string): ResourceDescription | undefined {
  return expand().descriptions[indexOf(group, version, plural)];
}

/** The token that `tidewatch/api/<group>/<version>` exports: the same object for each call. */
export function builtinToken(group: string, version: string, plural: string): Resource | undefined {
  return expand().tokens[indexOf(group, version, plural)];
}

/** As `builtinToken`, for a resource that is in the table. */
export function builtin<T extends KubernetesObject>(group: string, version: string, plural: string): Resource<T> {
  const token = builtinToken(group, version, plural);
  if (token === undefined) throw new Error(`${plural}.${version}.${group} is not in the table of built-in resources`);
  return token as Resource<T>;
}

function indexOf(group: string, version: string, plural: string): number {
  return expand().descriptions.findIndex(
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
