import type { ContainerStatus, Pod, PodStatus } from '../../generated/api/core/v1.ts';

/** Where a pod of the simulation stands. `waiting` → `creating` → `running` ⇄ `crashed`; `leaving` ends each life. */
export type PodStage = 'waiting' | 'creating' | 'running' | 'crashed' | 'leaving';

export interface SimulatedPod {
  readonly name: string;
  readonly app: string;
  readonly node: string;
  stage: PodStage;
  restarts: number;
}

export interface PodTemplate {
  readonly app: string;
  readonly image: string;
  readonly replicaSet: { readonly name: string; readonly uid: string };
}

export function podManifest(pod: SimulatedPod, { app, image, replicaSet }: PodTemplate): Pod {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: pod.name,
      namespace: 'default',
      labels: { app },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', controller: true, ...replicaSet }],
    },
    spec: { nodeName: pod.node, containers: [{ name: app, image }] },
  };
}

/** What a kubelet would report of a pod at this stage. */
export function podStatus({ app, stage, restarts }: SimulatedPod, nowMs: number): PodStatus {
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = stage === 'running';
  const container: ContainerStatus = {
    name: app,
    image: '',
    imageID: '',
    ready,
    restartCount: restarts,
    state:
      stage === 'running'
        ? { running: { startedAt: now } }
        : stage === 'crashed'
          ? { waiting: { reason: 'CrashLoopBackOff', message: 'the container ends as soon as it has started' } }
          : { waiting: { reason: 'ContainerCreating' } },
  };
  return {
    phase: stage === 'running' || stage === 'crashed' ? 'Running' : 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: now },
      { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: now },
    ],
    containerStatuses: stage === 'waiting' ? [] : [container],
  };
}
