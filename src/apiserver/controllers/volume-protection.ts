import type { Api } from '../api.ts';
import { ObjectWriter } from '../storage/object-writer.ts';
import type { Change } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asArray, asString, getPath, type JsonObject } from '../values/json.ts';
import { finalizersOf, metadataOf } from '../values/object-meta.ts';
import { WorkLoop } from './work-loop.ts';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';

/** Lets deleted claims go as soon as no pod uses them; the server itself puts the finalizer on every claim. */
export class VolumeProtection {
  readonly #api: Api;
  readonly #loop: WorkLoop;
  readonly #listener = (change: Change) => this.#observe(change);

  constructor(api: Api) {
    this.#api = api;
    this.#loop = new WorkLoop(api.logger);
    api.store.listeners.add(this.#listener);
  }

  stop(): void {
    this.#api.store.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  #observe({ table, previous, current }: Change): void {
    if (table.name === 'persistentvolumeclaims' && current?.metadataBytes().includes('deletionTimestamp')) {
      this.#later(current);
    } else if (table.name === 'pods' && previous) {
      const claims = this.#api.store.table('persistentvolumeclaims').objects;
      for (const name of claimsOf(previous.decode())) {
        const claim = claims.get(`${previous.namespace}/${name}`);
        if (claim) this.#later(claim);
      }
    }
  }

  #later(claim: StoredObject): void {
    this.#loop.add(claim.key, () => this.#release(claim.namespace, claim.name));
  }

  #release(namespace: string, name: string): void {
    const resource = this.#api.registry.find('', 'v1', 'persistentvolumeclaims');
    const claim = resource?.table.objects.get(`${namespace}/${name}`)?.decode();
    if (!resource || !claim || metadataOf(claim).deletionTimestamp === undefined) return;
    if (!finalizersOf(claim).includes(CLAIM_FINALIZER)) return;
    const pods = this.#api.store.table('pods').objects.values('', `${namespace}/`);
    if (pods.some((pod) => usesClaim(pod.decode(), name))) return;
    const options = { namespace, dryRun: false, warn: () => {} };
    new ObjectWriter(this.#api).update(resource, name, options, (object) => {
      const left = finalizersOf(object).filter((finalizer) => finalizer !== CLAIM_FINALIZER);
      if (left.length > 0) metadataOf(object).finalizers = left;
      else delete metadataOf(object).finalizers;
      return object;
    });
  }
}

function claimsOf(pod: JsonObject): string[] {
  return asArray(getPath(pod, 'spec', 'volumes'))
    .map((volume) => asString(getPath(volume, 'persistentVolumeClaim', 'claimName')))
    .filter((name) => name !== '');
}

function usesClaim(pod: JsonObject, name: string): boolean {
  const finished = ['Succeeded', 'Failed'].includes(asString(getPath(pod, 'status', 'phase')));
  return !finished && claimsOf(pod).includes(name);
}
