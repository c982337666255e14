import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/** A whole state that was saved before this process began. */
export interface SavedState<T extends KubernetesObject> {
  /** Undefined when there is none that can be used. Rejects, as any request, when the server does not answer. */
  find(signal: AbortSignal): Promise<FoundState<T> | undefined>;
}

export interface FoundState<T extends KubernetesObject> {
  readonly resourceVersion: string;
  /** Rejects when it is damaged. */
  read(): Promise<readonly Cached<T>[]>;
  /** It cannot be used after all, and why. */
  discard(why: string): void;
}
