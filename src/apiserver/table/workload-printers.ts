import { asArray, getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { count, flag, isSet, labelsText, list, selectorText, since, text, yesNo } from './cell-text.ts';
import { ageColumn, containerColumns, nameColumn, selectorColumn } from './common-columns.ts';
import { humanDuration } from './human-duration.ts';
import { column, type PrintedColumn, printer, type TablePrinter } from './table-printer.ts';

const templateSpec = (object: JsonObject): JsonValue | undefined => getPath(object, 'spec', 'template', 'spec');
const cronJobPodSpec = (object: JsonObject): JsonValue | undefined =>
  getPath(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec');

function integer(name: string, description: string, ...path: string[]): PrintedColumn {
  return column(name, (object) => count(object, ...path), { type: 'integer', description });
}

const readyOfDesired = column(
  'Ready',
  (object) => `${count(object, 'status', 'readyReplicas')}/${count(object, 'spec', 'replicas')}`,
  { description: 'How many pods are ready, of those desired.' },
);

const replicaColumns: PrintedColumn[] = [
  nameColumn,
  integer('Desired', 'How many pods are wanted.', 'spec', 'replicas'),
  integer('Current', 'How many pods there are.', 'status', 'replicas'),
  integer('Ready', 'How many pods are ready.', 'status', 'readyReplicas'),
  ageColumn,
];

const replicationControllers = printer([
  ...replicaColumns,
  ...containerColumns(templateSpec),
  column('Selector', (object) => labelsText(getPath(object, 'spec', 'selector')), {
    wide: true,
    description: 'Which pods belong to the object.',
  }),
]);

const replicaSets = printer([...replicaColumns, ...containerColumns(templateSpec), selectorColumn('spec', 'selector')]);

const deployments = printer([
  nameColumn,
  readyOfDesired,
  column('Up-to-date', (object) => count(object, 'status', 'updatedReplicas'), {
    description: 'How many pods are of the present template.',
  }),
  column('Available', (object) => count(object, 'status', 'availableReplicas'), {
    description: 'How many pods have been ready long enough.',
  }),
  ageColumn,
  ...containerColumns(templateSpec),
  column('Selector', (object) => selectorText(getPath(object, 'spec', 'selector')) ?? '<invalid>', {
    wide: true,
    description: 'Which pods belong to the object.',
  }),
]);

const statefulSets = printer([nameColumn, readyOfDesired, ageColumn, ...containerColumns(templateSpec)]);

const daemonSets = printer([
  nameColumn,
  integer('Desired', 'How many nodes should run a pod.', 'status', 'desiredNumberScheduled'),
  integer('Current', 'How many of these nodes run one.', 'status', 'currentNumberScheduled'),
  integer('Ready', 'How many nodes have a ready pod.', 'status', 'numberReady'),
  integer('Up-to-date', 'How many nodes have a pod of the present template.', 'status', 'updatedNumberScheduled'),
  integer('Available', 'How many nodes have a pod that has been ready long enough.', 'status', 'numberAvailable'),
  column('Node Selector', (object) => labelsText(getPath(templateSpec(object), 'nodeSelector')), {
    description: 'The labels that a node must have.',
  }),
  ageColumn,
  ...containerColumns(templateSpec),
  selectorColumn('spec', 'selector'),
]);

const controllerRevisions = printer([
  nameColumn,
  column('Controller', controllerOf, { description: 'The controller that keeps the revision.' }),
  column('Revision', (object) => count(object, 'revision'), { description: 'Its number.' }),
  ageColumn,
]);

function controllerOf(object: JsonObject): string {
  const owner = list(object, 'metadata', 'ownerReferences').find((reference) => flag(reference, 'controller'));
  if (owner === undefined) return '<none>';
  const [group = '', version] = text(owner, 'apiVersion').split('/');
  const kind = text(owner, 'kind').toLowerCase();
  return `${version === undefined ? kind : `${kind}.${group.toLowerCase()}`}/${text(owner, 'name')}`;
}

const jobs = printer([
  nameColumn,
  column('Status', jobStatus, { description: 'How the job is.' }),
  column('Completions', jobCompletions, { description: 'How many pods have succeeded, of those needed.' }),
  column('Duration', jobDuration, { description: 'How long the job has run, or ran.' }),
  ageColumn,
  ...containerColumns(templateSpec),
  selectorColumn('spec', 'selector'),
]);

function jobStatus(job: JsonObject): string {
  const conditions = list(job, 'status', 'conditions');
  const holds = (wanted: string) => conditions.find(({ type }) => type === wanted)?.status === 'True';
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (isSet(job, 'metadata', 'deletionTimestamp')) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running';
}

function jobCompletions(job: JsonObject): string {
  const succeeded = count(job, 'status', 'succeeded');
  if (isSet(job, 'spec', 'completions')) return `${succeeded}/${count(job, 'spec', 'completions')}`;
  const parallelism = count(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject, nowMs: number): string {
  const startMs = Date.parse(text(job, 'status', 'startTime'));
  if (Number.isNaN(startMs)) return '';
  const endMs = Date.parse(text(job, 'status', 'completionTime'));
  return humanDuration((Number.isNaN(endMs) ? nowMs : endMs) - startMs);
}

const cronJobs = printer([
  nameColumn,
  column('Schedule', (object) => text(object, 'spec', 'schedule'), { description: 'When it runs, in cron form.' }),
  column('Timezone', (object) => (isSet(object, 'spec', 'timeZone') ? text(object, 'spec', 'timeZone') : '<none>'), {
    description: 'The time zone of the schedule.',
  }),
  column('Suspend', (object) => yesNo(getPath(object, 'spec', 'suspend')), {
    type: 'boolean',
    description: 'Whether no further jobs are started.',
  }),
  column('Active', (object) => asArray(getPath(object, 'status', 'active')).length, {
    type: 'integer',
    description: 'How many jobs are running.',
  }),
  column(
    'Last Schedule',
    (object, nowMs) =>
      isSet(object, 'status', 'lastScheduleTime') ? since(nowMs, object, 'status', 'lastScheduleTime') : '<none>',
    { description: 'How long ago a job was started.' },
  ),
  ageColumn,
  ...containerColumns(cronJobPodSpec),
  selectorColumn('spec', 'jobTemplate', 'spec', 'selector'),
]);

const podTemplates = printer([
  nameColumn,
  ...containerColumns((object) => getPath(object, 'template', 'spec')).map((printed) => ({
    ...printed,
    column: { ...printed.column, priority: 0 },
  })),
  column('Pod Labels', (object) => labelsText(getPath(object, 'template', 'metadata', 'labels')), {
    description: 'The labels that pods get.',
  }),
]);

const podDisruptionBudgets = printer([
  nameColumn,
  column('Min Available', (object) => intOrString(getPath(object, 'spec', 'minAvailable')), {
    description: 'How many pods must stay available.',
  }),
  column('Max Unavailable', (object) => intOrString(getPath(object, 'spec', 'maxUnavailable')), {
    description: 'How many pods may be unavailable.',
  }),
  integer('Allowed Disruptions', 'How many pods may be evicted now.', 'status', 'disruptionsAllowed'),
  ageColumn,
]);

function intOrString(value: JsonValue | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';
}

const scales = printer([
  { ...nameColumn, column: { ...nameColumn.column, format: '' } },
  integer('Desired', 'How many replicas are wanted.', 'spec', 'replicas'),
  integer('Available', 'How many replicas there are.', 'status', 'replicas'),
  ageColumn,
]);

export const workloadPrinters: Readonly<Record<string, TablePrinter>> = {
  ReplicationController: replicationControllers,
  PodTemplate: podTemplates,
  'ReplicaSet.apps': replicaSets,
  'Deployment.apps': deployments,
  'StatefulSet.apps': statefulSets,
  'DaemonSet.apps': daemonSets,
  'ControllerRevision.apps': controllerRevisions,
  'Job.batch': jobs,
  'CronJob.batch': cronJobs,
  'PodDisruptionBudget.policy': podDisruptionBudgets,
  'Scale.autoscaling': scales,
};
