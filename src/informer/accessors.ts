import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { BuiltinGroups } from '../generated/accessors.ts';
import { builtin, builtinResources } from '../generated/resources.ts';
import type { ResourceInformer } from './resource-informer.ts';
import type { ResourceOptions } from './resource-options.ts';

/** `core.v1.pods()` and so on, for every built-in group, version and resource. */
export type GroupAccessors = {
  readonly [Group in keyof BuiltinGroups]: {
    readonly [Version in keyof BuiltinGroups[Group]]: {
      readonly [Accessor in keyof BuiltinGroups[Group][Version]]: (
        options?: ResourceOptions<Extract<BuiltinGroups[Group][Version][Accessor], KubernetesObject>>,
      ) => ResourceInformer<Extract<BuiltinGroups[Group][Version][Accessor], KubernetesObject>>;
    };
  };
};

type Options = ResourceOptions<KubernetesObject>;
type Make = (resource: Resource, options?: Options) => ResourceInformer<KubernetesObject>;
type Versions = Record<string, Record<string, (options?: Options) => ResourceInformer<KubernetesObject>>>;

/** Adds a getter for each group, which makes its versions when first used. */
export function defineAccessors(factory: object, make: Make): void {
  for (const group of new Set(listable().map((resource) => resource.groupAccessor))) {
    let versions: Versions | undefined;
    Object.defineProperty(factory, group, {
      enumerable: false,
      get: () => {
        versions ??= groupVersions(group, make);
        return versions;
      },
    });
  }
}

function groupVersions(group: string, make: Make): Versions {
  const versions: Versions = {};
  for (const resource of listable()) {
    if (resource.groupAccessor !== group) continue;
    const accessors = versions[resource.version] ?? {};
    accessors[resource.accessor] = (options) =>
      make(builtin(resource.group, resource.version, resource.plural), options);
    versions[resource.version] = accessors;
  }
  return versions;
}

function listable() {
  return builtinResources().filter((resource) => resource.verbs.includes('list'));
}
