import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from '../request/field-error.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { dnsLabel, dnsSubdomain } from '../values/name-rules.ts';
import { validateLabels } from '../values/object-meta.ts';
import { validateResources } from './container-resources.ts';
import { validateContainerPorts, validateEnvironment, validateLifecycle, validateProbes } from './container-rules.ts';
import { items } from './defaulting.ts';
import { between } from './number-rules.ts';
import { validateScheduling } from './scheduling-rules.ts';
import { validateContainerSecurity, validatePodSecurity } from './security-context.ts';
import { validateHostPorts, validateMounts, validateVolumes } from './volume-rules.ts';
import { validateHostNetworkPorts, validateHostProcesses, validateSystem } from './windows-options.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_INT32 = 2_147_483_647;

/** The parts of a PodSpec whose absence or nonsense a user would notice. */
export function validatePodSpec(spec: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Set(items(spec.volumes).map((volume) => asString(volume.name)));
  const names = new Set<string>();
  errors.push(...validateVolumes(spec.volumes, `${field}.volumes`));
  if (items(spec.containers).length === 0) errors.push(required(`${field}.containers`));
  // Pods alone have ephemeral ones, at `spec`.
  const isPod = field === 'spec';
  for (const list of ['containers', 'initContainers', ...(isPod ? ['ephemeralContainers'] : [])]) {
    items(spec[list]).forEach((container, index) => {
      const at = `${field}.${list}[${index}]`;
      errors.push(...validateContainer(container, at, volumes, spec));
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
  errors.push(...validateHostPorts(spec, `${field}.containers`), ...validateScheduling(spec, field));
  errors.push(...validateNames(spec, field), ...validateDns(spec, field), ...validatePodSecurity(spec, field));
  errors.push(...validateHostNetworkPorts(spec, field, isPod), ...validateHostProcesses(spec, field));
  errors.push(...validateSystem(spec, field));
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

function validateContainer(
  container: JsonObject,
  field: string,
  volumes: ReadonlySet<string>,
  spec: JsonObject,
): FieldError[] {
  const errors = validateName(asString(container.name), `${field}.name`);
  const image = asString(container.image);
  if (image === '') errors.push(required(`${field}.image`));
  else if (image.trim() !== image) {
    errors.push(invalid(`${field}.image`, image, 'must not have leading or trailing whitespace'));
  }
  errors.push(...validateContainerPorts(container, field), ...validateEnvironment(container, field));
  errors.push(
    ...validateMounts(container, field, (name) => (volumes.has(name) ? undefined : notFoundValue(field, name))),
  );
  errors.push(...validateProbes(container, field), ...validateLifecycle(container, field));
  if (!PULL_POLICIES.includes(asString(container.imagePullPolicy))) {
    errors.push(notSupported(`${field}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES));
  }
  if (!MESSAGE_POLICIES.includes(asString(container.terminationMessagePolicy))) {
    errors.push(
      notSupported(`${field}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES),
    );
  }
  return [
    ...errors,
    ...validateResources(asObject(container.resources), `${field}.resources`),
    ...validateContainerSecurity(container.securityContext, `${field}.securityContext`, spec),
  ];
}

/** The names that other objects and hosts have. */
function validateNames(spec: JsonObject, field: string): FieldError[] {
  const rules = { serviceAccountName: dnsSubdomain, nodeName: dnsSubdomain, hostname: dnsLabel, subdomain: dnsLabel };
  return Object.entries(rules).flatMap(([part, rule]) => {
    const name = asString(spec[part]);
    return name === '' ? [] : rule(name, false).map((text) => invalid(`${field}.${part}`, name, text));
  });
}

function validateDns(spec: JsonObject, field: string): FieldError[] {
  const policy = asString(spec.dnsPolicy);
  if (!DNS_POLICIES.includes(policy)) return [notSupported(`${field}.dnsPolicy`, policy, DNS_POLICIES)];
  if (policy !== 'None') return [];
  if (!isObject(spec.dnsConfig)) {
    return [required(`${field}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (asArray(spec.dnsConfig.nameservers).length > 0) return [];
  return [
    required(`${field}.dnsConfig.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
  ];
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
