import { ensureObject, type JsonObject } from '../values/json.ts';
import { items, optionalObject, setDefault, setDefaultNumber } from './defaulting.ts';

const FILE_MODE = 0o644;
const HOUR_SECONDS = 3600;

/** What the server fills in wherever a PodSpec stands: in pods and in templates of pods. */
export function defaultPodSpec(spec: JsonObject): void {
  for (const field of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of items(spec[field])) defaultContainer(container);
  }
  for (const volume of items(spec.volumes)) defaultVolume(volume);
  setDefault(spec, 'restartPolicy', 'Always');
  setDefaultIfAbsent(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  ensureObject(spec, 'securityContext');
  setDefault(spec, 'schedulerName', 'default-scheduler');
  // The older name of the field is kept in step with the newer one.
  if (spec.serviceAccountName !== undefined) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount !== undefined) spec.serviceAccountName = spec.serviceAccount;
}

export function defaultPodTemplate(parent: JsonObject, key = 'template'): void {
  const template = ensureObject(parent, key);
  ensureObject(template, 'metadata');
  defaultPodSpec(ensureObject(template, 'spec'));
}

function setDefaultIfAbsent(object: JsonObject, key: string, value: number): void {
  if (object[key] === undefined || object[key] === null) object[key] = value;
}

function defaultContainer(container: JsonObject): void {
  const image = typeof container.image === 'string' ? container.image : '';
  setDefault(container, 'imagePullPolicy', tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent');
  setDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setDefault(container, 'terminationMessagePolicy', 'File');
  for (const port of items(container.ports)) setDefault(port, 'protocol', 'TCP');
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = optionalObject(container, name);
    if (probe) defaultProbe(probe);
  }
  const lifecycle = optionalObject(container, 'lifecycle');
  for (const name of ['postStart', 'preStop']) {
    const hook = lifecycle && optionalObject(lifecycle, name);
    if (hook) defaultHttpGet(hook);
  }
  for (const variable of items(container.env)) {
    const from = optionalObject(variable, 'valueFrom');
    const fieldRef = from && optionalObject(from, 'fieldRef');
    if (fieldRef) setDefault(fieldRef, 'apiVersion', 'v1');
    const resourceFieldRef = from && optionalObject(from, 'resourceFieldRef');
    if (resourceFieldRef) setDefault(resourceFieldRef, 'divisor', '0');
  }
}

function defaultProbe(probe: JsonObject): void {
  defaultHttpGet(probe);
  const grpc = optionalObject(probe, 'grpc');
  if (grpc) grpc.service ??= '';
  setDefaultNumber(probe, 'timeoutSeconds', 1);
  setDefaultNumber(probe, 'periodSeconds', 10);
  setDefaultNumber(probe, 'successThreshold', 1);
  setDefaultNumber(probe, 'failureThreshold', 3);
}

function defaultHttpGet(handler: JsonObject): void {
  const httpGet = optionalObject(handler, 'httpGet');
  if (!httpGet) return;
  setDefault(httpGet, 'path', '/');
  setDefault(httpGet, 'scheme', 'HTTP');
}

function defaultVolume(volume: JsonObject): void {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const value = optionalObject(volume, source);
    if (value) setDefaultIfAbsent(value, 'defaultMode', FILE_MODE);
  }
  const hostPath = optionalObject(volume, 'hostPath');
  if (hostPath) hostPath.type ??= '';
  const downward = optionalObject(volume, 'downwardAPI');
  for (const item of items(downward?.items)) defaultFieldRef(item);
  const projected = optionalObject(volume, 'projected');
  for (const source of items(projected?.sources)) {
    const token = optionalObject(source, 'serviceAccountToken');
    if (token) setDefaultIfAbsent(token, 'expirationSeconds', HOUR_SECONDS);
    for (const item of items(optionalObject(source, 'downwardAPI')?.items)) defaultFieldRef(item);
  }
  const iscsi = optionalObject(volume, 'iscsi');
  if (iscsi) setDefault(iscsi, 'iscsiInterface', 'default');
  const claim = optionalObject(volume, 'ephemeral');
  const template = claim && optionalObject(claim, 'volumeClaimTemplate');
  const claimSpec = template && optionalObject(template, 'spec');
  if (claimSpec) setDefault(claimSpec, 'volumeMode', 'Filesystem');
}

function defaultFieldRef(item: JsonObject): void {
  const fieldRef = optionalObject(item, 'fieldRef');
  if (fieldRef) setDefault(fieldRef, 'apiVersion', 'v1');
}

/** The tag of an image reference; `latest` when it names neither tag nor digest. */
export function tagOf(image: string): string {
  if (image.includes('@')) return '';
  const last = image.slice(image.lastIndexOf('/') + 1);
  const colon = last.indexOf(':');
  return colon < 0 ? 'latest' : last.slice(colon + 1);
}
