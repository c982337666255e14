import { specOf } from '../kinds/defaulting.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Store, Table } from '../storage/storage.ts';
import { asObject, asString, type JsonObject } from '../values/json.ts';
import { parseAmount, ZERO } from '../values/resource-amounts.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { refusal } from './refusal.ts';

/** A claim grows only if it is bound and its class allows that. */
export class ClaimResizeAdmission implements AdmissionPlugin {
  readonly #classes: Table;

  constructor(store: Store) {
    this.#classes = store.table('storageclasses.storage.k8s.io');
  }

  isActive({ group, plural }: ServedResource): boolean {
    return plural === 'persistentvolumeclaims' && group === '';
  }

  validate(request: AdmissionRequest): void {
    const { operation, subresource, object, old } = request;
    if (operation !== 'UPDATE' || subresource !== '' || !object || !old) return;
    if (sizeOf(object) <= sizeOf(old)) return;
    if (asObject(old.status).phase !== 'Bound') {
      throw refusal(request, 'Only bound persistent volume claims can be expanded');
    }
    const name = asString(specOf(object).storageClassName);
    const found = name === asString(specOf(old).storageClassName) ? this.#classes.objects.get(name) : undefined;
    if (found?.decode().allowVolumeExpansion === true) return;
    const rule = 'the storageclass that provisions the pvc must support resize';
    throw refusal(request, `only dynamically provisioned pvc can be resized and ${rule}`);
  }
}

function sizeOf(claim: JsonObject): bigint {
  const { requests } = asObject(specOf(claim).resources);
  return (parseAmount(asObject(requests).storage) ?? ZERO).nanos;
}
