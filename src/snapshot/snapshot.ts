import type { Cached, CachedList, SavedObjects } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/**
 * What caches hold, in a file, so that the next process goes on from there in place of a list. A snapshot has a section for each
 * list and watch. It holds exactly what existed at the section's version, or nothing: whoever goes on watching from that version has
 * missed nothing.
 */
export interface SnapshotOptions {
  /** Where it is. Written whole under another name first, for the owner alone (mode 0600), and then renamed. */
  file: string;
  /** How often it is written, besides when the factory stops. Default 300,000; 0: only when it stops. */
  everyMs?: number | undefined;
  /** An older one is not used. Default 86,400,000, a day. */
  maxAgeMs?: number | undefined;
  /** Whether Secrets are written too. They are as readable in the file as they are on the server. Default false. */
  secrets?: boolean | undefined;
}

/** What one list and watch held at one moment. */
export interface PartState<T extends KubernetesObject = KubernetesObject> {
  readonly resourceVersion: string;
  readonly objects: readonly Cached<T>[];
}

/** Reads pages of a LIST. */
export interface PageReader<T extends KubernetesObject> {
  readList(body: AsyncIterable<Uint8Array>, contentType: string): Promise<CachedList<T>>;
  /** Set when objects can stay in the memory of their page, which nobody may then change. */
  restorer?(contentType: string): ((bytes: Buffer, objects: SavedObjects) => Cached<T>[]) | undefined;
}

/** What a section was saved of. Sections are found by it: another selector, another namespace or another `drop` is another section. */
export interface PartDescription {
  readonly [name: string]: string | boolean | readonly string[] | undefined;
}
