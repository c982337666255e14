import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineResource, type Resource } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type Pod, pods } from '../generated/api/core/v1.ts';
import { ApiServer } from '../testing/api-server.ts';
import type { SharedIndexInformerOptions } from './informer-options.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

type Options = Record<string, unknown>;

describe('a path that leads nowhere', () => {
  let server: ApiServer;
  let cluster: Cluster;

  beforeEach(async () => {
    server = await ApiServer.start();
    cluster = server.cluster();
  });

  afterEach(async () => {
    await cluster.close();
    await server.stop();
  });

  /** Past the compiler, as a JavaScript program comes. */
  const informer = (options: Options, resource: Resource<Pod> = pods) =>
    new SharedIndexInformer<Pod>({ cluster, resource, ...options } as SharedIndexInformerOptions<Pod>);

  it.each([
    ['spec.nodName', 'spec has no field "nodName"; did you mean "nodeName"?'],
    ['metdata.name', 'a Pod has no field "metdata"; did you mean "metadata"?'],
    ['spec.containers.env', 'spec.containers is a list; write "spec.containers.*.env" for each element'],
    ['spec.nodeName.first', 'spec.nodeName is a value and has no fields'],
    ['spec.containers.*.env.*.valueFrom.fieldRef.path', 'has no field "path", but apiVersion, fieldPath'],
  ])('in drop and keep of a built-in kind is a TypeError: %s', (path, problem) => {
    for (const name of ['drop', 'keep']) {
      const make = () => informer({ [name]: [path] });
      expect(make).toThrow(TypeError);
      expect(make).toThrow(`${name}: cannot follow the path "${path}": `);
      expect(make).toThrow(problem);
    }
  });

  it.each([
    'metadata.annotations',
    'metadata.labels.app.kubernetes.io/name',
    'spec.containers.*.env.*.valueFrom.fieldRef.fieldPath',
    'spec.volumes.*.configMap.items',
    'spec.nodeSelector.disk',
    'metadata.managedFields.*.fieldsV1.anything',
  ])('is not one that leads somewhere: %s', (path) => {
    expect(() => informer({ drop: [path], indexers: { one: path } })).not.toThrow();
  });

  it('of an index is an IndexError, also when it is added later', () => {
    const problem = 'cannot follow the path "spec.nodName": spec has no field "nodName"; did you mean "nodeName"?';
    expect(() => informer({ indexers: { node: 'spec.nodName' } })).toThrow(problem);
    // @ts-expect-error: the compiler knows it too
    expect(() => informer({}).addIndexers({ node: 'spec.nodName' })).toThrow(problem);
  });

  it('may be one of a newer server, when JSON is asked for, or one that a transform makes', () => {
    expect(() =>
      informer({ encoding: 'json', drop: ['spec.brandNew'], indexers: { new: 'spec.brandNew' } }),
    ).not.toThrow();
    expect(() => informer({ transform: (pod: Pod) => pod, indexers: { own: 'spec.own' } })).not.toThrow();
  });

  it('may be one of a custom resource, but for its metadata', () => {
    const custom = defineResource<Pod>({ group: 'example.com', version: 'v1', plural: 'things', kind: 'Thing' });
    expect(() => informer({ drop: ['spec.anything'] }, custom)).not.toThrow();
    expect(() => informer({ drop: ['metadata.anotations'] }, custom)).toThrow('did you mean "annotations"?');
  });

  it('in a factory is one that no kind of object has', () => {
    const factory = new SharedInformerFactory(cluster, { drop: ['data', 'spec.no.such'] });
    expect(() => factory.for(pods).informer()).not.toThrow();
    expect(() => new SharedInformerFactory(cluster, { keep: ['metadata.anotations'] })).toThrow(
      'keep: cannot follow the path "metadata.anotations": metadata has no field "anotations"; did you mean "annotations"?',
    );
  });

  it('in a field selector is named with the field that was meant', () => {
    const factory = new SharedInformerFactory(cluster);
    expect(() => factory.for(pods).select({ fieldSelector: 'spec.nodName=a' })).toThrow(
      'did you mean "spec.nodeName"?',
    );
  });
});
