import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from '../request/field-error.ts';
import { asObject, asString, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { dnsLabel } from '../values/name-rules.ts';
import { items } from './defaulting.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/** The parts of a PodSpec whose absence or nonsense a user would notice. */
export function validatePodSpec(spec: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Set(items(spec.volumes).map((volume) => asString(volume.name)));
  const names = new Set<string>();
  items(spec.volumes).forEach((volume, index) => {
    errors.push(...validateName(asString(volume.name), `${field}.volumes[${index}].name`));
  });
  if (items(spec.containers).length === 0) errors.push(required(`${field}.containers`));
  for (const list of ['containers', 'initContainers']) {
    items(spec[list]).forEach((container, index) => {
      const at = `${field}.${list}[${index}]`;
      errors.push(...validateContainer(container, at, volumes));
      const name = asString(container.name);
      if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    });
  }
  const restartPolicy = asString(spec.restartPolicy);
  if (!RESTART_POLICIES.includes(restartPolicy)) {
    errors.push(notSupported(`${field}.restartPolicy`, restartPolicy, RESTART_POLICIES));
  }
  const grace = spec.terminationGracePeriodSeconds;
  if (typeof grace === 'number' && grace < 0) {
    errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than or equal to 0'));
  }
  return errors;
}

function validateName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  return dnsLabel(name, false).map((text) => invalid(field, name, text));
}

function validateContainer(container: JsonObject, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const errors = validateName(asString(container.name), `${field}.name`);
  const image = asString(container.image);
  if (image === '') errors.push(required(`${field}.image`));
  else if (image.trim() !== image) {
    errors.push(invalid(`${field}.image`, image, 'must not have leading or trailing whitespace'));
  }
  items(container.ports).forEach((port, index) => {
    const at = `${field}.ports[${index}]`;
    const number = port.containerPort;
    if (number === undefined || number === 0) errors.push(required(`${at}.containerPort`));
    else errors.push(...validatePort(number, `${at}.containerPort`));
    if (!PROTOCOLS.includes(asString(port.protocol))) {
      errors.push(notSupported(`${at}.protocol`, port.protocol, PROTOCOLS));
    }
  });
  items(container.env).forEach((variable, index) => {
    if (asString(variable.name) === '') errors.push(required(`${field}.env[${index}].name`));
  });
  items(container.volumeMounts).forEach((mount, index) => {
    const at = `${field}.volumeMounts[${index}]`;
    const volume = asString(mount.name);
    if (volume === '') errors.push(required(`${at}.name`));
    else if (!volumes.has(volume)) errors.push(notFoundValue(`${at}.name`, volume));
    if (asString(mount.mountPath) === '') errors.push(required(`${at}.mountPath`));
  });
  if (!PULL_POLICIES.includes(asString(container.imagePullPolicy))) {
    errors.push(notSupported(`${field}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES));
  }
  return errors;
}

export function validatePort(value: JsonValue, field: string): FieldError[] {
  if (typeof value === 'number' && value >= 1 && value <= 65535) return [];
  return [invalid(field, value, 'must be between 1 and 65535, inclusive')];
}

/** What may change in the spec of a pod that exists; the rest is fixed. */
export function validatePodSpecUpdate(spec: JsonObject, old: JsonObject): FieldError[] {
  const fixed = (value: JsonObject): JsonObject => {
    const { activeDeadlineSeconds: _a, tolerations: _t, terminationGracePeriodSeconds: _g, ...rest } = value;
    const { schedulingGates: _s, nodeSelector: _n, affinity: _f, ephemeralContainers: _e, ...others } = rest;
    const gated = items(old.schedulingGates).length > 0;
    return {
      ...(gated ? others : rest),
      schedulingGates: null,
      containers: withoutImages(value.containers),
      initContainers: withoutImages(value.initContainers),
    };
  };
  if (jsonEqual(fixed(spec), fixed(old))) return [];
  return [
    forbidden(
      'spec',
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ),
  ];
}

function withoutImages(containers: JsonValue | undefined): JsonValue {
  return items(containers).map((container) => ({ ...asObject(container), image: '' }));
}
