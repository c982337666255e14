import { asArray, asString, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';

/** What the protection admission plugin does, which is on by default. */
export function protect(object: JsonObject, finalizer: string): void {
  const metadata = metadataOf(object);
  const present = asArray(metadata.finalizers).map(asString);
  metadata.finalizers = present.includes(finalizer) ? present : [...present, finalizer];
}
