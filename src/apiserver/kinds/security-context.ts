import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../request/field-error.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { items } from './defaulting.ts';
import { validateInnerPath } from './file-rules.ts';
import { between } from './number-rules.ts';
import { validateWindowsOptions } from './windows-options.ts';

const MAX_ID = 2_147_483_647;
const MAX_PROFILE_BYTES = 4095;
const MAX_SYSCTL_LENGTH = 253;
const SYSCTL_PART = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL = `^(${SYSCTL_PART}[\\./])*${SYSCTL_PART}$`;
const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const PROC_MOUNTS = ['Default', 'Unmasked'];
/** Fields of a pod's security context that are one of a few words. */
const POD_CHOICES: Readonly<Record<string, readonly string[]>> = {
  fsGroupChangePolicy: ['Always', 'OnRootMismatch'],
  supplementalGroupsPolicy: ['Merge', 'Strict'],
  // The other one needs a feature gate.
  seLinuxChangePolicy: ['Recursive'],
};

/** The security context of a pod, with what else in the spec belongs to it. */
export function validatePodSecurity(spec: JsonObject, specField: string): FieldError[] {
  const context = asObject(spec.securityContext);
  const field = `${specField}.securityContext`;
  const errors = ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((name) =>
    validateId(context[name], `${field}.${name}`),
  );
  asArray(context.supplementalGroups).forEach((group, index) => {
    errors.push(...validateId(group, `${field}.supplementalGroups[${index}]`));
  });
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(`${field}.shareProcessNamespace`, true, detail));
  }
  errors.push(...validateSysctls(items(context.sysctls), `${field}.sysctls`));
  for (const [name, choices] of Object.entries(POD_CHOICES)) {
    const value = context[name];
    if (value !== undefined && !choices.includes(asString(value))) {
      errors.push(notSupported(`${field}.${name}`, value, choices));
    }
  }
  return [...errors, ...validateProfiles(context, field), ...validateHostUsers(spec, specField)];
}

export function validateContainerSecurity(value: JsonValue | undefined, field: string, spec: JsonObject): FieldError[] {
  if (!isObject(value)) return [];
  const { procMount, privileged, capabilities } = value;
  const errors = ['runAsUser', 'runAsGroup'].flatMap((name) => validateId(value[name], `${field}.${name}`));
  if (procMount !== undefined && !PROC_MOUNTS.includes(asString(procMount))) {
    errors.push(notSupported(`${field}.procMount`, procMount, PROC_MOUNTS));
  }
  if (procMount === 'Unmasked' && spec.hostUsers !== false) {
    errors.push(invalid(`${field}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'));
  }
  if (value.allowPrivilegeEscalation === false) {
    const refuse = (what: string) =>
      invalid(field, contextInGo(value), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
    if (privileged === true) errors.push(refuse('`privileged` to true'));
    const admins = asArray(asObject(capabilities).add).filter((name) => name === 'CAP_SYS_ADMIN');
    errors.push(...admins.map(() => refuse('`capabilities.Add` CAP_SYS_ADMIN')));
  }
  return [...errors, ...validateProfiles(value, field)];
}

function validateId(id: JsonValue | undefined, field: string): FieldError[] {
  return typeof id === 'number' ? between(id, 0, MAX_ID, field) : [];
}

function validateSysctls(sysctls: readonly JsonObject[], field: string): FieldError[] {
  const names = sysctls.map(({ name }) => asString(name));
  return names.flatMap((name, index) => {
    const at = `${field}[${index}].name`;
    if (name === '') return [required(at)];
    if (name.length > MAX_SYSCTL_LENGTH || !new RegExp(SYSCTL).test(name)) {
      return [invalid(at, name, `must have at most ${MAX_SYSCTL_LENGTH} characters and match regex ${SYSCTL}`)];
    }
    return names.indexOf(name) < index ? [duplicate(at, name)] : [];
  });
}

/** What pods and containers have in common. */
function validateProfiles(context: JsonObject, field: string): FieldError[] {
  return [
    ...validateSeccomp(context.seccompProfile, `${field}.seccompProfile`),
    ...validateWindowsOptions(context.windowsOptions, `${field}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
  ];
}

function validateSeccomp(profile: JsonValue | undefined, field: string): FieldError[] {
  if (!isObject(profile)) return [];
  const { type, localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  const errors = validateProfileType(asString(type), field, 'type is required when seccompProfile is set');
  if (type === 'Localhost') {
    if (typeof localhostProfile === 'string') return [...errors, ...validateInnerPath(localhostProfile, at)];
    return [...errors, required(at, 'must be set when seccomp type is Localhost')];
  }
  if (localhostProfile === undefined) return errors;
  const shown = { Type: asString(type), LocalhostProfile: localhostProfile };
  return [...errors, invalid(at, shown, 'can only be set when seccomp type is Localhost')];
}

function validateProfileType(type: string, field: string, detail: string): FieldError[] {
  if (type === '') return [required(`${field}.type`, detail)];
  return PROFILE_TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type, PROFILE_TYPES)];
}

function validateAppArmor(profile: JsonValue | undefined, field: string): FieldError[] {
  if (!isObject(profile)) return [];
  const { type, localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  const errors = validateProfileType(asString(type), field, 'type is required when appArmorProfile is set');
  if (errors.length > 0) return errors;
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return [];
    return [invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  }
  const name = asString(localhostProfile);
  if (name.trim() !== name) errors.push(invalid(at, name, 'must not be padded with whitespace'));
  else if (name === '') errors.push(required(at, 'must be set when AppArmor type is Localhost'));
  if (Buffer.byteLength(name) > MAX_PROFILE_BYTES) errors.push(tooLong(at, MAX_PROFILE_BYTES));
  return errors;
}

/** Users of its own are of no use to a pod that shares the processes of its host. */
function validateHostUsers(spec: JsonObject, field: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  return [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ]
    .filter(([name = '']) => spec[name] === true)
    .map(([, shown]) => forbidden(`${field}.${shown}`, 'when `hostUsers` is false'));
}

/** The names that the fields have in Go, which is how a refusal shows a whole security context. */
const IN_GO = [
  'capabilities',
  'privileged',
  'seLinuxOptions',
  'windowsOptions',
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'procMount',
  'seccompProfile',
  'appArmorProfile',
];

function contextInGo(context: JsonObject): JsonObject {
  return Object.fromEntries(IN_GO.map((name) => [goName(name), inGo(context[name], name)]));
}

function inGo(value: JsonValue | undefined, field: string): JsonValue {
  if (field === 'capabilities' && isObject(value)) return { Add: value.add ?? null, Drop: value.drop ?? null };
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [goName(name), item ?? null]));
}

function goName(field: string): string {
  return field === 'seLinuxOptions' ? 'SELinuxOptions' : field.charAt(0).toUpperCase() + field.slice(1);
}
