import { describe, expectTypeOf, it } from 'vitest';
import type { Client } from '../cluster/client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Deployment } from '../generated/api/apps/v1.ts';
import { type TokenReview, tokenReviews } from '../generated/api/authentication/v1.ts';
import { type SubjectAccessReview, subjectAccessReviews } from '../generated/api/authorization/v1.ts';
import type { Pod } from '../generated/api/core/v1.ts';
import type { Eviction } from '../generated/api/policy/v1.ts';
import type { SharedIndexInformerOptions } from '../informer/informer-options.ts';
import type { Lister } from '../informer/lister.ts';
import type { ResourceInformer } from '../informer/resource-informer.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { ResourceEvent } from '../processor/processor.ts';
import { Indexer } from '../store/indexer.ts';
import type { KubernetesObject, PartialObjectMetadata, Stored } from './metadata.ts';
import type { AnsweredResource } from './resource.ts';

/** What the compiler says is the test here: nothing below is ever called. */
const onlyTypes = (_: (pods: Client<Pod>, deployments: Client<Deployment>, any: Client) => unknown) => {};

const clientOf = (cluster: Cluster) => cluster.client(tokenReviews);

describe('an object as a server stores it', () => {
  it('has its identity in its type, wherever it is read', () => {
    expectTypeOf<Stored<Pod>['metadata']['name']>().toEqualTypeOf<string>();
    expectTypeOf<Stored<PartialObjectMetadata>['metadata']['uid']>().toEqualTypeOf<string>();
    expectTypeOf<Stored<KubernetesObject>['kind']>().toEqualTypeOf<string>();
    expectTypeOf<Lister<Pod>['list']>().returns.toEqualTypeOf<Stored<Pod>[]>();
    expectTypeOf<Lister<Pod>['get']>().returns.toEqualTypeOf<Stored<Pod> | undefined>();
    expectTypeOf<Indexer<Pod>['byIndex']>().returns.toEqualTypeOf<Stored<Pod>[]>();
    expectTypeOf<ResourceEvent<Pod>['object']>().toEqualTypeOf<Stored<Pod>>();
    type Selected = ReturnType<ResourceInformer<Pod>['select']>;
    expectTypeOf<Selected['store']['list']>().returns.toEqualTypeOf<Stored<Pod>[]>();
  });

  it('is what handlers, filters, indexes and events give, and what the client gives', () => {
    onlyTypes(async (pods) => {
      const informer = {} as SharedIndexInformer<Pod>;
      informer.addEventHandler(
        {
          onAdd: (pod) => void pod.metadata.name.length,
          onUpdate: (old, pod) => void (old.metadata.uid === pod.metadata.uid),
        },
        { filter: (pod) => pod.kind.length > 0 && pod.metadata.resourceVersion !== '' },
      );
      informer.addIndexers({ byName: (pod) => [pod.metadata.name] });
      for await (const event of informer.events()) event.object.apiVersion.length;
      for await (const event of pods.watch()) if (event.type === 'ADDED') event.object.metadata.uid.length;
      for (const pod of (await pods.list()).items) pod.metadata.name.length;
      const made = await pods.create({ metadata: { generateName: 'web-' }, spec: { containers: [] } });
      return made.metadata.name.length;
    });
  });

  it('is not claimed for what a server answers and stores nowhere', () => {
    onlyTypes(async (pods) => {
      const reviews = {} as ReturnType<typeof clientOf>;
      const review = await reviews.create({ spec: { token: 'x' } });
      const eviction = await pods.create<Eviction>({ metadata: { name: 'a' } }, { subresource: 'eviction' });
      return [
        review.kind.length + eviction.apiVersion.length,
        // @ts-expect-error: a review need not have metadata
        review.metadata.name,
        // @ts-expect-error: nor has what the server answers to an eviction
        eviction.metadata.uid,
        // @ts-expect-error: it can be created, and nothing else
        reviews.list(),
      ];
    });
    expectTypeOf(tokenReviews).toEqualTypeOf<AnsweredResource<TokenReview>>();
    expectTypeOf(subjectAccessReviews).toEqualTypeOf<AnsweredResource<SubjectAccessReview>>();
  });

  it('is not asked for where objects are handed in', () => {
    new Indexer<Pod>().add({ metadata: { name: 'a' } });
    const plain: (pod: Pod) => void = () => {};
    onlyTypes(async (pods) => plain(await pods.update({ metadata: { name: 'a' } })));
  });
});

describe('a patch', () => {
  it('may be partial at every depth, and removes with null', () => {
    onlyTypes((pods, deployments) => [
      deployments.patch('web', { spec: { replicas: 3, paused: null }, metadata: { labels: { app: null } } }),
      deployments.patch('web', { spec: { template: { spec: { nodeSelector: null } } } }),
      pods.patch('web', { spec: { containers: [{ name: 'a' }] } }, { type: 'merge', subresource: 'status' }),
    ]);
  });

  it('has no fields that the object lacks', () => {
    onlyTypes((pods, deployments) => [
      // @ts-expect-error: spce
      deployments.patch('web', { spce: { replicas: 3 } }),
      // @ts-expect-error: replica
      deployments.patch('web', { spec: { replica: 3 } }),
      // @ts-expect-error: a number
      deployments.patch('web', { spec: { replicas: '3' } }),
      // @ts-expect-error: a merge patch replaces the list, so a container needs its name
      pods.patch('web', { spec: { containers: [{ image: 'nginx' }] } }),
    ]);
  });

  it('is what its type says', () => {
    onlyTypes((pods) => [
      pods.patch('web', [{ op: 'replace', path: '/spec/nodeName', value: 'a' }], { type: 'json' }),
      pods.patch('web', { spec: { containers: [{ image: 'nginx', $patch: 'delete' }] } }, { type: 'strategic' }),
      pods.patch('web', { spec: { '$setElementOrder/containers': [{ name: 'a' }] } }, { type: 'strategic' }),
      // @ts-expect-error: a JSON patch is a list of steps
      pods.patch('web', { spec: {} }, { type: 'json' }),
      // @ts-expect-error: an operation that does not exist
      pods.patch('web', [{ op: 'set', path: '/spec', value: 1 }], { type: 'json' }),
      // @ts-expect-error: a list of steps needs the type
      pods.patch('web', [{ op: 'remove', path: '/spec' }]),
    ]);
  });

  it('of an object without a type may be anything', () => {
    onlyTypes((_pods, _deployments, any) => any.patch('web', { spec: { replicas: 3 } }));
  });
});

describe('an applied object', () => {
  it('holds what its manager decides on', () => {
    onlyTypes((pods, deployments) => [
      deployments.apply({ metadata: { name: 'web' }, spec: { replicas: 3 } }),
      deployments.apply({ metadata: { name: 'web' }, spec: { template: { spec: { containers: [{ image: 'a' }] } } } }),
      deployments.apply({} as Deployment),
      pods.apply({} as Stored<Pod>),
      // @ts-expect-error: spce
      deployments.apply({ metadata: { name: 'web' }, spce: { replicas: 3 } }),
      // @ts-expect-error: apply removes what it leaves out
      deployments.apply({ metadata: { name: 'web' }, spec: { replicas: null } }),
    ]);
  });
});

describe('a path', () => {
  it('is checked to depth four', () => {
    const options = (_: Partial<SharedIndexInformerOptions<Pod>>) => {};
    options({ drop: ['metadata.annotations', 'spec.containers.*.env', 'metadata.labels.app.kubernetes.io/name'] });
    options({ keep: ['status.phase', 'spec.volumes.*.configMap.items.*.key'] });
    options({ indexers: { node: 'spec.nodeName', image: 'spec.containers.*.image' } });
    // @ts-expect-error: nodName
    options({ indexers: { node: 'spec.nodName' } });
    // @ts-expect-error: a list has elements
    options({ drop: ['spec.containers.env'] });
    // @ts-expect-error: imag
    options({ keep: ['spec.containers.*.imag'] });
    // @ts-expect-error: a text has no fields
    options({ keep: ['spec.nodeName.x'] });
  });

  it('of an object without a type may be anything', () => {
    const options = (_: Partial<SharedIndexInformerOptions<KubernetesObject>>) => {};
    options({ drop: ['spec.anything'], indexers: { a: 'spec.anything' } });
  });
});
