import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiError } from '../api/api-error.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource, type Resource } from '../api/resource.ts';
import { SelectorError } from '../api/selector-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { customResourceDefinitions } from '../generated/api/apiextensions/v1.ts';
import { jobs } from '../generated/api/batch/v1.ts';
import {
  configMaps,
  events,
  nodes,
  pods,
  replicationControllers,
  secrets,
  services,
} from '../generated/api/core/v1.ts';
import { events as newEvents } from '../generated/api/events/v1.ts';
import { builtinResources } from '../generated/resources.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';

let server: ApiServer;
let cluster: Cluster;
let factory: SharedInformerFactory;

const container = { name: 'main', image: 'web:1' };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };

beforeEach(async () => {
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  cluster = server.cluster();
  await cluster.client(nodes).create({ metadata: { name: 'open' } });
  await cluster.client(nodes).create({ metadata: { name: 'closed' }, spec: { unschedulable: true } });
  const podClient = cluster.client(pods);
  await podClient.create({ metadata: { name: 'waiting' }, spec: { containers: [container] } });
  const placed = await podClient.create({
    metadata: { name: 'placed' },
    spec: { nodeName: 'open', hostNetwork: true, containers: [container] },
  });
  const status = { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] };
  await podClient.update({ ...placed, status }, { subresource: 'status' });
  await cluster.client(replicationControllers).create({
    metadata: { name: 'rc' },
    spec: { selector: { app: 'web' }, replicas: 0, template },
  });
  const job = { restartPolicy: 'Never', containers: [container] };
  const made = await cluster.client(jobs).create({ metadata: { name: 'done' }, spec: { template: { spec: job } } });
  await cluster.client(jobs).create({ metadata: { name: 'new' }, spec: { template: { spec: job } } });
  await cluster
    .client(jobs)
    .patch(made.metadata?.name ?? '', { status: { succeeded: 1 } }, { subresource: 'status', type: 'merge' });
  await cluster.client(secrets).create({ metadata: { name: 'opaque' }, data: {} });
  await cluster.client(services).create({ metadata: { name: 'service' }, spec: { ports: [{ port: 80 }] } });
  const involvedObject = { kind: 'Pod', name: 'waiting', namespace: 'default', uid: 'u' };
  for (const [name, source] of Object.entries({
    old: { source: { component: 'kubelet' }, reason: 'Killed', type: 'Normal' },
    newer: { reportingComponent: 'example.com/own', reportingInstance: 'i', reason: 'Made', type: 'Warning' },
  })) {
    await cluster.client(events).create({ metadata: { name }, involvedObject, ...source });
  }
});

afterEach(async () => {
  await factory?.shutdown();
  await cluster.close();
  await server.stop();
});

async function started(options: SharedInformerFactoryOptions, ...resources: Resource[]) {
  factory = new SharedInformerFactory(cluster, { logger: silentLogger, ...options });
  for (const resource of resources) factory.for(resource).informer();
  factory.start();
  await factory.waitForCacheSync({ timeoutMs: 60_000 });
}

const namesOf = (objects: readonly KubernetesObject[]) => objects.map(({ metadata }) => metadata?.name).sort();
const selected = (resource: Resource, fieldSelector: string) =>
  namesOf(factory.for(resource).select({ fieldSelector }).lister().list());

const CASES: [Resource, string, string[]][] = [
  [nodes, 'spec.unschedulable=false', ['open']],
  [nodes, 'spec.unschedulable!=false', ['closed']],
  [nodes, 'spec.unschedulable=true', ['closed']],
  [nodes, 'spec.unschedulable=', []],
  [nodes, 'metadata.name=open', ['open']],
  [pods, 'spec.nodeName=', ['waiting']],
  [pods, 'spec.host=open', ['placed']],
  [pods, 'spec.hostNetwork=false', ['waiting']],
  [pods, 'spec.hostNetwork=true,status.phase=Running', ['placed']],
  [pods, 'status.podIP=10.0.0.1', ['placed']],
  [pods, 'status.podIPs=10.0.0.1\\,fd00::1', ['placed']],
  [pods, 'status.podIPs=10.0.0.1', []],
  [pods, 'status.nominatedNodeName=,metadata.namespace=default', ['placed', 'waiting']],
  [replicationControllers, 'status.replicas=0', ['rc']],
  [jobs, 'status.successful=0', ['new']],
  [jobs, 'status.successful=1', ['done']],
  [secrets, 'type=Opaque', ['opaque']],
  [services, 'spec.type=ClusterIP', ['service']],
  [events, 'source=kubelet', ['old']],
  [events, 'source=example.com/own', ['newer']],
  [events, 'reportingComponent=,reason=Killed,type=Normal', ['old']],
  [events, 'involvedObject.name=waiting,involvedObject.fieldPath=,type=Warning', ['newer']],
  [newEvents, 'regarding.kind=Pod,reportingController=example.com/own', ['newer']],
  [newEvents, 'regarding.name!=waiting', []],
  [configMaps, 'metadata.namespace=none', []],
];

describe.each([{ store: 'packed' }, { store: 'plain' }] as const)(
  'a selection by fields in a $store store',
  (options) => {
    it('selects what the server selects, also by what is absent', async () => {
      await started(options, ...CASES.map(([resource]) => resource));
      for (const [resource, fieldSelector, expected] of CASES) {
        const listed = await cluster.client(resource).list({ fieldSelector, namespace: '' });
        const mine = selected(resource, fieldSelector).filter((name) => name !== 'kubernetes');
        expect([resource.plural, fieldSelector, mine]).toEqual([resource.plural, fieldSelector, expected]);
        expect(namesOf(listed.items).filter((name) => name !== 'kubernetes')).toEqual(expected);
      }
    });
  },
);

describe('a selection by fields', () => {
  it('refuses fields that the server does not know of a kind, in its words', async () => {
    factory = new SharedInformerFactory(cluster, { logger: silentLogger });
    for (const resource of builtinResources()) {
      if (!resource.verbs.includes('list') || resource.optIn) continue;
      const token = defineResource(resource);
      for (const field of [
        'spec.colour',
        '__proto__',
        'metadata.namespace',
        'metadata.labels.app',
        ...resource.selectableFields,
      ]) {
        const fieldSelector = `${field}=x`;
        const refusal = await cluster
          .client(token)
          .list({ fieldSelector, namespace: '' })
          .then(
            () => undefined,
            (error: ApiError) => error.status.message,
          );
        const select = () => void factory.for(token).select({ fieldSelector });
        if (refusal === undefined) expect(select, `${resource.plural} ${field}`).not.toThrow();
        else expect(select, `${resource.plural} ${field}`).toThrow(refusal);
      }
    }
    expect(() => factory.for(pods).select({ fieldSelector: 'spec.colour=red' })).toThrow(
      'field label not supported: spec.colour',
    );
  });

  it.each([
    [{ drop: ['spec.nodeName'] }, 'leaves out spec.nodeName'],
    [{ drop: ['spec'] }, 'leaves out spec'],
    [{ drop: ['*.nodeName'] }, 'leaves out *.nodeName'],
    [{ keep: ['metadata', 'status'] }, 'keeps only metadata, status'],
    [{ keep: ['spec.containers', 'status'] }, 'keeps only spec.containers, status'],
  ])('refuses a field that the cache leaves out: %j', (options, what) => {
    factory = new SharedInformerFactory(cluster, { logger: silentLogger, ...options });
    expect(() => factory.for(pods).select({ fieldSelector: 'spec.nodeName=a' })).toThrow(
      `cannot select by spec.nodeName: the cache ${what}.`,
    );
    expect(() => factory.for(pods).select({ fieldSelector: 'metadata.name=a,status.podIP=1.2.3.4' })).not.toThrow();
  });

  it('refuses a field that is read from a part which the cache leaves out', () => {
    factory = new SharedInformerFactory(cluster, { logger: silentLogger, drop: ['status.podIPs.*.ip'] });
    expect(() => factory.for(pods).select({ fieldSelector: 'status.podIP=1.2.3.4' })).toThrow(SelectorError);
    expect(() => factory.for(pods).select({ fieldSelector: 'status.phase=Running' })).not.toThrow();
  });

  it('refuses all but metadata of an informer of metadata', () => {
    factory = new SharedInformerFactory(cluster, { logger: silentLogger });
    expect(() => factory.forMetadata(pods).select({ fieldSelector: 'spec.nodeName=a' })).toThrow(
      'the cache keeps only the metadata',
    );
    expect(() => factory.forMetadata(pods).select({ fieldSelector: 'metadata.name=a' })).not.toThrow();
  });

  it('takes any path of a custom resource, whose selectable fields only its definition knows', async () => {
    const widgets = defineResource<KubernetesObject & { spec?: object }>({
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
    });
    await cluster.client(customResourceDefinitions).create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    const created = await cluster.client(widgets).create({ metadata: { name: 'a' }, spec: { size: 1, isOn: true } });
    await started({}, widgets);
    await factory.for(widgets).informer().waitFor(created);
    expect(selected(widgets, 'spec.size=1,spec.isOn=true,spec.none=')).toEqual(['a']);
    expect(selected(widgets, 'spec.size=2')).toEqual([]);
  });
});
