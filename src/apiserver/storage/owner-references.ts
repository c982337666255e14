import { asObject, asString, type JsonObject, jsonEqual } from '../values/json.ts';

/** An owner that is named twice with all the same fields is one owner. */
export function keepOwnersOnce(metadata: JsonObject, warn: (message: string) => void): void {
  const { ownerReferences } = metadata;
  if (!Array.isArray(ownerReferences) || ownerReferences.length < 2) return;
  const repeated = new Set<string>();
  const kept = ownerReferences.filter((reference, index) => {
    const isFirst = !ownerReferences.slice(0, index).some((other) => jsonEqual(other, reference));
    if (!isFirst) repeated.add(asString(asObject(reference).uid));
    return isFirst;
  });
  if (repeated.size === 0) return;
  metadata.ownerReferences = kept;
  const why = 'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24';
  warn(
    `.metadata.ownerReferences contains duplicate entries; ${why}; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  );
}
