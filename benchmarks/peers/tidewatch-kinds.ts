import { defineResource, type KubernetesObject, type Resource } from 'tidewatch';
import { configMaps, events, pods, secrets } from 'tidewatch/api/core/v1';

/** The fields that are read, of those kinds that have them. */
export interface Followed extends KubernetesObject {
  spec?: {
    nodeName?: string;
    className?: string;
    containers?: readonly { image?: string }[];
    components?: readonly { image?: string }[];
  };
  status?: { phase?: string };
}

const databases = defineResource<Followed>({
  group: 'bench.tidewatch.dev',
  version: 'v1',
  plural: 'databases',
  kind: 'Database',
});

/** As much of them as is read here. */
const RESOURCES: Readonly<Record<string, Resource<KubernetesObject>>> = {
  pods,
  events,
  configmaps: configMaps,
  secrets,
  databases,
};

export function resourceOf(kind: string): Resource<Followed> {
  const resource = RESOURCES[kind];
  if (resource === undefined) throw new Error(`no resource is called "${kind}"`);
  return resource as Resource<Followed>;
}
