import type { Summary } from './summary.ts';
import { number } from './tables.ts';

/** How fast and how small, for the first screen of the README: one line for each client that was measured. */
export function speedSentences(summary: Summary, scene: string): string {
  const figures = (peer: string) => {
    const bytes = summary.figure(peer, scene, 'heapBytesPerObject');
    if (bytes === undefined) return undefined;
    return { sync: number(summary.figure(peer, scene, 'syncSeconds'), 2), bytes: number(bytes, 0) };
  };
  const ours = figures('tidewatch, packed, protobuf');
  const clientGo = figures('client-go, protobuf');
  const dropped = figures('client-go, protobuf, managedFields dropped');
  const clientNode = figures('@kubernetes/client-node, JSON');
  const without = dropped && ` (${dropped.bytes} without managedFields, which tidewatch drops by default)`;
  return [
    ours && `With ${scene} over TLS, tidewatch syncs in ${ours.sync} s and holds ${ours.bytes} bytes a pod.`,
    clientGo && `client-go needs ${clientGo.sync} s and ${clientGo.bytes} bytes${without ?? ''}.`,
    clientNode && `@kubernetes/client-node needs ${clientNode.sync} s and ${clientNode.bytes} bytes.`,
    '[docs/benchmarks.md](docs/benchmarks.md) says how this is measured.',
  ]
    .filter((sentence) => sentence !== undefined)
    .join('\n');
}
