import { describe, expect, expectTypeOf, it } from 'vitest';
import type { PodResource, Resource } from '../api/resource.ts';
import type { FieldSchema } from '../api/type-schema.ts';
import type { BuiltinGroups } from './accessors.ts';
import { type CustomResourceDefinition, customResourceDefinitions } from './api/apiextensions/v1.ts';
import { type Deployment, deployments } from './api/apps/v1.ts';
import { type ConfigMap, configMaps, type Pod, type PodPhase, pods, type Volume } from './api/core/v1.ts';
import type { LabelSelector, ObjectMeta, PartialObjectMetadata } from './api/meta/v1.ts';
import { type Ingress, ingresses, type NetworkPolicyPort } from './api/networking/v1.ts';
import { csiDrivers } from './api/storage/v1.ts';
import { builtinResources, findBuiltin } from './resources.ts';
import { SCALAR_CODES } from './scalar-codes.ts';
import { schemaOfKind, typeSchema, typeSchemaNames } from './type-schemas.ts';

const CORE = 'io.k8s.api.core.v1';

function field(type: string, json: string): FieldSchema {
  const found = typeSchema(type)?.fields.find((candidate) => candidate.json === json);
  if (!found) throw new Error(`${type} has no field ${json}`);
  return found;
}

describe('resource tokens', () => {
  it('name their resource', () => {
    expect(pods).toEqual({ group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true });
    expect(deployments).toEqual({
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      kind: 'Deployment',
      namespaced: true,
    });
    expect(csiDrivers.namespaced).toBe(false);
  });

  it('exist for every resource of the table, under the door and the name that it gives', async () => {
    for (const resource of builtinResources()) {
      const { group, version, plural, kind, namespaced, groupAccessor, accessor } = resource;
      const door: Record<string, unknown> = await import(`./api/${groupAccessor}/${version}.ts`);
      expect(door[accessor], `${groupAccessor}/${version} ${accessor}`).toEqual({
        group,
        version,
        plural,
        kind,
        namespaced,
      });
    }
  });

  it('carry the type of their objects', () => {
    expectTypeOf(pods).toEqualTypeOf<PodResource<Pod>>();
    expectTypeOf(configMaps).toEqualTypeOf<Resource<ConfigMap>>();
    expectTypeOf(ingresses).toEqualTypeOf<Resource<Ingress>>();
    expectTypeOf(customResourceDefinitions).toEqualTypeOf<Resource<CustomResourceDefinition>>();
  });
});

describe('types', () => {
  it('take what a manifest holds, and ask for what Kubernetes requires', () => {
    const deployment: Deployment = {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              {
                name: 'web',
                image: 'web:1',
                ports: [{ containerPort: 80 }],
                readinessProbe: { httpGet: { port: 'http' } },
                resources: { limits: { cpu: '1' } },
                env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
              },
            ],
            volumes: [{ name: 'cache', emptyDir: {} }],
          },
        },
      },
    };
    expectTypeOf(deployment).toExtend<Deployment>();
    expectTypeOf<{ metadata: ObjectMeta; spec: { replicas: number } }>().not.toExtend<Deployment>();
    expectTypeOf<NonNullable<NetworkPolicyPort['port']>>().toEqualTypeOf<number | string>();
    expectTypeOf<NonNullable<Deployment['spec']>['selector']>().toEqualTypeOf<LabelSelector>();
    expectTypeOf<Volume['name']>().toEqualTypeOf<string>();
    expectTypeOf<PartialObjectMetadata['metadata']>().toEqualTypeOf<ObjectMeta>();
  });

  it('suggest the known strings and accept others', () => {
    expectTypeOf<'Running'>().toExtend<PodPhase>();
    expectTypeOf<string>().toExtend<PodPhase>();
  });

  it('are known to a factory by group, version and accessor', () => {
    expectTypeOf<BuiltinGroups['core']['v1']['pods']>().toEqualTypeOf<Pod>();
    expectTypeOf<BuiltinGroups['apps']['v1']['deployments']>().toEqualTypeOf<Deployment>();
    expectTypeOf<'tokenReviews'>().not.toExtend<keyof BuiltinGroups['core']['v1']>();
    expectTypeOf<BuiltinGroups>().not.toHaveProperty('authentication');
  });
});

describe('the resource table', () => {
  it('names groups as client-go does', () => {
    const groups = new Map(builtinResources().map(({ group, groupAccessor }) => [group, groupAccessor]));
    expect(groups.get('')).toBe('core');
    expect(groups.get('rbac.authorization.k8s.io')).toBe('rbac');
    expect(groups.get('flowcontrol.apiserver.k8s.io')).toBe('flowcontrol');
    expect(groups.get('internal.apiserver.k8s.io')).toBe('apiserverinternal');
    expect(groups.get('apiextensions.k8s.io')).toBe('apiextensions');
    expect(groups.get('apiregistration.k8s.io')).toBe('apiregistration');
    expect(groups.get('storagemigration.k8s.io')).toBe('storagemigration');
  });

  it.each([
    ['', 'v1', 'configmaps', 'configMaps'],
    ['', 'v1', 'endpoints', 'endpoints'],
    ['', 'v1', 'bindings', 'bindings'],
    ['networking.k8s.io', 'v1', 'networkpolicies', 'networkPolicies'],
    ['networking.k8s.io', 'v1', 'ingresses', 'ingresses'],
    ['networking.k8s.io', 'v1', 'servicecidrs', 'serviceCIDRs'],
    ['networking.k8s.io', 'v1', 'ipaddresses', 'ipAddresses'],
    ['storage.k8s.io', 'v1', 'csidrivers', 'csiDrivers'],
    ['storage.k8s.io', 'v1', 'csistoragecapacities', 'csiStorageCapacities'],
    ['apiregistration.k8s.io', 'v1', 'apiservices', 'apiServices'],
    ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'customResourceDefinitions'],
    ['discovery.k8s.io', 'v1', 'endpointslices', 'endpointSlices'],
  ])('calls %s/%s %s by the accessor %s', (group, version, plural, accessor) => {
    expect(findBuiltin(group, version, plural)?.accessor).toBe(accessor);
  });

  it('describes a resource in full', () => {
    const deployment = findBuiltin('apps', 'v1', 'deployments');
    expect(deployment).toEqual({
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      singular: 'deployment',
      kind: 'Deployment',
      namespaced: true,
      shortNames: ['deploy'],
      categories: ['all'],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: [
        { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
        { name: 'status', group: 'apps', version: 'v1', kind: 'Deployment', verbs: ['get', 'patch', 'update'] },
      ],
      schema: 'io.k8s.api.apps.v1.Deployment',
      groupAccessor: 'apps',
      accessor: 'deployments',
      selectableFields: [],
    });
  });

  it('knows the fields that each server can select by', () => {
    expect(findBuiltin('', 'v1', 'pods')?.selectableFields).toEqual([
      'spec.hostNetwork',
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.nominatedNodeName',
      'status.phase',
      'status.podIP',
      'status.podIPs',
    ]);
    expect(findBuiltin('', 'v1', 'events')?.selectableFields).toContain('involvedObject.name');
    expect(findBuiltin('', 'v1', 'secrets')?.selectableFields).toEqual(['type']);
    expect(findBuiltin('batch', 'v1', 'jobs')?.selectableFields).toEqual(['status.successful']);
  });

  it('marks what a default server does not serve', () => {
    expect(findBuiltin('', 'v1', 'pods')?.optIn).toBeUndefined();
    expect(findBuiltin('resource.k8s.io', 'v1beta1', 'resourceclaims')?.optIn).toBe(true);
  });

  it('puts the preferred version of a group first', () => {
    const versions = builtinResources().filter(({ plural }) => plural === 'horizontalpodautoscalers');
    expect(versions.map(({ version }) => version)).toEqual(['v2', 'v1']);
  });

  it('leads to a schema for each object, each list and each subresource', () => {
    for (const { group, version, kind, schema, verbs, subresources } of builtinResources()) {
      expect(typeSchema(schema), schema).toBeDefined();
      expect(schemaOfKind(group, version, kind)).toBe(schema);
      if (verbs.includes('list')) expect(typeSchema(`${schema}List`), `${schema}List`).toBeDefined();
      for (const sub of subresources) expect(schemaOfKind(sub.group, sub.version, sub.kind), sub.kind).toBeDefined();
    }
  });

  it('knows nothing of strangers', () => {
    expect(findBuiltin('example.com', 'v1', 'pods')).toBeUndefined();
    expect(findBuiltin('', 'v1', 'constructor')).toBeUndefined();
  });
});

describe('type schemas', () => {
  it('hold merge keys for patches and list keys for apply, which may differ', () => {
    expect(field(`${CORE}.PodSpec`, 'containers')).toEqual({
      json: 'containers',
      wire: 2,
      shape: 'list',
      type: `${CORE}.Container`,
      pointer: false,
      omit: 'never',
      required: true,
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      listType: 'map',
      listMapKeys: ['name'],
    });
    expect(field(`${CORE}.Container`, 'ports')).toMatchObject({
      patchStrategy: 'merge',
      patchMergeKey: 'containerPort',
      listType: 'map',
      listMapKeys: ['containerPort', 'protocol'],
    });
    expect(field(`${CORE}.PodSpec`, 'volumes')).toMatchObject({ patchStrategy: 'merge,retainKeys' });
    expect(field(`${CORE}.PodSpec`, 'tolerations')).toMatchObject({ listType: 'atomic' });
    expect(field(`${CORE}.PodSpec`, 'tolerations')).not.toHaveProperty('patchStrategy');
    expect(field(`${CORE}.PodSpec`, 'nodeSelector')).toMatchObject({ shape: 'map', type: 'string', mapType: 'atomic' });
    expect(field('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'finalizers')).toMatchObject({
      patchStrategy: 'merge',
      listType: 'set',
    });
  });

  it('hold defaults', () => {
    expect(field(`${CORE}.ContainerPort`, 'protocol').default).toBe('TCP');
    expect(field(`${CORE}.ServicePort`, 'protocol').default).toBe('TCP');
    expect(field(`${CORE}.Container`, 'image')).not.toHaveProperty('default');
  });

  it('mark structs that are replaced as one', () => {
    for (const name of ['ObjectReference', 'NodeSelectorTerm', 'SecretKeySelector']) {
      expect(typeSchema(`${CORE}.${name}`)?.atomic, name).toBe(true);
    }
    expect(typeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector')?.atomic).toBe(true);
    expect(typeSchema(`${CORE}.PodSpec`)).not.toHaveProperty('atomic');
  });

  it('keep kind and apiVersion off the protobuf wire, and list fields in the order of Go', () => {
    expect(typeSchema(`${CORE}.Pod`)?.fields.map(({ json, wire }) => [json, wire])).toEqual([
      ['kind', 0],
      ['apiVersion', 0],
      ['metadata', 1],
      ['spec', 2],
      ['status', 3],
    ]);
  });

  it('show embedded structs as messages of their own that JSON flattens', () => {
    expect(typeSchema(`${CORE}.Volume`)?.fields).toMatchObject([
      { json: 'name', wire: 1 },
      { json: '', wire: 2, inline: true, type: `${CORE}.VolumeSource`, shape: 'one' },
    ]);
    expect(field(`${CORE}.EphemeralContainer`, '')).toMatchObject({ wire: 1, inline: true });
    expect(field(`${CORE}.EphemeralContainerCommon`, 'volumeMounts')).toMatchObject({ listMapKeys: ['mountPath'] });
  });

  it('say how messages look that JSON does not show as objects', () => {
    const extra = typeSchema('io.k8s.api.authentication.v1.ExtraValue');
    expect(extra).toMatchObject({ form: 'value', fields: [{ wire: 1, shape: 'list', type: 'string' }] });
    expect(field('io.k8s.api.authentication.v1.UserInfo', 'extra')).toMatchObject({ shape: 'map', type: extra?.name });
    const orBool = typeSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool');
    expect(orBool).toMatchObject({ form: 'choice', fields: [{ wire: 2 }, { wire: 1, type: 'bool' }] });
  });

  it('tell what JSON leaves out', () => {
    const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
    expect(field(meta, 'creationTimestamp')).toMatchObject({ type: 'Time', omit: 'zero', pointer: false });
    expect(field(meta, 'deletionTimestamp')).toMatchObject({ type: 'Time', omit: 'empty', pointer: true });
    expect(field('io.k8s.api.apps.v1.DeploymentSpec', 'replicas')).toMatchObject({ omit: 'empty', pointer: true });
    expect(field(`${CORE}.Secret`, 'data')).toMatchObject({ shape: 'map', type: 'bytes', omit: 'empty' });
  });

  it('refer only to scalars and to each other, with numbers and names that are unique in a type', () => {
    const scalars = new Set<string>(Object.values(SCALAR_CODES));
    const names = typeSchemaNames();
    expect(names.length).toBeGreaterThan(700);
    for (const name of names) {
      const fields = typeSchema(name)?.fields ?? [];
      for (const { json, type } of fields) {
        if (!scalars.has(type)) expect(typeSchema(type), `${name}.${json}: ${type}`).toBeDefined();
      }
      const numbers = fields.map(({ wire }) => wire).filter((wire) => wire !== 0);
      expect(new Set(numbers).size, name).toBe(numbers.length);
      const shown = jsonNames(name);
      expect(new Set(shown).size, name).toBe(shown.length);
    }
  });

  it('are found by kind, the shared ones under any group and version', () => {
    expect(schemaOfKind('', 'v1', 'PodList')).toBe(`${CORE}.PodList`);
    expect(schemaOfKind('autoscaling', 'v1', 'Scale')).toBe('io.k8s.api.autoscaling.v1.Scale');
    expect(schemaOfKind('', 'v1', 'Status')).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.Status');
    expect(schemaOfKind('example.com', 'v1', 'DeleteOptions')).toBe(
      'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
    );
    expect(schemaOfKind('example.com', 'v1', 'CronTab')).toBeUndefined();
  });

  it('give the same object each time, and nothing for a stranger', () => {
    expect(typeSchema(`${CORE}.Pod`)).toBe(typeSchema(`${CORE}.Pod`));
    for (const name of ['', 'Pod', 'constructor', `${CORE}.`, `${CORE}.constructor`, 'com.example.v1.Pod']) {
      expect(typeSchema(name), name).toBeUndefined();
    }
  });
});

function jsonNames(type: string): string[] {
  const fields = typeSchema(type)?.fields ?? [];
  return fields.flatMap((entry) => (entry.inline ? jsonNames(entry.type) : [entry.json]));
}
