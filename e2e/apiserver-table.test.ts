import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourcePath } from '../src/api/resource.ts';
import { customPrinter } from '../src/apiserver/table/custom-printer.ts';
import { printerFor, toTable } from '../src/apiserver/table/table.ts';
import type { TablePrinter } from '../src/apiserver/table/table-printer.ts';
import type { JsonObject } from '../src/apiserver/values/json.ts';
import { builtinResources } from '../src/generated/resources.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { clusterKinds } from './apiserver-table-cluster.ts';
import { network, nodesAndStorage, services } from './apiserver-table-network.ts';
import { jobTemplate, LONG_AGO, type PrintedObject } from './apiserver-table-objects.ts';
import { WORKLOADS } from './apiserver-table-workloads.ts';

interface Table {
  kind: string;
  columnDefinitions: { name: string; type: string; format: string; priority: number; description?: string }[] | null;
  rows: { cells: unknown[]; conditions?: unknown; object: JsonObject }[] | null;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Each is created on the real server; its row is then the expectation. */
const CORPUS: readonly PrintedObject[] = [
  ...WORKLOADS,
  ...services(),
  ...network(),
  ...nodesAndStorage(),
  ...clusterKinds(),
];

describe('the tables of the embedded server and those of a real one', () => {
  let plane: ControlPlane;
  let agent: Agent;

  beforeAll(async () => {
    plane = await ControlPlane.start({
      flags: { apiserver: ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'] },
    });
    agent = new Agent({ connect: { ca: plane.ca } });
  });

  afterAll(async () => {
    await agent?.close();
    await plane?.stop();
  });

  async function send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: JsonObject, accept = 'application/json') {
    const headers = {
      authorization: `Bearer ${plane.token}`,
      accept,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    };
    const answer = await request(`${plane.server}${path}`, {
      dispatcher: agent,
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as JsonObject };
  }

  async function tableOf(path: string): Promise<Table> {
    const { status, body } = await send('GET', path, undefined, TABLE);
    expect(status, path).toBe(200);
    return body as unknown as Table;
  }

  /** Ages move on between the server's clock and ours: the rows of one of the moments around the answer must be equal. */
  async function compareRows(path: string, printer: TablePrinter): Promise<void> {
    const beforeMs = Date.now();
    const real = await tableOf(`${path}?includeObject=Object`);
    const expected = (real.rows ?? []).map(({ cells, conditions }) => ({ cells, conditions }));
    const objects = (real.rows ?? []).map(({ object }) => object);
    const moments = Math.ceil((Date.now() - beforeMs) / 500) + 2;
    const attempts = Array.from({ length: moments }, (_, moment) => {
      const table = toTable({ printer, objects, nowMs: beforeMs + moment * 500, includeObject: 'Object' });
      const rows = (table.rows ?? []) as unknown as Table['rows'];
      return (rows ?? []).map(({ cells, conditions }) => ({ cells, conditions }));
    });
    const equal = attempts.find((rows) => JSON.stringify(rows) === JSON.stringify(expected));
    expect(equal ?? attempts[0], path).toEqual(expected);
  }

  it('have the same headings for every built-in kind that can be listed', async () => {
    for (const resource of builtinResources()) {
      if (!resource.verbs.includes('list')) continue;
      const real = await tableOf(resourcePath(resource));
      const withoutText = ({ name, type, format, priority }: NonNullable<Table['columnDefinitions']>[number]) => ({
        name,
        type,
        format,
        priority,
      });
      expect(printerFor(resource).columns.map(withoutText), `${resource.kind}.${resource.group}`).toEqual(
        real.columnDefinitions?.map(withoutText),
      );
    }
  });

  it('have the same rows for objects in all kinds of states', async () => {
    const refused: string[] = [];
    for (const { path, object, status } of CORPUS) {
      const name = String((object.metadata as JsonObject).name);
      const created = await send('POST', path, object);
      if (created.status !== 201) refused.push(`${path} ${name}: ${String(created.body.message)}`);
      if (created.status !== 201 || status === undefined) continue;
      const updated = await send('PATCH', `${path}/${name}/status`, { status });
      if (updated.status !== 200) refused.push(`${path}/${name}/status: ${String(updated.body.message)}`);
    }
    expect(refused).toEqual([]);
    const kinds = new Set(CORPUS.map(({ path }) => path.replace('/namespaces/default', '')));
    for (const resource of builtinResources()) {
      if (resource.verbs.includes('list')) await compareRows(resourcePath(resource), printerFor(resource));
      kinds.delete(resourcePath(resource));
    }
    expect([...kinds]).toEqual([]);
  });

  it('have the same rows for objects that are being deleted', async () => {
    for (const path of ['/api/v1/namespaces/kube-public/pods', '/apis/batch/v1/namespaces/kube-public/jobs']) {
      const spec = path.endsWith('pods') ? jobTemplate().spec : { template: jobTemplate() };
      const metadata = { name: 'going', finalizers: ['x.io/wait'] };
      const created = await send('POST', path, { metadata, spec } as JsonObject);
      expect(created.status, JSON.stringify(created.body)).toBe(201);
      const headers = { authorization: `Bearer ${plane.token}` };
      await request(`${plane.server}${path}/going`, { dispatcher: agent, method: 'DELETE', headers });
    }
    await compareRows('/api/v1/pods', printerFor({ group: '', kind: 'Pod' }));
    await compareRows('/apis/batch/v1/jobs', printerFor({ group: 'batch', kind: 'Job' }));
  });

  it('have the same rows for custom resources', async () => {
    const columns = [
      { name: 'Text', type: 'string', jsonPath: '.spec.text' },
      { name: 'Int', type: 'integer', jsonPath: '.spec.int', priority: 1 },
      { name: 'Float', type: 'number', jsonPath: '.spec.float' },
      { name: 'Bool', type: 'boolean', jsonPath: '.spec.bool' },
      { name: 'When', type: 'date', jsonPath: '.spec.when' },
      { name: 'As text', type: 'string', jsonPath: '.spec.map', description: 'A map as JSON.' },
      { name: 'Int as text', type: 'string', jsonPath: '.spec.int' },
      { name: 'Float as text', type: 'string', jsonPath: '.spec.float' },
      { name: 'First', type: 'string', jsonPath: '.spec.list[0].name' },
      { name: 'Last', type: 'string', jsonPath: '.spec.list[-1].name' },
      { name: 'All', type: 'string', jsonPath: '.spec.list[*].name' },
      { name: 'Ready', type: 'string', jsonPath: '.spec.list[?(@.name=="b")].value' },
      { name: 'More', type: 'string', jsonPath: '.spec.list[?(@.value>1)].name' },
      { name: 'Dotted', type: 'string', jsonPath: '.metadata.labels.x\\.io/y' },
      { name: 'Int as date', type: 'date', jsonPath: '.spec.int' },
      { name: 'Null', type: 'string', jsonPath: '.spec.nothing' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    };
    const version = (name: string, more: JsonObject): JsonObject => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: schema },
      ...more,
    });
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.table.example.com' },
      spec: {
        group: 'table.example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [version('v1', { additionalPrinterColumns: columns }), version('v2', {})],
      },
    };
    const made = await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const path = '/apis/table.example.com/v1/namespaces/default/things';
    await expect.poll(async () => (await send('GET', path)).status, { timeout: 120_000 }).toBe(200);
    const list = [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ];
    const objects: JsonObject[] = [
      { text: 'x', int: 3, float: 1.5, bool: true, when: LONG_AGO, map: { b: ['<', 1], a: null }, list },
      { text: 4, int: 'x', float: 2, bool: 'y', when: 'not a date', list: [], nothing: null },
      { text: false, int: 2.5, float: 1e-7, list: { name: 'x' }, when: '' },
      {},
    ];
    for (const [index, spec] of objects.entries()) {
      const metadata = { name: `thing-${index}`, labels: { 'x.io/y': 'yes' } };
      const created = await send('POST', path, { apiVersion: 'table.example.com/v1', kind: 'Thing', metadata, spec });
      expect(created.status, JSON.stringify(created.body)).toBe(201);
    }
    await compareRows(path, customPrinter(columns));
    await compareRows(path.replace('v1', 'v2'), customPrinter(undefined));
    for (const [version, declared] of [
      ['v1', columns],
      ['v2', undefined],
    ] as const) {
      const real = await tableOf(path.replace('v1', version));
      const ours = customPrinter(declared).columns;
      const described = (column: { name: string; description?: string }) =>
        ['Name', 'Age'].includes(column.name) ? { ...column, description: '' } : column;
      expect(ours.map(described)).toEqual(real.columnDefinitions?.map(described));
    }
  });
});
