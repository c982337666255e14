import type { Cached } from '../../api/cached.ts';
import { timeText } from '../protobuf/time-text.ts';

/** What is known of an object without looking at its bytes. */
export type Identity = Pick<Cached, 'name' | 'namespace' | 'uid' | 'resourceVersion'>;

/** What a message of metadata ends with: maps and lists, which cost most to decode. */
export interface TailFields {
  labels?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  ownerReferences?: Record<string, unknown>[];
  finalizers?: string[];
}

/** Metadata as JSON has them, in the order in which Go writes them. */
export interface MetadataFields extends TailFields {
  name: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string | null;
  deletionGracePeriodSeconds?: number;
}

/** What was decoded once, for many objects. */
export interface CopiedTail {
  /** Gives a reader its own copy. */
  copyTo(fields: TailFields): void;
}

/** Makes plain objects, like a literal, but with room for what will be added. */
function PlainMetadata(this: MetadataFields, name: string): void {
  this.name = name;
}
PlainMetadata.prototype = Object.prototype;
export const Metadata = PlainMetadata as unknown as new (name: string) => MetadataFields;

/**
 * All that many objects have in common in their metadata: everything but who they are and the second they were created in.
 * The metadata of such an object need not be looked for in its bytes.
 */
export class CommonMetadata {
  readonly generateName: string | undefined;
  readonly generation: number | undefined;
  readonly #tail: CopiedTail;

  constructor(generateName: string | undefined, generation: number | undefined, tail: CopiedTail) {
    this.generateName = generateName;
    this.generation = generation;
    this.#tail = tail;
  }

  /** For one reader alone. */
  view({ name, namespace, uid, resourceVersion }: Identity, createdSeconds: number): MetadataFields {
    const view = new Metadata(name);
    if (this.generateName !== undefined) view.generateName = this.generateName;
    if (namespace !== '') view.namespace = namespace;
    if (uid !== '') view.uid = uid;
    if (resourceVersion !== '') view.resourceVersion = resourceVersion;
    if (this.generation !== undefined) view.generation = this.generation;
    view.creationTimestamp = timeText(createdSeconds);
    this.#tail.copyTo(view);
    return view;
  }
}
