import { definitionStrategy } from '../crd/definition-strategy.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, ensureObject, type JsonObject } from '../values/json.ts';
import { finalizersOf, metadataOf, timestamp } from '../values/object-meta.ts';

/** Keeps a definition until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** Replaces or adds a condition of a definition. */
export function setDefinitionCondition(crd: JsonObject, condition: JsonObject): void {
  const status = ensureObject(crd, 'status');
  const others = asArray(status.conditions).filter((item) => asObject(item).type !== condition.type);
  status.conditions = [...others, condition];
}

export const customResourceDefinitionStrategy: Strategy = {
  ...definitionStrategy,

  /** The first deletion only announces itself; the definition goes when its last object has. */
  beginDelete(crd, _options, context) {
    const metadata = metadataOf(crd);
    if (metadata.deletionTimestamp !== undefined) return undefined;
    metadata.deletionTimestamp = timestamp(context.nowMs);
    const finalizers = finalizersOf(crd);
    if (!finalizers.includes(CLEANUP_FINALIZER)) metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
    setDefinitionCondition(crd, {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: timestamp(context.nowMs),
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    });
    return crd;
  },
};
