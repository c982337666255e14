/** A ReplicaSet controller that does what the one of kube-controller-manager does, on tidewatch's runtime. */
import { ApiError, LabelSelector, metaNamespaceKey, type SharedInformerFactory } from 'tidewatch';
import { type ReplicaSet, replicaSets } from 'tidewatch/api/apps/v1';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { controllerOf, type Manager, type ReconcileContext, type ReconcileResult } from 'tidewatch/controller';

/** As many pods are made or deleted in one run. */
const BURST = 500;

type Context = ReconcileContext<ReplicaSet>;
type Living = NonNullable<Context['object']>;

/** The factory must be the one of the manager: an orphan is mapped to the sets that may adopt it. */
export function addReplicaSetController(manager: Manager, factory: SharedInformerFactory): void {
  const sets = factory.for(replicaSets).lister();
  manager
    .controller('replicaset-controller')
    .for(replicaSets)
    .owns(pods)
    .watches(pods, (pod) => {
      if (controllerOf(pod) !== undefined || pod.metadata.namespace === undefined) return [];
      const all = sets.namespace(pod.metadata.namespace).list();
      return all.filter((set) => selectorOf(set).matches(pod.metadata?.labels ?? {})).map(metaNamespaceKey);
    })
    .reconcile(reconcile, { concurrency: 5 });
}

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object } = context;
  if (object === undefined) return undefined;
  const claimed = await claim(context, object);
  const active = claimed.filter(isActive);
  let failure: unknown;
  // One that is being deleted leaves its pods to the garbage collector.
  if (object.metadata.deletionTimestamp === undefined) failure = await scale(context, object, active);
  await reportStatus(context, object, active, failure);
  if (failure !== undefined) throw failure;
  const waitMs = Math.min(...active.map((pod) => untilAvailableMs(object, pod)).filter((ms) => ms > 0));
  return Number.isFinite(waitMs) ? { requeueAfterMs: waitMs } : undefined;
}

function selectorOf(set: ReplicaSet): LabelSelector {
  return LabelSelector.fromObject(set.spec?.selector);
}

/** The pods of the set: it releases what it owns and no longer selects, and adopts what it selects and nobody controls. */
async function claim(context: Context, set: Living): Promise<Pod[]> {
  const selector = selectorOf(set);
  const claimed: Pod[] = [];
  let mayAdopt: boolean | undefined;
  for (const pod of context.lister(pods).list()) {
    const owner = controllerOf(pod);
    const isSelected = selector.matches(pod.metadata?.labels ?? {});
    if (owner !== undefined) {
      if (owner.uid !== set.metadata.uid) continue;
      if (isSelected) claimed.push(pod);
      else if (set.metadata.deletionTimestamp === undefined) await release(context, set, pod);
    } else if (isSelected && isActive(pod)) {
      mayAdopt ??= await isStillThere(context, set);
      if (mayAdopt && (await adopt(context, pod))) claimed.push(pod);
    }
  }
  return claimed;
}

/** Asks the server: by a stale cache, a set that is being deleted would adopt the pods that it has just let go. */
async function isStillThere({ client }: Context, set: Living): Promise<boolean> {
  if (set.metadata.deletionTimestamp !== undefined) return false;
  const fresh = await ifThere(client(replicaSets).get(set.metadata.name));
  return fresh?.metadata?.uid === set.metadata.uid && fresh.metadata.deletionTimestamp === undefined;
}

async function adopt({ client, own }: Context, pod: Pod): Promise<boolean> {
  const { name = '', resourceVersion } = pod.metadata ?? {};
  const { ownerReferences } = own(pod).metadata ?? {};
  const patch = { metadata: { resourceVersion, ownerReferences } };
  return (await ifThere(client(pods).patch(name, patch as never))) !== undefined;
}

async function release({ client }: Context, set: Living, pod: Pod): Promise<void> {
  const { name = '', resourceVersion, ownerReferences = [] } = pod.metadata ?? {};
  const others = ownerReferences.filter(({ uid }) => uid !== set.metadata.uid);
  await ifThere(client(pods).patch(name, { metadata: { resourceVersion, ownerReferences: others } } as never));
}

/** Makes or deletes pods; gives what went wrong. */
async function scale(context: Context, set: Living, active: readonly Pod[]): Promise<unknown> {
  const missing = (set.spec?.replicas ?? 1) - active.length;
  const { metadata: template, spec } = set.spec?.template ?? {};
  const { labels, annotations, finalizers } = template ?? {};
  const metadata = { generateName: `${set.metadata.name}-`, labels, annotations, finalizers } as Pod['metadata'] &
    object;
  const made = { metadata, spec } as Pod;
  if (missing > 0) {
    return inBatches(Math.min(missing, BURST), async () => {
      const pod = await context.client(pods).create(context.own(made));
      say(context, set, 'SuccessfulCreate', 'Create', `Created pod: ${pod.metadata?.name}`);
    });
  }
  const doomed = [...active].sort(byLoss).slice(0, Math.min(-missing, BURST));
  return inBatches(doomed.length, async (index) => {
    const { name = '', uid } = doomed[index]?.metadata ?? {};
    await ifThere(context.client(pods).delete(name, { ...(uid && { preconditions: { uid } }) }));
    say(context, set, 'SuccessfulDelete', 'Delete', `Deleted pod: ${name}`);
  });
}

/** One, then two, four, …: a quota or an admission that says no is asked once, and not five hundred times. */
async function inBatches(count: number, work: (index: number) => Promise<void>): Promise<unknown> {
  for (let done = 0, size = 1; done < count; done += size, size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, index) => work(done + index));
    const failed = (await Promise.allSettled(batch)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') return failed.reason;
  }
  return undefined;
}

function say({ record }: Context, set: Living, reason: string, action: string, note: string): void {
  record(set, { type: 'Normal', reason, action, note });
}

async function reportStatus(context: Context, set: Living, active: readonly Pod[], failure: unknown): Promise<void> {
  const wanted = Object.entries(set.spec?.template?.metadata?.labels ?? {});
  const count = (holds: (pod: Pod) => boolean) => active.filter(holds).length;
  const kept = (set.status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  const failed = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: String(failure) };
  const conditions = failure === undefined ? kept : [...kept, failed];
  await context.client(replicaSets).patchStatus(set, {
    replicas: active.length,
    // The wire leaves out what is 0.
    fullyLabeledReplicas:
      count(({ metadata }) => wanted.every(([key, value]) => metadata?.labels?.[key] === value)) || null,
    readyReplicas: count(isReady) || null,
    availableReplicas: count((pod) => isReady(pod) && untilAvailableMs(set, pod) === 0) || null,
    observedGeneration: set.metadata.generation,
    ...(conditions.length !== (set.status?.conditions?.length ?? 0) && { conditions }),
  });
}

function isActive({ metadata, status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata?.deletionTimestamp === undefined;
}

function readySince({ status }: Pod): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? (ready.lastTransitionTime ?? '') : undefined;
}

function isReady(pod: Pod): boolean {
  return readySince(pod) !== undefined;
}

/** How long it must stay ready until it counts as available. */
function untilAvailableMs(set: ReplicaSet, pod: Pod): number {
  const since = readySince(pod);
  if (since === undefined) return 0;
  return Math.max(0, Date.parse(since) + (set.spec?.minReadySeconds ?? 0) * 1000 - Date.now()) || 0;
}

/** Whose deletion costs least comes first: not on a node, not running, not ready, younger. */
function byLoss(one: Pod, other: Pod): number {
  const ranks = ({ spec, status, metadata }: Pod, pod: Pod) => [
    spec?.nodeName ? 1 : 0,
    ['Pending', 'Unknown', 'Running'].indexOf(status?.phase ?? 'Pending'),
    isReady(pod) ? 1 : 0,
    -Date.parse(metadata?.creationTimestamp ?? ''),
  ];
  const others = ranks(other, other);
  const difference = ranks(one, one).map((rank, index) => rank - (others[index] ?? 0));
  return difference.find((value) => value !== 0 && !Number.isNaN(value)) ?? 0;
}

async function ifThere<R>(answer: Promise<R>): Promise<R | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.kind === 'not-found') return undefined;
    throw error;
  });
}
