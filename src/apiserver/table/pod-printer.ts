import { getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { age, count, flag, isSet, list, since, text } from './cell-text.ts';
import { ageColumn, nameColumn } from './common-columns.ts';
import { heading, type TablePrinter, type TableRowCondition } from './table-printer.ts';

const SUCCEEDED: TableRowCondition[] = [
  { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
];
const FAILED: TableRowCondition[] = [
  { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
];

export const podPrinter: TablePrinter = {
  columns: [
    nameColumn.column,
    heading('Ready', { description: 'How many of the containers are ready.' }),
    heading('Status', { description: 'The phase of the pod, or what keeps it from running.' }),
    heading('Restarts', { description: 'How often containers were restarted, and how long ago the last time was.' }),
    ageColumn.column,
    heading('IP', { wide: true, description: 'The first address of the pod.' }),
    heading('Node', { wide: true, description: 'The node that the pod is bound to.' }),
    heading('Nominated Node', { wide: true, description: 'The node that preemption makes room on.' }),
    heading('Readiness Gates', { wide: true, description: 'How many of the additional conditions are true.' }),
  ],
  cells(pod, nowMs) {
    const summary = summarize(pod);
    const { restarts, lastRestart } = summary;
    const restarted = restarts !== 0 && lastRestart !== '' ? ` (${since(nowMs, lastRestart)} ago)` : '';
    return [
      text(pod, 'metadata', 'name'),
      `${summary.ready}/${summary.containers}`,
      summary.reason,
      `${restarts}${restarted}`,
      age(pod, nowMs),
      text(list(pod, 'status', 'podIPs')[0], 'ip') || '<none>',
      text(pod, 'spec', 'nodeName') || '<none>',
      text(pod, 'status', 'nominatedNodeName') || '<none>',
      readinessGates(pod),
    ];
  },
  conditions(pod) {
    const phase = text(pod, 'status', 'phase');
    if (phase === 'Succeeded') return SUCCEEDED;
    return phase === 'Failed' ? FAILED : undefined;
  },
};

interface PodSummary {
  ready: number;
  containers: number;
  reason: string;
  restarts: number;
  /** RFC 3339, or "" when no container was ever restarted. */
  lastRestart: string;
}

function summarize(pod: JsonObject): PodSummary {
  const phase = text(pod, 'status', 'phase');
  const statusReason = text(pod, 'status', 'reason');
  const init = summarizeInit(pod);
  const sidecars = list(pod, 'spec', 'initContainers').filter(isSidecar).length;
  const summary: PodSummary = {
    ready: init.ready,
    containers: list(pod, 'spec', 'containers').length + sidecars,
    reason: init.reason ?? (isSchedulingGated(pod) ? 'SchedulingGated' : statusReason || phase),
    restarts: init.restarts,
    lastRestart: init.lastRestart,
  };
  if (init.reason === undefined || hasCondition(pod, 'Initialized')) {
    summary.restarts = init.sidecarRestarts;
    summary.lastRestart = init.lastSidecarRestart;
    addContainers(pod, summary);
  }
  if (isSet(pod, 'metadata', 'deletionTimestamp')) {
    if (statusReason === 'NodeLost') summary.reason = 'Unknown';
    else if (phase !== 'Failed' && phase !== 'Succeeded') summary.reason = 'Terminating';
  }
  return summary;
}

interface InitSummary {
  /** Unset once all init containers have done their part. */
  reason: string | undefined;
  ready: number;
  restarts: number;
  lastRestart: string;
  sidecarRestarts: number;
  lastSidecarRestart: string;
}

/** The init containers up to the first that has not finished, which is the one that names the reason. */
function summarizeInit(pod: JsonObject): InitSummary {
  const specs = list(pod, 'spec', 'initContainers');
  const summary: InitSummary = {
    reason: undefined,
    ready: 0,
    restarts: 0,
    lastRestart: '',
    sidecarRestarts: 0,
    lastSidecarRestart: '',
  };
  for (const [index, status] of list(pod, 'status', 'initContainerStatuses').entries()) {
    const sidecar = specs.some((spec) => spec.name === status.name && isSidecar(spec));
    const finishedAt = lastTermination(status);
    summary.restarts += count(status, 'restartCount');
    summary.lastRestart = later(summary.lastRestart, finishedAt);
    if (sidecar) {
      summary.sidecarRestarts += count(status, 'restartCount');
      summary.lastSidecarRestart = later(summary.lastSidecarRestart, finishedAt);
    }
    const terminated = getPath(status, 'state', 'terminated');
    if (isSet(terminated) && count(terminated, 'exitCode') === 0) continue;
    if (sidecar && flag(status, 'started')) {
      if (flag(status, 'ready')) summary.ready += 1;
      continue;
    }
    summary.reason = `Init:${initReason(status, index, specs.length)}`;
    return summary;
  }
  return summary;
}

function initReason(status: JsonObject, index: number, total: number): string {
  const terminated = getPath(status, 'state', 'terminated');
  if (isSet(terminated)) return terminationReason(terminated);
  const waiting = text(status, 'state', 'waiting', 'reason');
  return waiting !== '' && waiting !== 'PodInitializing' ? waiting : `${index}/${total}`;
}

/** The first container that has a reason gives it to the pod; so they are looked at last to first. */
function addContainers(pod: JsonObject, summary: PodSummary): void {
  let hasRunning = false;
  let errorReason = '';
  for (const status of list(pod, 'status', 'containerStatuses').reverse()) {
    summary.restarts += count(status, 'restartCount');
    summary.lastRestart = later(summary.lastRestart, lastTermination(status));
    const waiting = text(status, 'state', 'waiting', 'reason');
    const terminated = getPath(status, 'state', 'terminated');
    if (waiting !== '') {
      summary.reason = waiting;
    } else if (isSet(terminated)) {
      summary.reason = terminationReason(terminated);
      if (count(terminated, 'exitCode') !== 0) errorReason = summary.reason;
    } else if (flag(status, 'ready') && isSet(status, 'state', 'running')) {
      hasRunning = true;
      summary.ready += 1;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (hasRunning && hasCondition(pod, 'Ready')) summary.reason = 'Running';
  else if (errorReason !== '') summary.reason = errorReason;
  else if (hasRunning) summary.reason = 'NotReady';
}

function terminationReason(terminated: JsonValue | undefined): string {
  const reason = text(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = count(terminated, 'signal');
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${count(terminated, 'exitCode')}`;
}

function lastTermination(status: JsonObject): string {
  return text(status, 'lastState', 'terminated', 'finishedAt');
}

function later(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return Date.parse(b) > Date.parse(a) ? b : a;
}

function isSidecar(container: JsonObject): boolean {
  return container.restartPolicy === 'Always';
}

function isSchedulingGated(pod: JsonObject): boolean {
  return list(pod, 'status', 'conditions').some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
}

function hasCondition(pod: JsonObject, type: string): boolean {
  return list(pod, 'status', 'conditions').some((condition) => condition.type === type && condition.status === 'True');
}

function readinessGates(pod: JsonObject): string {
  const gates = list(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  const conditions = list(pod, 'status', 'conditions');
  const met = gates.filter((gate) => {
    const condition = conditions.find(({ type }) => type === gate.conditionType);
    return condition?.status === 'True';
  });
  return `${met.length}/${gates.length}`;
}
