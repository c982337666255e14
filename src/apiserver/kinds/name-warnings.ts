import { asString, type JsonObject } from '../values/json.ts';
import { dnsLabel } from '../values/name-rules.ts';
import { metadataOf } from '../values/object-meta.ts';

/** What a new pod, or what makes pods, is told of a name that cannot be the name of a host. */
export function nameWarnings(
  object: JsonObject,
  old: JsonObject | undefined,
  use = 'Pod names and hostnames',
): string[] {
  const problems = old ? [] : dnsLabel(asString(metadataOf(object).name), false);
  if (problems.length === 0) return [];
  const why = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${use}, ${why}: [${problems.join(' ')}]`];
}
