import type { Api } from '../api.ts';
import { ObjectWriter } from '../storage/object-writer.ts';
import type { Change } from '../storage/storage.ts';
import { jsonEqual } from '../values/json.ts';
import { createByServer } from './new-cluster.ts';
import { WorkLoop } from './work-loop.ts';

const ACCOUNT = 'default';
const AUTHORITY = 'kube-root-ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal ' +
  'service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/**
 * Puts into each namespace what the controllers of a real cluster put there, the ServiceAccount `default` and the ConfigMap
 * `kube-root-ca.crt`, before the next request is answered; and puts them back when somebody changes or deletes them.
 */
export class NamespaceContents {
  readonly #api: Api;
  readonly #authority: () => string;
  readonly #loop: WorkLoop;
  readonly #listener = (change: Change) => this.#observe(change);

  /** `authority` gives the PEM of the server's authority. */
  constructor(api: Api, authority: () => string) {
    this.#api = api;
    this.#authority = authority;
    this.#loop = new WorkLoop({ clock: api.clock, logger: api.logger, atOnce: true });
    api.store.listeners.add(this.#listener);
  }

  /** For the namespaces that are there already: before the server answers its first request. */
  begin(): void {
    for (const { name } of this.#api.store.table('namespaces').objects.values()) this.#fill(name);
  }

  stop(): void {
    this.#api.store.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  #observe({ table, previous, current }: Change): void {
    const changed = current ?? previous;
    if (!changed) return;
    if (table.name === 'namespaces' && current && !previous) this.#later(current.name);
    else if (table.name === 'serviceaccounts' && changed.name === ACCOUNT && !current) this.#later(changed.namespace);
    else if (table.name === 'configmaps' && changed.name === AUTHORITY && previous) this.#later(changed.namespace);
  }

  #later(namespace: string): void {
    this.#loop.add(namespace, () => this.#fill(namespace));
  }

  #fill(namespace: string): void {
    const { store } = this.#api;
    const found = store.table('namespaces').objects.get(namespace);
    if (!found || found.metadataBytes().includes('deletionTimestamp')) return;
    if (!store.table('serviceaccounts').objects.has(`${namespace}/${ACCOUNT}`)) {
      const account = { metadata: { name: ACCOUNT } };
      createByServer(this.#api, ['', 'v1', 'serviceaccounts'], namespace, account, 'kube-controller-manager');
    }
    const data = { 'ca.crt': this.#authority() };
    const present = store.table('configmaps').objects.get(`${namespace}/${AUTHORITY}`);
    if (!present) {
      const annotations = { 'kubernetes.io/description': DESCRIPTION };
      const map = { metadata: { name: AUTHORITY, annotations }, data };
      createByServer(this.#api, ['', 'v1', 'configmaps'], namespace, map, 'kube-controller-manager');
    } else if (!jsonEqual(present.decode().data, data)) this.#restore(namespace, data);
  }

  #restore(namespace: string, data: { 'ca.crt': string }): void {
    const resource = this.#api.registry.find('', 'v1', 'configmaps');
    const options = { namespace, dryRun: false, warn: () => {} };
    if (resource) new ObjectWriter(this.#api).update(resource, AUTHORITY, options, (map) => ({ ...map, data }));
  }
}
