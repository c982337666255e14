import { isImmortalNamespace } from '../handlers/namespace-lifecycle.ts';
import { forbiddenResource } from '../request/status-error.ts';
import { keepField } from '../storage/object-writer.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, ensureObject, getPath, type JsonObject } from '../values/json.ts';
import { FOREGROUND_FINALIZER, finalizersOf, metadataOf, ORPHAN_FINALIZER, timestamp } from '../values/object-meta.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

function specFinalizers(object: JsonObject): string[] {
  return asArray(getPath(object, 'spec', 'finalizers')).map(asString);
}

/** Namespaces carry a second list of finalizers in their spec, and leave in two steps: Terminating, then gone. */
export const namespaceStrategy: Strategy = {
  returnDeletedObject: true,

  defaults(object) {
    const metadata = ensureObject(object, 'metadata');
    const name = asString(metadata.name);
    if (name !== '') metadata.labels = { ...asObject(metadata.labels), [NAME_LABEL]: name };
  },

  prepareForCreate(object) {
    const finalizers = specFinalizers(object);
    if (!finalizers.includes('kubernetes')) finalizers.push('kubernetes');
    object.spec = { finalizers };
    object.status = { phase: 'Active' };
  },

  canonicalize(object) {
    const metadata = metadataOf(object);
    metadata.labels = { ...asObject(metadata.labels), [NAME_LABEL]: asString(metadata.name) };
  },

  prepareForUpdate(object, old, context) {
    if (context.subresource !== 'finalize') keepField(object, old, 'spec');
  },

  checkDelete(object) {
    const name = asString(metadataOf(object).name);
    if (isImmortalNamespace(name)) {
      throw forbiddenResource({ group: '', plural: 'namespaces' }, name, 'this namespace may not be deleted');
    }
  },

  beginDelete(object, options, context) {
    const metadata = metadataOf(object);
    if (metadata.deletionTimestamp !== undefined) return undefined;
    metadata.deletionTimestamp = timestamp(context.nowMs);
    ensureObject(object, 'status').phase = 'Terminating';
    const finalizers = new Set(finalizersOf(object));
    const wanted = (name: string, policy: string, legacy: boolean) => {
      if (options.orphanDependents !== undefined) return options.orphanDependents === legacy;
      if (options.propagationPolicy !== undefined) return options.propagationPolicy === policy;
      return finalizers.has(name);
    };
    for (const [name, policy, legacy] of [
      [ORPHAN_FINALIZER, 'Orphan', true],
      [FOREGROUND_FINALIZER, 'Foreground', false],
    ] as const) {
      if (wanted(name, policy, legacy)) finalizers.add(name);
      else finalizers.delete(name);
    }
    if (finalizers.size > 0) metadata.finalizers = [...finalizers];
    else delete metadata.finalizers;
    return object;
  },

  holdsDelete: (object) => specFinalizers(object).length > 0,
  mayDeleteDuringUpdate: (object) => specFinalizers(object).length === 0,
};
