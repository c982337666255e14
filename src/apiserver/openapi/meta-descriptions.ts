/** What `kubectl explain` says of the fields that every object has, in our own words. */
export const TYPE_DESCRIPTIONS = {
  apiVersion: 'APIVersion defines the group and the version that the object is written in, such as apps/v1.',
  kind: 'Kind is the name of the type of the object, in CamelCase.',
} as const;

export const METADATA_DESCRIPTION = "Standard object's metadata.";
export const LIST_METADATA_DESCRIPTION = "Standard list's metadata.";

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** By the name of the schema, then of the field. */
export const META_DESCRIPTIONS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  [
    `${META}.ObjectMeta`,
    {
      annotations: 'Annotations is a map of texts that tools keep with the object; selectors do not see them.',
      creationTimestamp: 'CreationTimestamp is a timestamp of the moment when the server created the object.',
      deletionGracePeriodSeconds: 'DeletionGracePeriodSeconds is how long the object has to end before it is removed.',
      deletionTimestamp:
        'DeletionTimestamp is the time at which the object is to be gone; the server sets it on deletion.',
      finalizers: 'Finalizers must be empty before a deleted object is removed; each names somebody who has work left.',
      generateName: 'GenerateName is a prefix from which the server makes a unique name when none is given.',
      generation: 'Generation counts the changes of the desired state.',
      labels: 'Labels is a map of texts by which objects are organised and selected.',
      managedFields: 'ManagedFields tells which manager owns which fields.',
      name: 'Name is unique among the objects of the kind in a namespace, and cannot be changed.',
      namespace: 'Namespace is the space within which the name is unique.',
      ownerReferences: 'OwnerReferences lists the objects that this one depends on: it goes when they are all gone.',
      resourceVersion: 'ResourceVersion is an opaque text that differs after every change of the object.',
      selfLink: 'SelfLink is not filled any longer.',
      uid: 'UID is unique in time and space: another object of the same name has another one.',
    },
  ],
  [
    `${META}.ListMeta`,
    {
      continue: 'Continue is the token with which the next page of the list is asked for.',
      remainingItemCount: 'RemainingItemCount is the number of items after this page, when it is known.',
      resourceVersion: 'ResourceVersion is the version of the whole list, from which a watch can begin.',
      selfLink: 'SelfLink is not filled any longer.',
    },
  ],
]);
