import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { dnsSubdomain } from '../values/name-rules.ts';
import { items } from './defaulting.ts';
import { validateText } from './text-rules.ts';

const MAX_SPEC_KIB = 64;
const MAX_DOMAIN_LENGTH = 256;
const MAX_USER_LENGTH = 104;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?';
const DNS = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const SYSTEMS = ['linux', 'windows'];
const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'];
/** What a pod on Windows cannot have: of its spec, of its security context, and of those of its containers. */
const NOT_ON_WINDOWS = {
  spec: ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'],
  pod: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'fsGroup',
    'fsGroupChangePolicy',
    'sysctls',
    'runAsUser',
    'runAsGroup',
    'supplementalGroups',
    'supplementalGroupsPolicy',
    'seLinuxChangePolicy',
  ],
  container: [
    'appArmorProfile',
    'seLinuxOptions',
    'seccompProfile',
    'capabilities',
    'readOnlyRootFilesystem',
    'privileged',
    'allowPrivilegeEscalation',
    'procMount',
    'runAsUser',
    'runAsGroup',
  ],
};

export function validateWindowsOptions(options: JsonValue | undefined, field: string): FieldError[] {
  if (!isObject(options)) return [];
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  const errors =
    typeof specName === 'string' ? validateText(specName, dnsSubdomain, `${field}.gmsaCredentialSpecName`) : [];
  if (typeof spec === 'string') {
    const at = `${field}.gmsaCredentialSpec`;
    if (spec === '') errors.push(invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string'));
    else if (Buffer.byteLength(spec) > MAX_SPEC_KIB * 1024) {
      errors.push(invalid(at, spec, `gmsaCredentialSpec size must be under ${MAX_SPEC_KIB} KiB`));
    }
  }
  if (typeof user !== 'string') return errors;
  return [...errors, ...userNameProblems(user).map((text) => invalid(`${field}.runAsUserName`, user, text))];
}

/** `DOMAIN\user`, or the user alone. */
function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (/\p{Cc}/u.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  const problems: string[] = [];
  if (domain !== undefined && domain.length >= MAX_DOMAIN_LENGTH) {
    problems.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN_LENGTH} characters`);
  }
  if (domain !== undefined && !NET_BIOS.test(domain) && !DNS.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (user.length > MAX_USER_LENGTH) {
    problems.push(`runAsUserName's User length must not be longer than ${MAX_USER_LENGTH} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return problems;
}

/** What the operating system of a pod means for the rest of its spec. */
export function validateSystem(spec: JsonObject, field: string): FieldError[] {
  if (!isObject(spec.os)) return [];
  const name = asString(spec.os.name);
  if (name === '') return [required(`${field}.os.name`)];
  if (!SYSTEMS.includes(name)) return [notSupported(`${field}.os`, name, SYSTEMS)];
  const contexts = securityContexts(spec, field);
  if (name === 'linux') {
    return contexts
      .filter(({ context }) => isObject(context.windowsOptions))
      .map(({ at }) => forbidden(`${at}.windowsOptions`, 'windows options cannot be set for a linux pod'));
  }
  return [
    ...refused(spec, NOT_ON_WINDOWS.spec, field),
    ...contexts.flatMap(({ context, at, of }) => refused(context, NOT_ON_WINDOWS[of], at)),
  ];
}

function refused(object: JsonObject, names: readonly string[], field: string): FieldError[] {
  return names
    .filter((name) => {
      const value = object[name];
      const isUnset = value === undefined || (name.startsWith('host') && name !== 'hostUsers' && value === false);
      return !isUnset && (!Array.isArray(value) || value.length > 0);
    })
    .map((name) => forbidden(`${field}.${name}`, 'cannot be set for a windows pod'));
}

interface PlacedContext {
  readonly context: JsonObject;
  readonly at: string;
  readonly of: 'pod' | 'container';
}

function securityContexts(spec: JsonObject, field: string): PlacedContext[] {
  return [
    { context: asObject(spec.securityContext), at: `${field}.securityContext`, of: 'pod' },
    ...CONTAINER_LISTS.flatMap((list) =>
      items(spec[list]).map(({ securityContext }, index): PlacedContext => {
        return {
          context: asObject(securityContext),
          at: `${field}.${list}[${index}].securityContext`,
          of: 'container',
        };
      }),
    ),
  ];
}

/** A container that is a process of its Windows host needs all others to be, and the network of the host. */
export function validateHostProcesses(spec: JsonObject, field: string): FieldError[] {
  const [pod, ...containers] = securityContexts(spec, field);
  const own = asObject(pod?.context.windowsOptions).hostProcess;
  const errors: FieldError[] = [];
  const processes = containers.filter(({ context, at }) => {
    const wanted = asObject(context.windowsOptions).hostProcess;
    if (own !== undefined && wanted !== undefined && own !== wanted) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${own}`;
      errors.push(invalid(`${at}.windowsOptions.hostProcess`, wanted, detail));
    }
    return (wanted ?? own) === true;
  });
  if (processes.length === 0) return errors;
  if (processes.length < containers.length) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalid(field, '', detail));
  }
  if (spec.hostNetwork === true) return errors;
  const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
  return [...errors, invalid(`${field}.hostNetwork`, false, detail)];
}

/** The ports of a pod that is on the network of its host are those of the host; a template may leave them out. */
export function validateHostNetworkPorts(spec: JsonObject, field: string, isPod: boolean): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return items(spec.containers).flatMap((container, index) =>
    asArray(container.ports).flatMap((port, position) => {
      const { hostPort, containerPort } = asObject(port);
      const [outer, inner] = [Number(hostPort ?? 0), Number(containerPort ?? 0)];
      if (outer === inner || (!isPod && outer === 0)) return [];
      const at = `${field}.containers[${index}].ports[${position}].hostPort`;
      return [invalid(at, outer, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}
