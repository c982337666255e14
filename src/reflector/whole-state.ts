import type { BrokenObject, Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { FrameStream } from './frame-stream.ts';

/** Everything that exists, as of one version, from LIST or WatchList. */
export interface WholeState<T extends KubernetesObject> {
  readonly items: readonly Cached<T>[];
  readonly broken: readonly BrokenObject[];
  readonly resourceVersion: string;
  /** How it came, for the log. */
  readonly how: string;
  /** The watch that goes on from there, when it came by one. */
  readonly stream?: FrameStream<T>;
}
