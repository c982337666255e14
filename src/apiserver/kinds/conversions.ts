import type { ResourceDescription } from '../../api/type-schema.ts';
import type { Conversion } from '../served-resource.ts';

/** Where objects of the resource are kept: all versions of a resource, and both groups of events, share a table. */
export function storageTable({ group, plural }: Pick<ResourceDescription, 'group' | 'plural'>): string {
  if (group === 'events.k8s.io') return plural;
  return group === '' ? plural : `${plural}.${group}`;
}

/** Set for versions whose shape differs from the stored one. */
export function conversionOf(
  _resource: Pick<ResourceDescription, 'group' | 'version' | 'plural'>,
): Conversion | undefined {
  return undefined;
}
