import { asObject, getKey, getPath, type JsonObject } from '../values/json.ts';
import { age, count, flag, list, quantity, since, sizeOf, text } from './cell-text.ts';
import { ageColumn, nameAndAge, nameColumn } from './common-columns.ts';
import { podPrinter } from './pod-printer.ts';
import { column, heading, printer, type TablePrinter } from './table-printer.ts';

const nodes: TablePrinter = {
  columns: [
    nameColumn.column,
    heading('Status', { description: 'Whether the node is ready, and whether it takes new pods.' }),
    heading('Roles', { description: 'The roles that its labels give it.' }),
    ageColumn.column,
    heading('Version', { description: 'The version of its kubelet.' }),
    heading('Internal-IP', { wide: true, description: 'Its first address inside the cluster.' }),
    heading('External-IP', { wide: true, description: 'Its first address outside the cluster.' }),
    heading('OS-Image', { wide: true, description: 'Its operating system.' }),
    heading('Kernel-Version', { wide: true, description: 'Its kernel and architecture.' }),
    heading('Container-Runtime', { wide: true, description: 'What runs its containers.' }),
  ],
  cells(node, nowMs) {
    const info = asObject(getPath(node, 'status', 'nodeInfo'));
    const architecture = text(info, 'architecture');
    const kernel = text(info, 'kernelVersion') || '<unknown>';
    return [
      text(node, 'metadata', 'name'),
      nodeStatus(node),
      nodeRoles(node),
      age(node, nowMs),
      text(info, 'kubeletVersion'),
      nodeAddress(node, 'InternalIP'),
      nodeAddress(node, 'ExternalIP'),
      text(info, 'osImage') || '<unknown>',
      architecture === '' ? kernel : `${kernel} (${architecture})`,
      text(info, 'containerRuntimeVersion') || '<unknown>',
    ];
  },
};

function nodeStatus(node: JsonObject): string {
  const ready = list(node, 'status', 'conditions').findLast(({ type }) => type === 'Ready');
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return flag(node, 'spec', 'unschedulable') ? `${status},SchedulingDisabled` : status;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function nodeRoles(node: JsonObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(asObject(getPath(node, 'metadata', 'labels')))) {
    if (key.startsWith(ROLE_PREFIX)) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === 'kubernetes.io/role') roles.add(String(value));
  }
  roles.delete('');
  return [...roles].sort().join(',') || '<none>';
}

function nodeAddress(node: JsonObject, wanted: string): string {
  const found = list(node, 'status', 'addresses').find(({ type }) => type === wanted);
  return found === undefined ? '<none>' : text(found, 'address');
}

const events: TablePrinter = {
  columns: [
    heading('Last Seen', { description: 'How long ago it happened last.' }),
    heading('Type', { description: 'Normal or Warning.' }),
    heading('Reason', { description: 'Why, in one word.' }),
    heading('Object', { description: 'What it happened to.' }),
    heading('Subobject', { wide: true, description: 'Which part of that object.' }),
    heading('Source', { wide: true, description: 'Who reports it.' }),
    heading('Message', { description: 'What happened.' }),
    heading('First Seen', { wide: true, description: 'How long ago it happened first.' }),
    heading('Count', { wide: true, description: 'How often it has happened.' }),
    { ...nameColumn.column, priority: 1 },
  ],
  cells(event, nowMs) {
    // events.k8s.io renamed the fields of the core group's Event; the printer shows both alike.
    const object = asObject(getPath(event, 'involvedObject') ?? getPath(event, 'regarding'));
    const source = asObject(getPath(event, 'source') ?? getPath(event, 'deprecatedSource'));
    const firstTime = text(event, 'firstTimestamp') || text(event, 'deprecatedFirstTimestamp');
    const lastTime = text(event, 'lastTimestamp') || text(event, 'deprecatedLastTimestamp');
    const series = getPath(event, 'series');
    const inSeries = series !== undefined && series !== null;
    const firstSeen = since(nowMs, firstTime || text(event, 'eventTime'));
    const lastSeen = inSeries
      ? since(nowMs, series, 'lastObservedTime')
      : lastTime === ''
        ? firstSeen
        : since(nowMs, lastTime);
    const times = inSeries ? count(series, 'count') : count(event, 'count') || count(event, 'deprecatedCount') || 1;
    const name = text(object, 'name');
    const kind = text(object, 'kind').toLowerCase();
    const component =
      text(source, 'component') || text(event, 'reportingComponent') || text(event, 'reportingController');
    const instance = text(source, 'host') || text(event, 'reportingInstance');
    return [
      lastSeen,
      text(event, 'type'),
      text(event, 'reason'),
      name === '' ? kind : `${kind}/${name}`,
      text(object, 'fieldPath'),
      instance === '' ? component : `${component}, ${instance}`,
      (text(event, 'message') || text(event, 'note')).trim(),
      firstSeen,
      times,
      text(event, 'metadata', 'name'),
    ];
  },
};

const namespaces = printer([
  nameColumn,
  column('Status', (object) => text(object, 'status', 'phase'), { description: 'Active or Terminating.' }),
  ageColumn,
]);

const secrets = printer([
  nameColumn,
  column('Type', (object) => text(object, 'type'), { description: 'What the secret is for.' }),
  column('Data', (object) => sizeOf(object, 'data'), { description: 'How many keys it has.' }),
  ageColumn,
]);

const configMaps = printer([
  nameColumn,
  column('Data', (object) => sizeOf(object, 'data') + sizeOf(object, 'binaryData'), {
    description: 'How many keys it has.',
  }),
  ageColumn,
]);

const componentStatuses = printer([
  nameColumn,
  column('Status', (object) => componentHealth(object).status, { description: 'Healthy, Unhealthy or Unknown.' }),
  column('Message', (object) => componentHealth(object).message, { description: 'What the component says.' }),
  column('Error', (object) => componentHealth(object).error, { description: 'What is wrong with it.' }),
]);

function componentHealth(object: JsonObject): { status: string; message: string; error: string } {
  const condition = list(object, 'conditions').find(({ type }) => type === 'Healthy');
  if (condition === undefined) return { status: 'Unknown', message: '', error: '' };
  const status = condition.status === 'True' ? 'Healthy' : 'Unhealthy';
  return { status, message: text(condition, 'message'), error: text(condition, 'error') };
}

const resourceQuotas = printer([
  nameColumn,
  column('Request', (object) => quotaText(object, false), {
    description: 'Used and allowed, for requests and counts.',
  }),
  column('Limit', (object) => quotaText(object, true), { description: 'Used and allowed, for limits.' }),
  ageColumn,
]);

function quotaText(object: JsonObject, limits: boolean): string {
  const hard = asObject(getPath(object, 'status', 'hard'));
  const used = asObject(getPath(object, 'status', 'used'));
  return Object.keys(hard)
    .filter((resource) => resource.startsWith('limits.') === limits)
    .sort()
    .map((resource) => `${resource}: ${quantity(getKey(used, resource))}/${quantity(getKey(hard, resource))}`)
    .join(', ');
}

export const corePrinters: Readonly<Record<string, TablePrinter>> = {
  Pod: podPrinter,
  Node: nodes,
  Event: events,
  'Event.events.k8s.io': events,
  Namespace: namespaces,
  Secret: secrets,
  ConfigMap: configMaps,
  ServiceAccount: nameAndAge,
  ComponentStatus: componentStatuses,
  ResourceQuota: resourceQuotas,
};
