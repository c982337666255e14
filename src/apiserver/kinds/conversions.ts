import type { ResourceDescription } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import type { Conversion } from '../storage/served-resource.ts';
import { readTyped } from '../values/typed-object.ts';
import { autoscalerV1 } from './autoscaler-conversion.ts';
import { eventsV1 } from './event-conversion.ts';

type Identity = Pick<ResourceDescription, 'group' | 'version' | 'plural'>;

/** Where objects of the resource are kept: all versions of a resource, and both groups of events, share a table. */
export function storageTable({ group, plural }: Omit<Identity, 'version'>): string {
  if (group === '' || group === 'events.k8s.io') return plural;
  return `${plural}.${group}`;
}

/** Set for versions whose shape differs from the stored one. */
export function conversionOf({ group, version, plural }: Identity): Conversion | undefined {
  if (group === 'events.k8s.io' && plural === 'events') {
    return typed(eventsV1, 'io.k8s.api.core.v1.Event', 'io.k8s.api.events.v1.Event');
  }
  if (group === 'autoscaling' && version === 'v1' && plural === 'horizontalpodautoscalers') {
    const kind = 'HorizontalPodAutoscaler';
    return typed(autoscalerV1, `io.k8s.api.autoscaling.v2.${kind}`, `io.k8s.api.autoscaling.v1.${kind}`);
  }
  return undefined;
}

/** What comes out of a conversion is written as Go writes the type. */
function typed(conversion: Conversion, storage: string, served: string): Conversion {
  const [inner, outer] = [typeSchema(storage), typeSchema(served)];
  if (!inner || !outer) throw new Error(`there is no type schema ${storage} or ${served}: generate the tables again`);
  return {
    toStorage: (object) => readTyped(inner, conversion.toStorage(object)).object,
    fromStorage: (object) => readTyped(outer, conversion.fromStorage(object)).object,
  };
}
