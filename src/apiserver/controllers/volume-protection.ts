import type { Api } from '../api.ts';
import { ObjectWriter } from '../storage/object-writer.ts';
import type { Change } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asArray, asString, getPath, type JsonObject } from '../values/json.ts';
import { finalizersOf, metadataOf } from '../values/object-meta.ts';
import { WorkLoop } from './work-loop.ts';

const CLAIMS = 'persistentvolumeclaims';
const VOLUMES = 'persistentvolumes';
const FINALIZERS = { [CLAIMS]: 'kubernetes.io/pvc-protection', [VOLUMES]: 'kubernetes.io/pv-protection' } as const;

type Protected = keyof typeof FINALIZERS;

/**
 * Lets deleted claims go as soon as no pod uses them, and deleted volumes as soon as they are not bound; the server itself puts
 * the finalizers on.
 */
export class VolumeProtection {
  readonly #api: Api;
  readonly #loop: WorkLoop;
  readonly #listener = (change: Change) => this.#observe(change);

  constructor(api: Api) {
    this.#api = api;
    this.#loop = new WorkLoop(api);
    api.store.listeners.add(this.#listener);
  }

  stop(): void {
    this.#api.store.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  #observe({ table: { name: table }, previous, current }: Change): void {
    if ((table === CLAIMS || table === VOLUMES) && current?.metadataBytes().includes('deletionTimestamp')) {
      this.#later(table, current);
    } else if (table === 'pods' && previous) {
      const claims = this.#api.store.table(CLAIMS).objects;
      for (const name of claimsOf(previous.decode())) {
        const claim = claims.get(`${previous.namespace}/${name}`);
        if (claim) this.#later(CLAIMS, claim);
      }
    }
  }

  #later(table: Protected, { key }: StoredObject): void {
    this.#loop.add(`${table} ${key}`, () => this.#release(table, key));
  }

  #release(table: Protected, key: string): void {
    const resource = this.#api.registry.find('', 'v1', table);
    const stored = resource?.table.objects.get(key);
    if (!resource || !stored) return;
    const object = stored.decode();
    if (metadataOf(object).deletionTimestamp === undefined || !finalizersOf(object).includes(FINALIZERS[table])) return;
    if (table === CLAIMS ? this.#isUsed(stored) : getPath(object, 'status', 'phase') === 'Bound') return;
    const options = { namespace: stored.namespace, dryRun: false, warn: () => {} };
    new ObjectWriter(this.#api).update(resource, stored.name, options, (current) => {
      const left = finalizersOf(current).filter((finalizer) => finalizer !== FINALIZERS[table]);
      if (left.length > 0) metadataOf(current).finalizers = left;
      else delete metadataOf(current).finalizers;
      return current;
    });
  }

  #isUsed({ namespace, name }: StoredObject): boolean {
    const pods = this.#api.store.table('pods').objects.values('', `${namespace}/`);
    return pods.some((pod) => usesClaim(pod.decode(), name));
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
