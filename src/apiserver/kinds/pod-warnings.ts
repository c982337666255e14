import { asArray, asObject, asString, getPath, isObject, type JsonObject } from '../values/json.ts';
import { amountText, parseAmount } from '../values/resource-amounts.ts';
import { items } from './defaulting.ts';
import { addressWarnings } from './endpoint-rules.ts';

const NO_SELECTOR = 'a null labelSelector results in matching no pod';
const NANOS = 1_000_000_000n;
/** In the order in which they are looked at. */
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];
const RULES = ['required', 'preferred'].map((rule) => `${rule}DuringSchedulingIgnoredDuringExecution`);
const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};
const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};
const OLD_VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

/** What is accepted of a pod, or of a template at `prefix`, and probably not meant. */
export function podWarnings({ metadata, spec }: JsonObject, prefix = ''): string[] {
  const pod = asObject(spec);
  const at = `${prefix}spec`;
  const annotations = asObject(asObject(metadata).annotations);
  const containers = CONTAINERS.flatMap((list) =>
    items(pod[list]).map((container, index) => ({ container, field: `${at}.${list}[${index}]` })),
  );
  const addresses = [
    ...asArray(asObject(pod.dnsConfig).nameservers).map((ip, index) => [ip, `${at}.dnsConfig.nameservers[${index}]`]),
    ...items(pod.hostAliases).map(({ ip }, index) => [ip, `${at}.hostAliases[${index}].ip`]),
  ];
  const grace = pod.terminationGracePeriodSeconds;
  return [
    ...placementWarnings(pod, at),
    ...Object.keys(OLD_ANNOTATIONS)
      .filter((key) => Object.hasOwn(annotations, key))
      .map((key) => `${prefix}metadata.annotations[${key}]: ${OLD_ANNOTATIONS[key]}`),
    ...volumeWarnings(items(pod.volumes), `${at}.volumes`),
    ...repeated(pod.hostAliases, 'ip', `${at}.hostAliases`),
    ...repeated(pod.imagePullSecrets, 'name', `${at}.imagePullSecrets`),
    ...items(pod.imagePullSecrets).flatMap(({ name }, index) =>
      asString(name) === '' ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...containers.flatMap(({ container, field }) => containerWarnings(container, field)),
    ...portWarnings(containers),
    ...(typeof grace === 'number' && grace < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...affinityWarnings(asObject(pod.affinity), `${at}.affinity`),
    ...addresses.flatMap(([ip, field]) => addressWarnings(asString(ip), asString(field))),
  ];
}

/** As `podWarnings`, for the template of an object: when it is new, and when something about it has changed. */
export function templateWarnings(
  object: JsonObject,
  old: JsonObject | undefined,
  path: readonly string[] = ['spec', 'template'],
): string[] {
  if (old && getPath(object, 'metadata', 'generation') === getPath(old, 'metadata', 'generation')) return [];
  return podWarnings(asObject(getPath(object, ...path)), `${path.join('.')}.`);
}

function placementWarnings(pod: JsonObject, field: string): string[] {
  const labels = Object.keys(asObject(pod.nodeSelector)).filter((key) => Object.hasOwn(OLD_LABELS, key));
  return [
    ...labels.map((key) => `${field}.nodeSelector[${key}]: ${OLD_LABELS[key]}`),
    ...items(pod.topologySpreadConstraints).flatMap(({ topologyKey, labelSelector }, index) => {
      const at = `${field}.topologySpreadConstraints[${index}]`;
      const key = asString(topologyKey);
      return [
        ...(Object.hasOwn(OLD_LABELS, key) ? [`${at}.topologyKey: ${key} is ${OLD_LABELS[key]}`] : []),
        ...(labelSelector === undefined ? [`${at}.labelSelector: ${NO_SELECTOR}`] : []),
      ];
    }),
  ];
}

function volumeWarnings(volumes: readonly JsonObject[], field: string): string[] {
  const old = volumes.flatMap((volume, index) =>
    Object.keys(OLD_VOLUMES)
      .filter((source) => isObject(volume[source]))
      .map((source) => `${field}[${index}].${source}: ${OLD_VOLUMES[source]}`),
  );
  const empty = volumes.flatMap(({ name, projected }) =>
    items(asObject(projected).sources)
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
  );
  return [...old, ...empty];
}

function repeated(list: JsonObject[string], part: string, field: string): string[] {
  const values = items(list).map((item) => asString(item[part]));
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [`${field}[${index}].${part}: duplicate ${part} ${JSON.stringify(value)}`] : [],
  );
}

function containerWarnings({ resources, env }: JsonObject, field: string): string[] {
  const warnings: string[] = [];
  for (const name of ['memory', 'ephemeral-storage']) {
    for (const list of ['limits', 'requests']) {
      const amount = parseAmount(asObject(asObject(resources)[list])[name]);
      if (!amount || amount.nanos % NANOS === 0n) continue;
      const text = JSON.stringify(amountText(amount));
      warnings.push(
        `${field}.resources.${list}[${name}]: fractional byte value ${text} is invalid, must be an integer`,
      );
    }
  }
  const seen = new Set<string>();
  items(env).forEach(({ name, value, valueFrom }, index) => {
    const [key, text] = [asString(name), asString(value)];
    const reference = `$(${key})`;
    // Who refers to the first value in the second one wants both.
    if (seen.has(key) && (isObject(valueFrom) || text === reference || !text.includes(reference))) {
      const hidden = `hides previous definition of ${JSON.stringify(key)}`;
      warnings.push(`${field}.env[${index}]: ${hidden}, which may be dropped when using apply`);
    }
    seen.add(key);
  });
  return warnings;
}

function portWarnings(containers: readonly { container: JsonObject; field: string }[]): string[] {
  const ports = containers.flatMap(({ container, field }) =>
    items(container.ports).map((port, index) => ({ port, field: `${field}.ports[${index}]` })),
  );
  const host = ({ hostIP, hostPort }: JsonObject) => [asString(hostIP), Number(hostPort ?? 0)] as const;
  const clashes = ports.flatMap(({ port, field }, index) =>
    ports.slice(0, index).flatMap((other) => {
      if (port.containerPort !== other.port.containerPort || port.protocol !== other.port.protocol) return [];
      const [[ip, outer], [otherIp, otherOuter]] = [host(port), host(other.port)];
      if (ip === otherIp && outer === otherOuter) return [`${field}: duplicate port definition with ${other.field}`];
      if (outer === 0 || otherOuter === 0) return [`${field}: overlapping port definition with ${other.field}`];
      const isOneOpen = (ip === '') !== (otherIp === '');
      return outer === otherOuter && isOneOpen
        ? [`${field}: dangerously ambiguous port definition with ${other.field}`]
        : [];
    }),
  );
  const names = ports.map(({ port }) => asString(port.name));
  const shared = ports.flatMap(({ field }, index) => {
    const first = ports[names.indexOf(names[index] ?? '')];
    if (names[index] === '' || !first || first === ports[index]) return [];
    const name = JSON.stringify(names[index]);
    return [
      `${field}: duplicate port name ${name} with ${first.field}, services and probes that select ports by name will use ${first.field}`,
    ];
  });
  return [...clashes, ...shared];
}

function affinityWarnings(affinity: JsonObject, field: string): string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) =>
    RULES.flatMap((rule, weighted) =>
      items(asObject(affinity[kind])[rule]).flatMap((item, index) => {
        const term = weighted ? asObject(item.podAffinityTerm) : item;
        if (term.labelSelector !== undefined) return [];
        const at = `${field}.${kind}.${rule}[${index}]${weighted ? '.podAffinityTerm' : ''}`;
        return [`${at}.labelSelector: ${NO_SELECTOR}`];
      }),
    ),
  );
}
