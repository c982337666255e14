import type { KubernetesObject } from '../../src/api/metadata.ts';
import { compareResourceVersions } from '../../src/api/resource-version.ts';
import type { Client } from '../../src/cluster/client.ts';
import type { Lease } from '../../src/generated/api/coordination/v1.ts';

/** The ConfigMap that our side writes while it leads. */
export const WRITTEN = 'written-by-the-leader';

export interface ContestResult {
  /** How often the Lease went from one side to the other. */
  handOvers: number;
  /** How many writes of ours the server carried out. */
  writes: number;
  /** The resourceVersions of those that it carried out while the Lease named client-go. */
  whileOtherLed: string[];
  /** Those while the Lease named nobody. */
  whileNobodyLed: string[];
}

interface Change {
  readonly version: string;
  /** Of a Lease; undefined for a write of ours. */
  readonly holder: string | undefined;
}

/** Every change of the Lease and of what our side writes. The server gives all objects versions of one sequence. */
export class ContestHistory {
  readonly #changes: Change[] = [];
  holder = '';
  holderSince = '0';

  /** Until the signal aborts; a watch that ends is continued where it was. */
  async follow(client: Client<KubernetesObject>, signal: AbortSignal): Promise<void> {
    let resourceVersion = (await client.list({ signal })).metadata?.resourceVersion ?? '';
    while (!signal.aborted) {
      for await (const { type, object } of client.watch({ resourceVersion, signal })) {
        if (type !== 'ADDED' && type !== 'MODIFIED') throw new Error(`a watch of the contest brought ${type}`);
        resourceVersion = object.metadata?.resourceVersion ?? '';
        this.#note(object, resourceVersion);
      }
    }
  }

  writesSince(version: string): number {
    return this.#changes.filter((change) => change.holder === undefined && isBefore(version, change.version)).length;
  }

  result(other: string): ContestResult {
    const result: ContestResult = { handOvers: 0, writes: 0, whileOtherLed: [], whileNobodyLed: [] };
    let holder = '';
    let lastSide: boolean | undefined;
    for (const change of this.#changes.sort((a, b) => (isBefore(a.version, b.version) ? -1 : 1))) {
      if (change.holder !== undefined) {
        holder = change.holder;
        if (holder === '') continue;
        if (lastSide !== undefined && lastSide !== (holder === other)) result.handOvers++;
        lastSide = holder === other;
      } else {
        result.writes++;
        if (holder === other) result.whileOtherLed.push(change.version);
        if (holder === '') result.whileNobodyLed.push(change.version);
      }
    }
    return result;
  }

  #note(object: KubernetesObject, version: string): void {
    if (object.kind !== 'Lease') {
      if (object.metadata?.name !== WRITTEN) return;
      this.#changes.push({ version, holder: undefined });
      return;
    }
    const holder = (object as Lease).spec?.holderIdentity ?? '';
    this.#changes.push({ version, holder });
    if (holder !== this.holder) this.holderSince = version;
    this.holder = holder;
  }
}

function isBefore(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? 0) < 0;
}
