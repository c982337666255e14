import type { Reasons } from './comparison.ts';

/** Specs that pass on the real server and not on the embedded one beside kube-controller-manager, and why. They are not run. */
export const REASONS: Reasons = {};

/** The same without kube-controller-manager: of its controllers the embedded server has only some. */
export const REASONS_ALONE: Reasons = {
  'CronJob should replace': 'needs the controller of CronJobs',
  'CronJob should schedule': 'needs the controller of CronJobs',
  'Garbage collector should delete RS created by deployment': 'needs the controller of Deployments',
  'Garbage collector should orphan RS created by deployment': 'needs the controller of Deployments',
  'Garbage collector should delete pods created by rc': 'needs the controller of ReplicationControllers',
  'Garbage collector should keep the rc around': 'needs the controller of ReplicationControllers',
  'Garbage collector should not delete dependents that have both': 'needs the controller of ReplicationControllers',
  'Garbage collector should orphan pods created by rc': 'needs the controller of ReplicationControllers',
  'Listing PodDisruptionBudgets': 'needs the controller of PodDisruptionBudgets',
  'DisruptionController should create a PodDisruptionBudget': 'needs the controller of PodDisruptionBudgets',
  'surface a failure condition': 'needs the controller of ReplicationControllers',
  'EndpointSlice should create and delete': 'needs the controllers of Endpoints and EndpointSlices',
  EndpointSliceMirroring: 'needs the controller that mirrors Endpoints',
  'EndpointsController should create and delete': 'needs the controllers of Endpoints and EndpointSlices',
};
