/** Knows whether a server can be reached. Shared by all reflectors of a cluster, so that one of them asks for all. */
export interface Reachability {
  /**
   * For those who could not reach the server. Resolves when it answers again, not at the same moment for all who wait; rejects
   * with the signal's reason when that aborts.
   */
  whenBack(signal: AbortSignal): Promise<void>;
}
