import { FieldSelector } from '../api/field-selector.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { plainCached } from '../api/plain-cached.ts';
import { fieldSelection } from './field-selection.ts';
import type { InformerOrigin } from './informer-origin.ts';

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
