import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { Cluster } from '../../cluster/cluster.ts';
import { customResourceDefinitions } from '../../generated/api/apiextensions/v1.ts';
import { run } from '../run-cli-fixture.ts';
import { apiModule } from './api-module.ts';
import { problemsOf } from './compiler-fixture.ts';

describe('tidewatch generate api', () => {
  let server: ApiServer;
  let folder: string;

  beforeEach(async () => {
    server = await ApiServer.start({ http: true });
    folder = await mkdtemp(join(tmpdir(), 'tidewatch-generate-api-'));
  });

  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const generate = (...args: string[]) => run(['generate', 'api', ...args, '-s', server.url], { cwd: folder });

  it('writes the types of a version, which compile and accept what the server accepts', async () => {
    const { code, stdout, stderr } = await generate('apps/v1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('export const deployments: Resource<Deployment> =');
    expect(stdout).not.toContain('deploymentsStatus');
    const use = `
      const web: generated.Deployment = {
        metadata: { name: 'web' },
        spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, strategy: { rollingUpdate: { maxSurge: '10%' } },
          template: { metadata: { name: 'a' }, spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] } } },
      };
      // @ts-expect-error: replica
      const wrong: generated.Deployment = { spec: { replica: 1 } };
      export { web, wrong };`;
    expect(problemsOf(stdout, use)).toEqual([]);
  });

  it('writes a file for each version, custom resources included', async () => {
    await using cluster = Cluster.over(server.transport());
    await cluster.client(customResourceDefinitions).create({
      metadata: { name: 'crontabs.stable.example.com' },
      spec: {
        group: 'stable.example.com',
        scope: 'Namespaced',
        names: { plural: 'crontabs', kind: 'CronTab', singular: 'crontab', listKind: 'CronTabList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', properties: { cron: { type: 'string', description: 'When.' } } },
                },
              },
            },
          },
        ],
      },
    });
    await expect
      .poll(() =>
        server
          .transport()
          .request({ method: 'GET', path: '/openapi/v3/apis/stable.example.com/v1' })
          .then(({ status }) => status),
      )
      .toBe(200);
    const { code, stdout } = await generate('-o', 'api');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(['api/core/v1.ts', 'api/apps/v1.ts', 'api/stable.example.com/v1.ts']),
    );
    const text = await readFile(join(folder, 'api/stable.example.com/v1.ts'), 'utf8');
    expect(text).toContain('/** When. */\n  cron?: string;');
    expect(text).toContain("group: 'stable.example.com',");
    const core = await readFile(join(folder, 'api/core/v1.ts'), 'utf8');
    expect(problemsOf(core, "export const a: generated.Pod = { spec: { containers: [{ name: 'x' }] } };")).toEqual([]);
    expect((await generate('-o', 'api')).code).toBe(0);
  });

  it('explains a version that is not there, and where several can go', async () => {
    expect(await generate('aps/v1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('did you mean "apps/v1"?'),
    });
    expect(await generate()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs one GROUP/VERSION, or -o DIR'),
    });
  });
});

describe('the module of a version', () => {
  it('follows references to themselves, and to what is missing', () => {
    const schemas = {
      'com.example.v1.Tree': {
        type: 'object',
        description: 'A tree. */ evil()',
        'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Tree' }],
        properties: {
          root: {
            allOf: [{ $ref: '#/components/schemas/com.example.v1.Node' }],
            default: {},
            description: 'Where it begins.',
          },
          gone: { $ref: '#/components/schemas/com.example.v1.Gone' },
          size: { $ref: '#/components/schemas/Size' },
        },
      },
      'com.example.v1.Node': {
        type: 'object',
        required: ['children'],
        properties: { children: { type: 'array', items: { $ref: '#/components/schemas/com.example.v1.Node' } } },
      },
      Size: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    };
    const resources = [{ group: 'example.com', version: 'v1', plural: 'trees', kind: 'Tree', namespaced: false }];
    const text = apiModule({ group: 'example.com', version: 'v1', resources, schemas });
    expect(text).toContain('/** Where it begins. */\n  root?: Node;');
    expect(text).toContain('  gone?: unknown;\n  size?: string | number;');
    expect(text).toContain('namespaced: false');
    expect(problemsOf(text, 'export const a: generated.Tree = { root: { children: [{ children: [] }] } };')).toEqual(
      [],
    );
  });
});
