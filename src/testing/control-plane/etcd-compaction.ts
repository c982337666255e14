import { ControlPlaneError } from './control-plane-error.ts';
import { askLoopback } from './loopback.ts';

/** The revision of etcd's newest write, as a decimal string; it is what Kubernetes calls a resourceVersion. */
export async function currentRevision(etcdUrl: string): Promise<string> {
  // Any key does: the revision is in the header of the answer.
  const answer: unknown = await callEtcd(etcdUrl, 'range', { key: 'AA==', count_only: true });
  const revision = (answer as { header?: { revision?: string } }).header?.revision;
  if (revision === undefined) throw new ControlPlaneError('etcd', 'etcd answered a range request without a revision.');
  return revision;
}

/** Forgets what was before `revision`; resolves when it has also been removed from the database. */
export async function compactEtcd(etcdUrl: string, revision: string): Promise<void> {
  await callEtcd(etcdUrl, 'compaction', { revision, physical: true });
}

async function callEtcd(etcdUrl: string, method: string, body: unknown): Promise<unknown> {
  const answer = await askLoopback(`${etcdUrl}/v3/kv/${method}`, {
    method: 'POST',
    body: JSON.stringify(body),
    timeoutMs: 30_000,
  });
  if (answer.status !== 200) {
    throw new ControlPlaneError('etcd', `etcd refused ${method} with status ${answer.status}: ${answer.body.trim()}`);
  }
  return JSON.parse(answer.body);
}
