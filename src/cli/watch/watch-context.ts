import type { Transport } from '../../api/transport.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { CliIo } from '../cli-io.ts';
import type { WatchRequest } from './watch-request.ts';
import type { WatchTarget } from './watch-target.ts';

/** What the ways to show a watch share. */
export interface WatchContext {
  readonly io: CliIo;
  readonly request: WatchRequest;
  readonly target: WatchTarget;
  readonly cluster: Cluster;
  readonly transport: Transport;
  /** Whether the server has ever let us watch. */
  readonly watchAccepted: () => boolean;
}
