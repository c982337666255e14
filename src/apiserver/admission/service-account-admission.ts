import { items, specOf } from '../kinds/defaulting.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Store } from '../storage/storage.ts';
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { refusal } from './refusal.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';
const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Every pod runs as a service account of its namespace, and gets a token of it: the plugin ServiceAccount of the real server. */
export class ServiceAccountAdmission implements AdmissionPlugin {
  readonly #store: Store;
  /** A name that begins with the prefix and that nobody else has. */
  readonly #generatedName: (prefix: string) => string;

  constructor(store: Store, generatedName: (prefix: string) => string) {
    this.#store = store;
    this.#generatedName = generatedName;
  }

  isActive({ group, plural }: ServedResource): boolean {
    return plural === 'pods' && group === '';
  }

  mutate(request: AdmissionRequest): void {
    const { operation, object } = request;
    if (request.subresource !== '' || operation !== 'CREATE' || !object || isMirror(object)) return;
    const spec = specOf(object);
    const name = asString(spec.serviceAccountName) || 'default';
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    const account = this.#find(request, name);
    const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    if (automount === true) this.#mountToken(spec);
    const secrets = asArray(account.imagePullSecrets);
    if (asArray(spec.imagePullSecrets).length === 0 && secrets.length > 0) spec.imagePullSecrets = secrets;
  }

  validate(request: AdmissionRequest): void {
    const { operation, object, namespace } = request;
    if (request.subresource !== '' || operation !== 'CREATE' || !object) return;
    const spec = specOf(object);
    const name = asString(spec.serviceAccountName);
    if (isMirror(object)) {
      if (name !== '') throw refusal(request, 'a mirror pod may not reference service accounts');
      return;
    }
    if (name === '') {
      const pod = asString(metadataOf(object).name);
      throw refusal(request, `no service account specified for pod ${namespace}/${pod}`);
    }
    const account = this.#find(request, name);
    if (TRUE.has(asString(asObject(metadataOf(account).annotations)[ENFORCE]))) {
      const problem = secretProblem(spec, account);
      if (problem !== undefined) throw refusal(request, problem);
    }
  }

  #find(request: AdmissionRequest, name: string): JsonObject {
    const { namespace } = request;
    const found = this.#store.table('serviceaccounts').objects.get(`${namespace}/${name}`);
    if (found) return found.decode();
    const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
    throw refusal(request, why);
  }

  #mountToken(spec: JsonObject): void {
    const volumes = items(spec.volumes);
    const present = volumes.find((volume) => asString(volume.name).startsWith(VOLUME_PREFIX));
    const name = present ? asString(present.name) : this.#generatedName(VOLUME_PREFIX);
    let isNeeded = false;
    for (const container of [...items(spec.initContainers), ...items(spec.containers)]) {
      const mounts = items(container.volumeMounts);
      if (mounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
      container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
      isNeeded = true;
    }
    if (!present && isNeeded) spec.volumes = [...volumes, { name, projected: tokenVolume() }];
  }
}

function isMirror(pod: JsonObject): boolean {
  return asObject(metadataOf(pod).annotations)[MIRROR] !== undefined;
}

/** The token, the authority and the name of the namespace. */
function tokenVolume(): JsonObject {
  const path = 'namespace';
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path, fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: 420,
  };
}

/** Why a pod may not refer to a secret: its account has to list it first. */
function secretProblem(spec: JsonObject, account: JsonObject): string | undefined {
  const who = `service account ${asString(metadataOf(account).name)} does not reference that`;
  const names = (list: JsonValue | undefined) => new Set(items(list).map(({ name }) => asString(name)));
  const mountable = names(account.secrets);
  for (const volume of items(spec.volumes)) {
    const { secretName } = asObject(volume.secret);
    if (secretName !== undefined && !mountable.has(asString(secretName))) {
      return `volume with secret.secretName="${asString(secretName)}" is not allowed because ${who} secret`;
    }
  }
  for (const [list, label] of [
    [spec.initContainers, 'init container'],
    [spec.containers, 'container'],
  ] as const) {
    for (const container of items(list)) {
      const what = `${label} ${asString(container.name)}`;
      for (const variable of items(container.env)) {
        const { name } = asObject(asObject(variable.valueFrom).secretKeyRef);
        if (name === undefined || mountable.has(asString(name))) continue;
        return `${what} with envVar ${asString(variable.name)} referencing secret.secretName="${asString(name)}" is not allowed because ${who} secret`;
      }
      for (const source of items(container.envFrom)) {
        const { name } = asObject(source.secretRef);
        if (name === undefined || mountable.has(asString(name))) continue;
        return `${what} with envFrom referencing secret.secretName="${asString(name)}" is not allowed because ${who} secret`;
      }
    }
  }
  const pullable = names(account.imagePullSecrets);
  const refused = items(spec.imagePullSecrets).findIndex(({ name }) => !pullable.has(asString(name)));
  if (refused < 0) return undefined;
  const name = asString(items(spec.imagePullSecrets)[refused]?.name);
  return `imagePullSecrets[${refused}].name="${name}" is not allowed because ${who} imagePullSecret`;
}
