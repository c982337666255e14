import type { ListOptions } from '../../api/list-options.ts';
import { type Resource, resourceName } from '../../api/resource.ts';
import { didYouMean } from '../../api/suggestion.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { DiscoveredResource } from '../../cluster/discovered-resource.ts';
import { CliError } from '../cli-error.ts';
import type { WatchRequest } from './watch-request.ts';

/** What is watched, as the cluster knows it. */
export interface WatchTarget {
  readonly resource: DiscoveredResource;
  /** Undefined: all namespaces, or none for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  /** With every list and watch. */
  readonly selection: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;
  /** For people: `pods in the namespace "default"`. */
  readonly title: string;
  /** For `-o name`: `pod`, `deployment.apps`. */
  readonly typeName: string;
}

/** Asks the cluster for the resource. Throws `CliError` when it has none of that name, or one that cannot be watched. */
export async function watchTarget(cluster: Cluster, request: WatchRequest): Promise<WatchTarget> {
  const resource = await watchableResource(cluster, request.resource);
  const namespace =
    resource.namespaced && !request.allNamespaces ? (request.namespace ?? cluster.namespace) : undefined;
  const { labelSelector, fieldSelector } = request;
  return {
    resource,
    namespace,
    selection: { ...(labelSelector !== '' && { labelSelector }), ...(fieldSelector !== '' && { fieldSelector }) },
    title: titleOf(resource, namespace, request),
    typeName:
      resource.group === ''
        ? resource.singular || resource.plural
        : `${resource.singular || resource.plural}.${resource.group}`,
  };
}

/** By any of its names. Throws `CliError` as `watchTarget` does. */
export async function watchableResource(cluster: Cluster, name: string): Promise<DiscoveredResource> {
  const resource = await cluster.discovery.find(name);
  if (resource === undefined) throw await unknownResource(cluster, name);
  const missing = ['list', 'watch'].filter((verb) => !resource.verbs.includes(verb));
  if (missing.length > 0) {
    throw new CliError(
      `${resourceName(resource)} cannot be watched: the server offers no ${missing.join(' and no ')}`,
      {
        next: 'See "kubectl api-resources --verbs=list,watch".',
      },
    );
  }
  return resource;
}

function titleOf(resource: Resource, namespace: string | undefined, { name, labelSelector }: WatchRequest): string {
  const what = name === undefined ? resource.plural : `${resource.plural} ${name}`;
  const where = namespace !== undefined ? ` in ${namespace}` : resource.namespaced ? ' in all namespaces' : '';
  return `${what}${where}${labelSelector === '' ? '' : ` with ${labelSelector}`}`;
}

async function unknownResource(cluster: Cluster, typed: string): Promise<CliError> {
  const known = await cluster.discovery.preferredResources();
  const names = known.flatMap(({ plural, singular, shortNames, kind, group }) => [
    plural,
    singular,
    ...shortNames,
    kind,
    ...(group === '' ? [] : [`${plural}.${group}`]),
  ]);
  const meant = didYouMean(
    typed,
    names.filter((name) => name !== ''),
  );
  const failures = await cluster.discovery.failures();
  const unread = failures.map(({ group, version }) => `${group}/${version}`);
  const partly = unread.length === 0 ? '' : ` (what ${unread.join(', ')} offers could not be read)`;
  return new CliError(`the cluster has no resource "${typed}"${partly}${meant === undefined ? '' : `; ${meant}`}`, {
    next: 'See "kubectl api-resources".',
  });
}
