import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { dnsLabel } from '../values/name-rules.ts';
import { items } from './defaulting.ts';

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
const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const MAX_MODE = 0o777;
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
  return errors;
}

function validateFiles(value: JsonObject, field: string): FieldError[] {
  const errors = validateMode(value.defaultMode, `${field}.defaultMode`);
  items(value.items).forEach((item, index) => {
    const at = `${field}.items[${index}]`;
    if (asString(item.key) === '') errors.push(required(`${at}.key`));
    const path = asString(item.path);
    if (path === '') errors.push(required(`${at}.path`));
    else errors.push(...validateInnerPath(path, `${at}.path`));
    errors.push(...validateMode(item.mode, `${at}.mode`));
  });
  return errors;
}

function validateMode(mode: JsonValue | undefined, field: string): FieldError[] {
  if (typeof mode !== 'number' || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** A path below a volume that does not leave it. */
function validateInnerPath(path: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (path.startsWith('/')) errors.push(invalid(field, path, 'must be a relative path'));
  if (path.split('/').includes('..')) errors.push(invalid(field, path, "must not contain '..'"));
  return errors;
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
    const propagation = mount.mountPropagation;
    if (propagation !== undefined && !PROPAGATIONS.includes(asString(propagation))) {
      errors.push(notSupported(`${field}.volumeMounts.mountPropagation`, propagation, PROPAGATIONS));
    }
  });
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
