/** What every stored Kubernetes object carries. Times are the strings of the wire, never `Date`. */
export interface ObjectMeta {
  name?: string;
  /** A prefix from which the server makes a unique name, when `name` is unset. */
  generateName?: string;
  /** Unset on cluster-scoped objects. */
  namespace?: string;
  uid?: string;
  /** Opaque but for comparison with `compareResourceVersions`. */
  resourceVersion?: string;
  /** Moves when the desired state (`spec`) changes. */
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  /** Deprecated by Kubernetes; servers no longer fill it. */
  selfLink?: string;
}

/** The object that this one belongs to, and is deleted with. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Which fields a manager owns, as `metadata.managedFields` says it. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: unknown;
  subresource?: string;
}

/** The metadata of a list. */
export interface ListMeta {
  resourceVersion?: string;
  /** Present when more pages follow; hand it back as `ListOptions.continue`. */
  continue?: string;
  remainingItemCount?: number;
  selfLink?: string;
}

/** What an object is. */
export interface TypeMeta {
  apiVersion?: string;
  kind?: string;
}

/** Anything that can live in a store: it has a name, and the server gave it a version. */
export interface KubernetesObject extends TypeMeta {
  metadata?: ObjectMeta;
}

/**
 * An object as a server stores it: what comes from a server, a cache or an informer has these fields. What is sent to a server need not
 * have them yet.
 */
export type Stored<T extends KubernetesObject> = T & {
  apiVersion: string;
  kind: string;
  metadata: { name: string; uid: string; resourceVersion: string };
};

/** An object that a server has answered and stores nowhere, such as a TokenReview: it need not have a name, and has no version. */
export type Answered<T extends KubernetesObject> = T & { apiVersion: string; kind: string };

/** The answer to a LIST. */
export interface KubernetesList<T> extends TypeMeta {
  metadata?: ListMeta;
  items: T[];
}

/** `metav1.PartialObjectMetadata`: an object of any kind, reduced to its metadata. */
export interface PartialObjectMetadata extends KubernetesObject {
  metadata: ObjectMeta;
}
