import { describe, expect, it } from 'vitest';
import { builtinResources } from '../../generated/resources.ts';
import type { ServerRequest, ServerResponse } from '../request/request.ts';
import type { JsonObject } from '../values/json.ts';
import { OpenApiDocuments } from './open-api-documents.ts';
import type { OpenApiResource } from './open-api-resource.ts';

const builtins: OpenApiResource[] = builtinResources()
  .filter(({ group }) => group === 'apps' || group === 'batch')
  .map((resource) => ({ ...resource, selectableFields: [], listKind: `${resource.kind}List` }));

const custom: OpenApiResource = {
  group: 'stable.example.com',
  version: 'v1',
  plural: 'crontabs',
  kind: 'CronTab',
  listKind: 'CronTabList',
  namespaced: true,
  verbs: ['get', 'list', 'patch', 'create', 'update', 'delete', 'deletecollection', 'watch'],
  subresources: [],
  schema: '',
  customSchema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
};

function request(query = '', headers: Record<string, string> = {}): ServerRequest {
  const signal = new AbortController().signal;
  return { method: 'GET', path: '/', query: new URLSearchParams(query), headers, body: new Uint8Array(), signal };
}

class Fixture {
  resources: readonly OpenApiResource[] = builtins;
  readonly documents = new OpenApiDocuments({
    resources: () => this.resources,
    stamp: () => this.resources,
    serverVersion: '1.36',
  });

  get(path: string, query?: string, headers?: Record<string, string>): ServerResponse {
    const response = this.documents.respond(path.split('/'), request(query, headers));
    if (response === undefined) throw new Error(`${path} is not of OpenAPI`);
    return response;
  }

  json(path: string): JsonObject {
    return JSON.parse(Buffer.from(this.get(path).body as Uint8Array).toString()) as JsonObject;
  }
}

function header(response: ServerResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key === name)?.[1];
}

describe('OpenApiDocuments', () => {
  it('lists a document with its hash for each group and version', () => {
    const { paths } = new Fixture().json('openapi/v3') as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toEqual(['apis/apps/v1', 'apis/batch/v1']);
    expect(paths['apis/apps/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
  });

  it('describes patches with their kind and with the parameters that kubectl looks for', () => {
    const { paths } = new Fixture().json('openapi/v3/apis/apps/v1') as { paths: Record<string, JsonObject> };
    const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch as JsonObject;
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect(patch['x-kubernetes-action']).toBe('patch');
    expect((patch.parameters as JsonObject[]).map(({ name }) => name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
  });

  it('describes types with their merge keys, defaults and kinds', () => {
    const { components } = new Fixture().json('openapi/v3/apis/apps/v1') as { components: { schemas: JsonObject } };
    const { schemas } = components;
    expect(schemas['io.k8s.api.apps.v1.Deployment']).toMatchObject({
      properties: {
        spec: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec' }] },
      },
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
    });
    expect(schemas['io.k8s.api.core.v1.PodSpec']).toMatchObject({
      required: ['containers'],
      properties: {
        containers: {
          type: 'array',
          'x-kubernetes-patch-merge-key': 'name',
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    });
  });

  it('refers to nothing that it does not contain', () => {
    const fixture = new Fixture();
    fixture.resources = [...builtins, custom];
    for (const [path, pattern] of [
      ['openapi/v3/apis/apps/v1', /"#\/components\/schemas\/([^"]+)"/g],
      ['openapi/v3/apis/stable.example.com/v1', /"#\/components\/schemas\/([^"]+)"/g],
      ['openapi/v2', /"#\/definitions\/([^"]+)"/g],
    ] as const) {
      const document = fixture.json(path);
      const known = new Set(
        Object.keys((document.definitions ?? (document.components as JsonObject).schemas) as JsonObject),
      );
      const referred = [...JSON.stringify(document).matchAll(pattern)].map(([, name = '']) => name);
      expect(referred.filter((name) => !known.has(name))).toEqual([]);
      expect(referred.length).toBeGreaterThan(10);
    }
  });

  it('describes a custom resource as soon as it is served', () => {
    const fixture = new Fixture();
    expect(fixture.get('openapi/v3/apis/stable.example.com/v1').status).toBe(404);
    fixture.resources = [...builtins, custom];
    const { components } = fixture.json('openapi/v3/apis/stable.example.com/v1') as {
      components: { schemas: JsonObject };
    };
    expect(components.schemas['com.example.stable.v1.CronTab']).toMatchObject({
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        spec: { type: 'object', properties: { size: { type: 'integer' } } },
      },
      'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', kind: 'CronTab', version: 'v1' }],
    });
  });

  it('offers strategic merges for built-in kinds alone', () => {
    const fixture = new Fixture();
    fixture.resources = [...builtins, custom];
    const formats = (document: string, path: string) => {
      const { paths } = fixture.json(document) as { paths: Record<string, { patch: { requestBody: JsonObject } }> };
      return Object.keys(paths[path]?.patch.requestBody.content as JsonObject);
    };
    const strategic = 'application/strategic-merge-patch+json';
    expect(formats('openapi/v3/apis/batch/v1', '/apis/batch/v1/namespaces/{namespace}/jobs/{name}')).toContain(
      strategic,
    );
    const path = '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}';
    expect(formats('openapi/v3/apis/stable.example.com/v1', path)).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
  });

  it('keeps the hash of a document for as long as its resources stay as they are', () => {
    const fixture = new Fixture();
    const before = header(fixture.get('openapi/v3/apis/apps/v1'), 'etag');
    const all = header(fixture.get('openapi/v2'), 'etag');
    fixture.resources = [...builtins, custom];
    expect(header(fixture.get('openapi/v3/apis/apps/v1'), 'etag')).toBe(before);
    expect(header(fixture.get('openapi/v2'), 'etag')).not.toBe(all);
  });

  it('lets clients cache what they name by its hash, and sends others there', () => {
    const fixture = new Fixture();
    const etag = header(fixture.get('openapi/v3/apis/apps/v1'), 'etag') ?? '';
    const hash = etag.replaceAll('"', '');
    const named = fixture.get('openapi/v3/apis/apps/v1', `hash=${hash}`);
    expect(header(named, 'cache-control')).toContain('immutable');
    const stale = fixture.get('openapi/v3/apis/apps/v1', 'hash=OLD');
    expect([stale.status, header(stale, 'location')]).toEqual([301, `/openapi/v3/apis/apps/v1?hash=${hash}`]);
    expect(fixture.get('openapi/v3/apis/apps/v1', '', { 'if-none-match': etag }).status).toBe(304);
  });

  it('writes the Swagger document as JSON or protobuf, as asked', () => {
    const fixture = new Fixture();
    expect(fixture.json('openapi/v2')).toMatchObject({
      swagger: '2.0',
      info: { title: 'Kubernetes', version: '1.36' },
    });
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const protobuf = fixture.get('openapi/v2', '', { accept });
    expect(header(protobuf, 'content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    // Field 1 (swagger) is "2.0"; field 2 (info) has title and version.
    const start = Buffer.from(protobuf.body as Uint8Array).subarray(0, 25);
    expect(start.toString('latin1')).toBe('\x0a\x032.0\x12\x12\x0a\x0aKubernetes\x12\x041.36');
    expect(fixture.get('openapi/v2', '', { accept: 'text/html' }).status).toBe(406);
  });

  it('leaves other paths to others', () => {
    expect(new Fixture().documents.respond(['apis'], request())).toBeUndefined();
  });
});
