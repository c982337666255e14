import { schemaOfKind } from '../../generated/type-schemas.ts';
import {
  capitalize,
  customSchemaName,
  groupName,
  groupVersionPath,
  type OpenApiResource,
} from './open-api-resource.ts';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface QueryParameter {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'integer';
}

/** One method of one path, without the differences between the two generations of OpenAPI. */
export interface ApiOperation {
  /** `/apis/apps/v1/namespaces/{namespace}/deployments/{name}` */
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  /** `apps_v1` */
  readonly tag: string;
  /** `x-kubernetes-action`; unset for discovery. */
  readonly action?: string;
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly query: readonly QueryParameter[];
  /** The schema of the body, and in which formats it may come. */
  readonly body?: { readonly schema: string; readonly required: boolean; readonly formats: readonly string[] };
  /** The schema of the answer for each code. */
  readonly responses: readonly (readonly [code: string, schema: string])[];
  /** Whether the answer may be a stream of events. */
  readonly watchable: boolean;
}

const ANY_FORMAT = ['*/*'];
const CUSTOM_PATCHES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
/** kubectl looks here for whether a kind knows strategic merges; custom resources do not. */
const PATCHES = [...CUSTOM_PATCHES, 'application/strategic-merge-patch+json'];

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const PATCH_SCHEMA = `${META}.Patch`;

const text = (name: string): QueryParameter => ({ name, type: 'string' });
const flag = (name: string): QueryParameter => ({ name, type: 'boolean' });
const count = (name: string): QueryParameter => ({ name, type: 'integer' });

const WRITE = [text('dryRun'), text('fieldManager'), text('fieldValidation')];
const DELETE = [
  text('dryRun'),
  count('gracePeriodSeconds'),
  flag('ignoreStoreReadErrorWithClusterBreakingPotential'),
  flag('orphanDependents'),
  text('propagationPolicy'),
];
const SELECT = [
  text('continue'),
  text('fieldSelector'),
  text('labelSelector'),
  count('limit'),
  text('resourceVersion'),
  text('resourceVersionMatch'),
  flag('sendInitialEvents'),
  count('timeoutSeconds'),
];
const LIST = [flag('allowWatchBookmarks'), ...SELECT, flag('watch')];

/** What can be done with the resources of one group and version, in the order of the resources. */
export function groupVersionOperations(resources: readonly OpenApiResource[]): ApiOperation[] {
  const [first] = resources;
  if (first === undefined) return [];
  const discovery = first.customSchema === undefined ? [discoveryOperation(first)] : [];
  return [...discovery, ...resources.flatMap(resourceOperations)];
}

function discoveryOperation({ group, version }: OpenApiResource): ApiOperation {
  const { name, tag } = groupVersionNames(group, version);
  return {
    path: `/${groupVersionPath(group, version)}/`,
    method: 'get',
    operationId: `get${name}APIResources`,
    tag,
    query: [],
    responses: [['200', `${META}.APIResourceList`]],
    watchable: false,
  };
}

function groupVersionNames(group: string, version: string): { name: string; tag: string } {
  const name = groupName(group);
  return { name: capitalize(name) + capitalize(version), tag: `${name}_${version}` };
}

export function objectSchema(resource: OpenApiResource): string {
  return resource.customSchema === undefined ? resource.schema : customSchemaName(resource, resource.kind);
}

export function listSchema(resource: OpenApiResource): string {
  if (resource.customSchema !== undefined) return customSchemaName(resource, resource.listKind);
  return schemaOfKind(resource.group, resource.version, resource.listKind) ?? `${resource.schema}List`;
}

function resourceOperations(resource: OpenApiResource): ApiOperation[] {
  const { group, version, plural, kind, namespaced } = resource;
  const { name, tag } = groupVersionNames(group, version);
  const root = `/${groupVersionPath(group, version)}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const item = `${collection}/{name}`;
  const scope = namespaced ? 'Namespaced' : '';
  const schema = objectSchema(resource);
  const common = { tag, kind: { group, version, kind }, watchable: false };
  const body = { schema, required: true, formats: ANY_FORMAT };
  const deleteBody = { schema: `${META}.DeleteOptions`, required: false, formats: ANY_FORMAT };
  const status = `${META}.Status`;
  const list: Omit<ApiOperation, 'path' | 'operationId'> = {
    ...common,
    method: 'get',
    action: 'list',
    query: LIST,
    responses: [['200', listSchema(resource)]],
    watchable: resource.verbs.includes('watch'),
  };
  const candidates: readonly (readonly [verb: string, operation: ApiOperation])[] = [
    ['list', { ...list, path: collection, operationId: `list${name}${scope}${kind}` }],
    [
      'create',
      {
        ...common,
        path: collection,
        method: 'post',
        operationId: `create${name}${scope}${kind}`,
        action: 'post',
        query: WRITE,
        body,
        responses: okay(schema, '200', '201', '202'),
      },
    ],
    [
      'deletecollection',
      {
        ...common,
        path: collection,
        method: 'delete',
        operationId: `delete${name}Collection${scope}${kind}`,
        action: 'deletecollection',
        query: [...DELETE, ...SELECT].sort((a, b) => (a.name < b.name ? -1 : 1)).filter(isFirst),
        body: deleteBody,
        responses: okay(status, '200'),
      },
    ],
    ...itemCandidates(item, `${name}${scope}${kind}`, schema, common, patchesOf(resource)),
    [
      'delete',
      {
        ...common,
        path: item,
        method: 'delete',
        operationId: `delete${name}${scope}${kind}`,
        action: 'delete',
        query: DELETE,
        body: deleteBody,
        responses: okay(status, '200', '202'),
      },
    ],
    ...(namespaced
      ? [['list', { ...list, path: `${root}/${plural}`, operationId: `list${name}${kind}ForAllNamespaces` }] as const]
      : []),
  ];
  const own = candidates.filter(([verb]) => resource.verbs.includes(verb)).map(([, operation]) => operation);
  return [...own, ...resource.subresources.flatMap((sub) => subresourceOperations(resource, sub, item))];
}

function isFirst(parameter: QueryParameter, index: number, all: readonly QueryParameter[]): boolean {
  return all.findIndex(({ name }) => name === parameter.name) === index;
}

function okay(schema: string, ...codes: string[]): [string, string][] {
  return codes.map((code) => [code, schema]);
}

function patchesOf(resource: OpenApiResource): readonly string[] {
  return resource.customSchema === undefined ? PATCHES : CUSTOM_PATCHES;
}

/** Reading, replacing and patching are alike for objects and their subresources. */
function itemCandidates(
  path: string,
  name: string,
  schema: string,
  common: Pick<ApiOperation, 'tag' | 'watchable'> & { kind: NonNullable<ApiOperation['kind']> },
  patches: readonly string[],
): (readonly [string, ApiOperation])[] {
  const body = { schema, required: true, formats: ANY_FORMAT };
  return [
    [
      'get',
      {
        ...common,
        path,
        method: 'get',
        operationId: `read${name}`,
        action: 'get',
        query: [],
        responses: okay(schema, '200'),
      },
    ],
    [
      'update',
      {
        ...common,
        path,
        method: 'put',
        operationId: `replace${name}`,
        action: 'put',
        query: WRITE,
        body,
        responses: okay(schema, '200', '201'),
      },
    ],
    [
      'patch',
      {
        ...common,
        path,
        method: 'patch',
        operationId: `patch${name}`,
        action: 'patch',
        query: [...WRITE, flag('force')],
        body: { schema: PATCH_SCHEMA, required: true, formats: patches },
        responses: okay(schema, '200', '201'),
      },
    ],
  ];
}

function subresourceOperations(
  resource: OpenApiResource,
  subresource: OpenApiResource['subresources'][number],
  item: string,
): ApiOperation[] {
  const { group, version, kind } = subresource;
  const own = group === resource.group && version === resource.version && kind === resource.kind;
  const schema = own ? objectSchema(resource) : schemaOfKind(group, version, kind);
  // Streams to and from a node (exec, proxy) take options instead of objects, and have no place here.
  if (schema === undefined || kind.endsWith('Options')) return [];
  const { name, tag } = groupVersionNames(resource.group, resource.version);
  const scope = resource.namespaced ? 'Namespaced' : '';
  const suffix = subresource.name.split('/').map(capitalize).join('');
  const path = `${item}/${subresource.name}`;
  const operationName = `${name}${scope}${resource.kind}${suffix}`;
  // The real server tags the scale of a custom resource with the resource's own kind.
  const shown = resource.customSchema === undefined ? subresource : resource;
  const common = { tag, kind: { group: shown.group, version: shown.version, kind: shown.kind }, watchable: false };
  const created: ApiOperation = {
    ...common,
    path,
    method: 'post',
    operationId: `create${operationName}`,
    action: 'post',
    query: WRITE,
    body: { schema, required: true, formats: ANY_FORMAT },
    responses: okay(schema, '200', '201', '202'),
  };
  const candidates = [
    ...itemCandidates(path, operationName, schema, common, patchesOf(resource)),
    ['create', created] as const,
  ];
  return candidates.filter(([verb]) => subresource.verbs.includes(verb)).map(([, operation]) => operation);
}
