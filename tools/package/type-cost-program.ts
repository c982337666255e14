/**
 * What `scripts/measure-types.ts` has the compiler check: the root and three API groups, used as programs use them. It compiles
 * with every version of the package, so that two of them can be compared.
 */
export const TYPE_COST_PROGRAM = `
import { Cluster, SharedIndexInformer, SharedInformerFactory } from 'tidewatch';
import { type Deployment, deployments } from 'tidewatch/api/apps/v1';
import { jobs } from 'tidewatch/api/batch/v1';
import { type Pod, pods, services } from 'tidewatch/api/core/v1';

const cluster = await Cluster.connect();
const factory = new SharedInformerFactory(cluster, { drop: ['metadata.annotations'] });
const podInformer = factory.for(pods);
podInformer.informer().addEventHandler({
  onAdd: (pod) => console.log(pod.metadata?.name, pod.status?.phase),
  onUpdate: (old, pod) => console.log(old.metadata?.uid, pod.spec?.containers.map(({ image }) => image)),
});
podInformer.informer().addIndexers({ node: 'spec.nodeName', image: 'spec.containers.*.image' });
const slim = new SharedIndexInformer({
  cluster,
  resource: deployments,
  keep: ['metadata.labels', 'spec.replicas', 'spec.template.spec.nodeSelector'],
  indexers: { revision: (deployment) => [String(deployment.metadata?.generation)] },
});
for await (const event of factory.core.v1.services().informer().events()) console.log(event.type, event.object.spec?.clusterIP);
const client = cluster.client(deployments);
const scaled: Deployment = await client.patch('web', { spec: { replicas: 3 } });
await client.update({ ...scaled, metadata: { ...scaled.metadata, labels: { app: 'web' } } });
await cluster.client(jobs).create({
  metadata: { generateName: 'once-' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } } },
});
const found: Pod[] = podInformer.lister().list('app=web');
export const result = [found, slim.name, await cluster.client(services).list()];
`;
