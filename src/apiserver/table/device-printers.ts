import { getPath, type JsonObject } from '../values/json.ts';
import { count, isSet, list, since, text } from './cell-text.ts';
import { ageColumn, nameAndAge, nameColumn } from './common-columns.ts';
import { column, type PrintedColumn, printer, type TablePrinter } from './table-printer.ts';

const resourceClaims = printer([
  nameColumn,
  column('State', claimState, { description: 'Whether it is pending, allocated, reserved or deleted.' }),
  ageColumn,
]);

function claimState(claim: JsonObject): string {
  const deleted = isSet(claim, 'metadata', 'deletionTimestamp');
  const states = deleted ? ['deleted'] : [];
  if (isSet(claim, 'status', 'allocation')) {
    states.push('allocated');
    if (list(claim, 'status', 'reservedFor').length > 0) states.push('reserved');
  } else if (!deleted) states.push('pending');
  return states.join(',');
}

const resourceSlices = printer([
  nameColumn,
  column('Node', (object) => text(object, 'spec', 'nodeName'), { description: 'The node that has the devices.' }),
  column('Driver', (object) => text(object, 'spec', 'driver'), { description: 'The driver of the devices.' }),
  column('Pool', (object) => text(object, 'spec', 'pool', 'name'), { description: 'The pool of the devices.' }),
  ageColumn,
]);

const deviceTaintRules = printer([
  nameColumn,
  column('Key', (object) => text(object, 'spec', 'taint', 'key'), { description: 'The key of the taint.' }),
  column('Value', (object) => text(object, 'spec', 'taint', 'value'), { description: 'Its value.' }),
  column('Effect', (object) => text(object, 'spec', 'taint', 'effect'), { description: 'What it does to pods.' }),
  column(
    'TimeAdded',
    (object, nowMs) =>
      isSet(object, 'spec', 'taint', 'timeAdded') ? since(nowMs, object, 'spec', 'taint', 'timeAdded') : '',
    { description: 'How long ago it was added.' },
  ),
  ageColumn,
]);

const poolStatusRequests = printer([
  nameColumn,
  column('Driver', (object) => text(object, 'spec', 'driver'), { description: 'The driver that is asked about.' }),
  devices('Total', 'totalDevices'),
  devices('Available', 'availableDevices'),
  devices('Allocated', 'allocatedDevices'),
  devices('Unavailable', 'unavailableDevices'),
  column(
    'Errors',
    (object) => (isAnswered(object) ? `${pools(object).filter((pool) => isSet(pool, 'validationError')).length}` : '-'),
    { description: 'How many pools are in error.' },
  ),
  column('Pools', (object) => count(object, 'status', 'poolCount'), {
    type: 'integer',
    description: 'How many pools match.',
  }),
  column('Status', requestStatus, { description: 'How far the request is.' }),
  column(
    'Completed',
    (object, nowMs) => {
      const outcome = outcomeOf(object);
      return outcome?.type === 'Complete' ? since(nowMs, outcome, 'lastTransitionTime') : '<none>';
    },
    { description: 'How long ago it was answered.' },
  ),
]);

function pools(request: JsonObject): JsonObject[] {
  return list(request, 'status', 'pools');
}

function outcomeOf(request: JsonObject): JsonObject | undefined {
  return list(request, 'status', 'conditions').find(
    ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'),
  );
}

function isAnswered(request: JsonObject): boolean {
  return isSet(request, 'status') && outcomeOf(request)?.type !== 'Failed';
}

function devices(name: string, field: string): PrintedColumn {
  const cell = (object: JsonObject) =>
    isAnswered(object) ? `${pools(object).reduce((sum, pool) => sum + count(pool, field), 0)}` : '-';
  return column(name, cell, { description: `How many devices, in all pools together: ${name.toLowerCase()}.` });
}

function requestStatus(request: JsonObject): string {
  const type = text(outcomeOf(request), 'type') || 'Pending';
  const shown = pools(request).length;
  const total = count(request, 'status', 'poolCount');
  return type === 'Complete' && total > shown ? `Complete (${shown}/${total} pools)` : type;
}

const podGroups = printer([
  nameColumn,
  column('Policy', (object) => (isSet(object, 'spec', 'schedulingPolicy', 'gang') ? 'Gang' : 'Basic'), {
    description: 'How its pods are scheduled.',
  }),
  column(
    'Workload',
    (object) => {
      const reference = getPath(object, 'spec', 'podGroupTemplateRef');
      return isSet(reference) ? text(reference, 'workload', 'workloadName') : '<none>';
    },
    { description: 'The Workload that it belongs to.' },
  ),
  column('Status', podGroupStatus, { description: 'Whether its pods are scheduled.' }),
  ageColumn,
]);

function podGroupStatus(group: JsonObject): string {
  const conditions = list(group, 'status', 'conditions');
  const disrupted = conditions.findLast(({ type }) => type === 'DisruptionTarget');
  if (disrupted !== undefined) return text(disrupted, 'reason');
  const scheduled = conditions.findLast(({ type }) => type === 'PodGroupScheduled');
  if (scheduled === undefined) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}

export const devicePrinters: Readonly<Record<string, TablePrinter>> = {
  'DeviceClass.resource.k8s.io': nameAndAge,
  'ResourceClaim.resource.k8s.io': resourceClaims,
  'ResourceClaimTemplate.resource.k8s.io': nameAndAge,
  'ResourceSlice.resource.k8s.io': resourceSlices,
  'DeviceTaintRule.resource.k8s.io': deviceTaintRules,
  'ResourcePoolStatusRequest.resource.k8s.io': poolStatusRequests,
  'Workload.scheduling.k8s.io': nameAndAge,
  'PodGroup.scheduling.k8s.io': podGroups,
};
