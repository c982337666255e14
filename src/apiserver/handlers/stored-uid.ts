import type { ResourceScope } from '../request/resource-scope.ts';
import { conflict, type StatusError } from '../request/status-error.ts';

/** Where the real server keeps what is not below its plural. */
const FOLDERS: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
  apiservices: 'apiregistration.k8s.io/apiservices',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
};

export function otherUid(wanted: string, present: string): string {
  return `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${present}`;
}

/** A PUT of an object with another identity than the stored one: the real server's storage refuses it, in its own words. */
export function storedWithOtherUid(scope: ResourceScope, wanted: string, present: string): StatusError {
  const { resource, namespace, info } = scope;
  const { group, plural } = resource;
  const folder = resource.init.custom ? `${group}/${plural}` : (FOLDERS[plural] ?? plural);
  const key = `/registry/${folder}/${resource.namespaced ? `${namespace}/` : ''}${info.name}`;
  const details = `Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${otherUid(wanted, present)}`;
  return conflict(resource, info.name, `StorageError: invalid object, ${details}`);
}
