import type { KubernetesObject } from '../../api/metadata.ts';

interface ContainerStatus {
  name?: string;
  restartCount?: number;
  state?: { running?: unknown; terminated?: unknown };
}

/** The parts of a pod that say which logs it has. */
interface PodParts {
  status?: {
    containerStatuses?: ContainerStatus[] | null;
    initContainerStatuses?: ContainerStatus[] | null;
    ephemeralContainerStatuses?: ContainerStatus[] | null;
  };
}

/** A container that has begun to write, in one of its runs. */
export interface StartedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Another one after each restart. */
  readonly run: string;
}

/** The containers of a pod that have a log: those that run, or have ended. */
export function startedContainers(pod: KubernetesObject): StartedContainer[] {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  const { status } = pod as PodParts;
  const all = [status?.initContainerStatuses, status?.containerStatuses, status?.ephemeralContainerStatuses];
  return all
    .flatMap((statuses) => statuses ?? [])
    .filter(({ state }) => state?.running !== undefined || state?.terminated !== undefined)
    .map(({ name: container = '', restartCount = 0 }) => ({
      namespace,
      pod: name,
      container,
      run: `${uid}/${container}/${restartCount}`,
    }));
}
