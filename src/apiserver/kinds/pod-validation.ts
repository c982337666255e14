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
import { validateLabels } from '../values/object-meta.ts';
import { amountText, parseAmounts } from '../values/resource-amounts.ts';
import { items } from './defaulting.ts';
import { between, validatePort } from './number-rules.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_INT32 = 2_147_483_647;

/** The parts of a PodSpec whose absence or nonsense a user would notice. */
export function validatePodSpec(spec: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Set(items(spec.volumes).map((volume) => asString(volume.name)));
  const names = new Set<string>();
  items(spec.volumes).forEach((volume, index) => {
    errors.push(...validateName(asString(volume.name), `${field}.volumes[${index}].name`));
  });
  if (items(spec.containers).length === 0) errors.push(required(`${field}.containers`));
  // Pods alone have ephemeral ones, at `spec`.
  const isPod = field === 'spec';
  for (const list of ['containers', 'initContainers', ...(isPod ? ['ephemeralContainers'] : [])]) {
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
  const deadline = spec.activeDeadlineSeconds;
  if (typeof deadline === 'number') errors.push(...between(deadline, 1, MAX_INT32, `${field}.activeDeadlineSeconds`));
  items(spec.tolerations).forEach(({ operator, value }, index) => {
    if (operator !== 'Exists' || asString(value) === '') return;
    const at = `${field}.tolerations[${index}].operator`;
    errors.push(invalid(at, value, "value must be empty when `operator` is 'Exists'"));
  });
  errors.push(...validateLabels(asObject(spec.nodeSelector), `${field}.nodeSelector`));
  if (!isPod && items(spec.ephemeralContainers).length > 0) {
    errors.push(forbidden(`${field}.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
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
  const portNames = new Set<string>();
  items(container.ports).forEach((port, index) => {
    const at = `${field}.ports[${index}]`;
    const name = asString(port.name);
    if (name !== '' && portNames.has(name)) errors.push(duplicate(`${at}.name`, name));
    portNames.add(name);
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
  return [...errors, ...validateResources(asObject(container.resources), `${field}.resources`)];
}

/** Nothing asks for more than it may have. */
function validateResources(resources: JsonObject, field: string): FieldError[] {
  const limits = parseAmounts(resources.limits);
  return [...parseAmounts(resources.requests)].flatMap(([name, amount]) => {
    const limit = limits.get(name);
    if (limit === undefined || amount.nanos <= limit.nanos) return [];
    const detail = `must be less than or equal to ${name} limit of ${amountText(limit)}`;
    return [invalid(`${field}.requests`, amountText(amount), detail)];
  });
}

/** What may change in the spec of a pod that exists; the rest is fixed. */
export function validatePodSpecUpdate(spec: JsonObject, old: JsonObject): FieldError[] {
  return [...validateDeadlineUpdate(spec, old), ...validateTolerationsUpdate(spec, old), ...validateFixed(spec, old)];
}

/** A pod may be given less time, and no more. */
function validateDeadlineUpdate({ activeDeadlineSeconds: now }: JsonObject, old: JsonObject): FieldError[] {
  const before = old.activeDeadlineSeconds;
  const field = 'spec.activeDeadlineSeconds';
  if (typeof before !== 'number') return [];
  if (typeof now !== 'number') return [invalid(field, null, 'must not update from a positive integer to nil value')];
  return now > before ? [invalid(field, now, 'must be less than or equal to previous value')] : [];
}

/** More of them may come, and each may hold for another time. */
function validateTolerationsUpdate(spec: JsonObject, old: JsonObject): FieldError[] {
  const timeless = ({ tolerationSeconds: _, ...rest }: JsonObject) => rest;
  const isThere = (before: JsonObject) =>
    items(spec.tolerations).some((now) => jsonEqual(timeless(now), timeless(before)));
  if (items(old.tolerations).every(isThere)) return [];
  return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function validateFixed(spec: JsonObject, old: JsonObject): FieldError[] {
  const fixed = (value: JsonObject): JsonObject => {
    const { activeDeadlineSeconds: _a, tolerations: _t, ...rest } = value;
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
