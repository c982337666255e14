import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { dnsLabel } from '../values/name-rules.ts';
import { parseAmount } from '../values/resource-amounts.ts';
import { items } from './defaulting.ts';
import { validateInnerPath, validateKeyFile, validateMode } from './file-rules.ts';
import { validateDownward, validateProjected } from './projected-volume.ts';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];
const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
/** What a source cannot do without. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  secret: ['secretName'],
  configMap: ['name'],
  persistentVolumeClaim: ['claimName'],
  csi: ['driver'],
  nfs: ['server', 'path'],
};

export function validateVolumes(volumes: JsonValue | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  items(volumes).forEach((volume, index) => {
    const at = `${field}[${index}]`;
    const name = asString(volume.name);
    const sources = Object.keys(volume).filter((key) => key !== 'name' && isObject(volume[key]));
    sources.forEach((source, position) => {
      if (position > 0) errors.push(forbidden(`${at}.${source}`, 'may not specify more than 1 volume type'));
      else errors.push(...validateSource(source, asObject(volume[source]), `${at}.${source}`));
    });
    if (name === '') errors.push(required(`${at}.name`));
    else errors.push(...dnsLabel(name, false).map((text) => invalid(`${at}.name`, name, text)));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  });
  return errors;
}

function validateSource(source: string, value: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of NEEDED[source] ?? []) {
    if (asString(value[part]) === '') errors.push(required(`${field}.${part}`));
  }
  if (source === 'hostPath') {
    const path = asString(value.path);
    if (path.split('/').includes('..')) errors.push(invalid(`${field}.path`, path, "must not contain '..'"));
    if (!HOST_PATH_TYPES.includes(asString(value.type))) {
      errors.push(notSupported(`${field}.type`, value.type, HOST_PATH_TYPES));
    }
  }
  if (source === 'nfs' && !asString(value.path).startsWith('/')) {
    errors.push(invalid(`${field}.path`, asString(value.path), 'must be an absolute path'));
  }
  if (source === 'ephemeral' && !isObject(value.volumeClaimTemplate)) {
    errors.push(required(`${field}.volumeClaimTemplate`));
  }
  if (source === 'secret' || source === 'configMap') errors.push(...validateFiles(value, field));
  if (source === 'projected') errors.push(...validateProjected(value, field));
  if (source === 'downwardAPI') errors.push(...validateDownward(value, field));
  if (source === 'emptyDir' && (parseAmount(value.sizeLimit)?.nanos ?? 0n) < 0n) {
    errors.push(forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
  return errors;
}

function validateFiles(value: JsonObject, field: string): FieldError[] {
  return [
    ...validateMode(value.defaultMode, `${field}.defaultMode`),
    ...items(value.items).flatMap((item, index) => validateKeyFile(item, `${field}.items[${index}]`)),
  ];
}

export function validateMounts(
  container: JsonObject,
  field: string,
  isVolume: (name: string) => FieldError | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const paths = new Set<string>();
  items(container.volumeMounts).forEach((mount, index) => {
    const at = `${field}.volumeMounts[${index}]`;
    const [name, path] = [asString(mount.name), asString(mount.mountPath)];
    if (name === '') errors.push(required(`${at}.name`));
    else {
      const missing = isVolume(name);
      if (missing) errors.push({ ...missing, field: `${at}.name` });
    }
    if (path === '') errors.push(required(`${at}.mountPath`));
    if (paths.has(path)) errors.push(invalid(`${at}.mountPath`, path, 'must be unique'));
    paths.add(path);
    const [subPath, expression] = [asString(mount.subPath), asString(mount.subPathExpr)];
    // The real server leaves the index out here.
    if (subPath !== '') errors.push(...validateInnerPath(subPath, `${field}.volumeMounts.subPath`));
    if (expression !== '') {
      if (subPath !== '') {
        errors.push(invalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
      }
      errors.push(...validateInnerPath(expression, `${field}.volumeMounts.subPathExpr`));
    }
    errors.push(...validatePropagation(mount, container, `${field}.volumeMounts`));
  });
  return errors;
}

function validatePropagation(mount: JsonObject, container: JsonObject, field: string): FieldError[] {
  const { mountPropagation: propagation, recursiveReadOnly: recursive, readOnly } = mount;
  const errors: FieldError[] = [];
  if (propagation !== undefined && !PROPAGATIONS.includes(asString(propagation))) {
    errors.push(notSupported(`${field}.mountPropagation`, propagation, PROPAGATIONS));
  }
  if (propagation === 'Bidirectional' && asObject(container.securityContext).privileged !== true) {
    const detail = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(forbidden(`${field}.mountPropagation`, detail));
  }
  if (recursive === undefined || recursive === 'Disabled') return errors;
  const at = `${field}.recursiveReadOnly`;
  if (!RECURSIVE.includes(asString(recursive))) return [...errors, notSupported(at, recursive, RECURSIVE)];
  if (readOnly !== true) errors.push(forbidden(at, 'may only be specified when readOnly is true'));
  if (propagation !== undefined && propagation !== 'None') {
    errors.push(forbidden(at, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

/** Ports of the host that two containers of a pod want. */
export function validateHostPorts(spec: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  items(spec.containers).forEach((container, index) => {
    items(container.ports).forEach(({ hostPort, protocol, hostIP }, position) => {
      if (hostPort === undefined || hostPort === 0) return;
      const text = `${asString(protocol)}/${asString(hostIP)}/${hostPort}`;
      if (taken.has(text)) errors.push(duplicate(`${field}[${index}].ports[${position}].hostPort`, text));
      taken.add(text);
    });
  });
  return errors;
}
