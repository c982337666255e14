import { forbiddenResource, type StatusError } from '../request/status-error.ts';
import { asString } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import type { AdmissionRequest } from './admission.ts';

/** The 403 of a plugin, as `admission.NewForbidden` words it: an object that is yet to get its name goes by its prefix. */
export function refusal(request: AdmissionRequest, why: string): StatusError {
  const { resource, object, old, name } = request;
  const metadata = metadataOf(object ?? old ?? {});
  const known = asString(metadata.name) || name || asString(metadata.generateName) || 'Unknown';
  return forbiddenResource(resource, known, why);
}
