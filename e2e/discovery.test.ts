import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourcePath } from '../src/api/resource.ts';
import type { ResourceDescription } from '../src/api/type-schema.ts';
import type { APIGroupList, APIResource, APIResourceList } from '../src/generated/api/meta/v1.ts';
import { builtinResources, findBuiltin } from '../src/generated/resources.ts';
import { SCALAR_CODES } from '../src/generated/scalar-codes.ts';
import { schemaOfKind, typeSchema } from '../src/generated/type-schemas.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';

const SCALARS = new Set<string>(Object.values(SCALAR_CODES));

describe.each([
  { server: 'a server with default flags', flags: [], whole: builtinResources().filter(({ optIn }) => !optIn) },
  {
    server: 'a server with every API',
    flags: ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'],
    whole: builtinResources(),
  },
])('the resource table and $server', ({ flags, whole }) => {
  let plane: ControlPlane;
  let agent: Agent;

  beforeAll(async () => {
    plane = await ControlPlane.start({ flags: { apiserver: flags } });
    agent = new Agent({ connect: { ca: plane.ca } });
  });

  afterAll(async () => {
    await agent?.close();
    await plane?.stop();
  });

  async function get(path: string, query: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
    const headers = { authorization: `Bearer ${plane.token}`, accept: 'application/json' };
    const answer = await request(`${plane.server}${path}`, { dispatcher: agent, headers, query });
    return { status: answer.statusCode, body: await answer.body.json() };
  }

  async function groupVersions(): Promise<{ group: string; version: string; path: string }[]> {
    const { body } = await get('/apis');
    const named = (body as APIGroupList).groups.flatMap(({ name, versions }) =>
      versions.map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })),
    );
    return [{ group: '', version: 'v1', path: '/api/v1' }, ...named];
  }

  it('agree on plural, singular, kind, scope, short names, categories, verbs and subresources', async () => {
    const served: unknown[] = [];
    const described: unknown[] = [];
    for (const { group, version, path } of await groupVersions()) {
      const { body } = await get(path);
      const { resources } = body as APIResourceList;
      for (const resource of resources.filter(({ name }) => !name.includes('/'))) {
        const subresources = resources.filter(({ name }) => name.startsWith(`${resource.name}/`));
        served.push(fromDiscovery(group, version, resource, subresources));
        described.push(fromTable(findBuiltin(group, version, resource.name)));
      }
    }
    expect(described).toEqual(served);
    expect(served).toHaveLength(whole.length);
  });

  it('agree on what a list holds, down to each field', async () => {
    for (const resource of whole.filter(({ verbs }) => verbs.includes('list'))) {
      const { status, body } = await get(resourcePath(resource));
      expect(status, resource.plural).toBe(200);
      const { kind, items } = body as { kind: string; items: unknown[] };
      expect(kind).toBe(`${resource.kind}List`);
      expect(Array.isArray(items), resource.plural).toBe(true);
      expect(strangers(body, `${resource.schema}List`, kind), resource.plural).toEqual([]);
    }
  });

  it('agree on the fields that a list can be selected by', async () => {
    for (const resource of whole.filter(({ verbs }) => verbs.includes('list'))) {
      // The server forgot the namespace of this one kind.
      const byNamespace = resource.namespaced && resource.plural !== 'podcertificaterequests';
      const everywhere = ['metadata.name', ...(byNamespace ? ['metadata.namespace'] : [])];
      for (const name of [...everywhere, ...resource.selectableFields]) {
        const { status } = await get(resourcePath(resource), { fieldSelector: `${name}=x` });
        expect(status, `${resource.plural} by ${name}`).toBe(200);
      }
      const { status } = await get(resourcePath(resource), { fieldSelector: 'spec.noSuchField=x' });
      expect(status, resource.plural).toBe(400);
    }
  });
});

function fromDiscovery(group: string, version: string, resource: APIResource, subresources: APIResource[]): unknown {
  return {
    group,
    version,
    plural: resource.name,
    singular: resource.singularName,
    kind: resource.kind,
    namespaced: resource.namespaced,
    shortNames: [...(resource.shortNames ?? [])].sort(),
    categories: [...(resource.categories ?? [])].sort(),
    verbs: [...resource.verbs].sort(),
    subresources: subresources
      .map((found) => ({
        name: found.name.slice(resource.name.length + 1),
        group: found.version ? (found.group ?? '') : group,
        version: found.version || version,
        kind: found.kind,
        verbs: [...found.verbs].sort(),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function fromTable(resource: ResourceDescription | undefined): unknown {
  if (!resource) return undefined;
  const { schema: _1, groupAccessor: _2, accessor: _3, selectableFields: _4, optIn: _5, ...discovered } = resource;
  return discovered;
}

/** The paths of what stands in the JSON and not in the schema. */
function strangers(value: unknown, type: string, path: string): string[] {
  if (SCALARS.has(type) || value === null) return [];
  const schema = typeSchema(type);
  if (!schema || typeof value !== 'object') return [`${path}: no ${type}`];
  if (schema.form !== undefined) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const field = fieldOf(type, name);
    if (!field) return [`${path}.${name}`];
    if (field.shape === 'one') return strangers(inner, field.type, `${path}.${name}`);
    const elements = inner === null ? [] : Object.entries(inner as object);
    return elements.flatMap(([key, element]) => strangers(element, field.type, `${path}.${name}[${key}]`));
  });
}

function fieldOf(type: string, name: string): { shape: string; type: string } | undefined {
  for (const field of typeSchema(type)?.fields ?? []) {
    const found = field.inline ? fieldOf(field.type, name) : field.json === name ? field : undefined;
    if (found) return found;
  }
  return undefined;
}

it('knows the kinds of what the server answers beside objects', () => {
  for (const kind of ['Status', 'DeleteOptions', 'APIResourceList', 'APIGroupList', 'WatchEvent']) {
    expect(schemaOfKind('', 'v1', kind), kind).toBeDefined();
  }
});
