import { shown } from './option-check.ts';
import type { Resource } from './resource.ts';

/** Throws a `TypeError` that says what is wanted. */
export function mustBeResource(where: string, resource: Resource): void {
  const given: unknown = resource;
  if (typeof given === 'object' && given !== null) {
    const { group, version, plural } = given as Partial<Resource>;
    if ([group, version, plural].every((text) => typeof text === 'string')) return;
  }
  throw new TypeError(
    `${where} needs the token of a resource, and got ${given === undefined ? 'nothing' : shown(given)}: ` +
      "import { pods } from 'tidewatch/api/core/v1', make one with defineResource, or find one: await cluster.discovery.find('pods')",
  );
}
