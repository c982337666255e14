import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineResource, type KubernetesObject, type ObjectMeta, type Resource } from '../../index.ts';
import { run } from '../run-cli-fixture.ts';
import { problemsOf } from './compiler-fixture.ts';
import type { Crd, SchemaNode } from './crd.ts';
import { combinedModule, crdModules } from './crd-module.ts';
import { crdsIn } from './crd-sources.ts';

function crd(schema: SchemaNode | undefined, overrides: Partial<Crd> = {}): Crd {
  return {
    group: 'stable.example.com',
    plural: 'crontabs',
    kind: 'CronTab',
    namespaced: true,
    versions: [{ name: 'v1', storage: true, ...(schema && { schema }) }],
    ...overrides,
  };
}

const CRONTAB = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct] }
  versions:
    - name: v1beta1
      served: true
      storage: false
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          description: A CronTab runs things.
          required: [spec]
          properties:
            apiVersion: { type: string }
            kind: { type: string }
            metadata: { type: object }
            spec:
              type: object
              required: [cronSpec, policy]
              properties:
                cronSpec: { type: string, pattern: '^(\\\\d+|\\\\*)(/\\\\d+)?', description: "When. */ // oops" }
                policy: { type: string, enum: [Allow, Forbid, "it's"], default: Allow }
                replicas: { type: integer, format: int32, nullable: true }
                maxUnavailable: { x-kubernetes-int-or-string: true, anyOf: [{ type: integer }, { type: string }] }
                labels: { type: object, additionalProperties: { type: string } }
                limits: { type: object, additionalProperties: { x-kubernetes-int-or-string: true } }
                raw: { type: object, x-kubernetes-preserve-unknown-fields: true }
                anything: { x-kubernetes-preserve-unknown-fields: true }
                args: { type: array, items: { type: string, nullable: true } }
                template:
                  type: object
                  x-kubernetes-embedded-resource: true
                  x-kubernetes-preserve-unknown-fields: true
                owner:
                  type: object
                  x-kubernetes-embedded-resource: true
                  properties: { apiVersion: { type: string }, kind: { type: string }, metadata: { type: object }, spec: { type: object, properties: { size: { type: number } } } }
                steps:
                  type: array
                  items:
                    type: object
                    required: [name]
                    properties: { name: { type: string }, "odd key!": { type: boolean } }
                half: { type: object, x-kubernetes-preserve-unknown-fields: true, properties: { known: { type: string } } }
                either: { oneOf: [{ type: string }, { type: number }] }
            status: { type: object, properties: { __proto__: { type: string }, constructor: { type: integer } } }
`;

describe('types generated from a definition', () => {
  it('need nothing but what the package exports', () => {
    const token: Resource<KubernetesObject & { metadata?: ObjectMeta }> = defineResource({
      group: 'stable.example.com',
      version: 'v1',
      plural: 'crontabs',
      kind: 'CronTab',
    });
    expect(token.plural).toBe('crontabs');
    const text = combinedModule([crd(undefined)]);
    const [, names = '', from] = /^import \{ (.*) \} from '(.*)';$/m.exec(text) ?? [];
    expect({ names: names.split(', '), from }).toEqual({
      names: ['defineResource', 'type KubernetesObject', 'type ObjectMeta', 'type Resource'],
      from: 'tidewatch',
    });
  });

  it('are what the schema says', () => {
    const [module] = crdModules(crdsIn(CRONTAB, 'crontab.yaml')).filter(({ path }) => path.includes('/v1/'));
    expect(module?.path).toBe('stable.example.com/v1/crontabs.ts');
    expect(module?.text).toMatchSnapshot();
  });

  it('compile under strict, and accept and refuse what the server would', () => {
    const [module] = crdModules(crdsIn(CRONTAB, 'crontab.yaml')).filter(({ path }) => path.includes('/v1/'));
    const good = [
      `replicas: null, maxUnavailable: '10%', labels: { a: 'b' }, limits: { cpu: 1, memory: '1Gi' }`,
      `raw: { a: [1] }, anything: 7, args: ['x', null], steps: [{ name: 'a', 'odd key!': true }]`,
      `template: { kind: 'Pod', spec: {} }, owner: { kind: 'X', spec: { size: 1.5 } }, half: { known: 'a', b: 1 }, either: 3`,
    ];
    const bad = [`replicas: '1'`, `steps: [{}]`, `labels: { a: 1 }`, `unknownField: 1`, `either: true`];
    const use = (spec: string) => `{ metadata: { name: 'a' }, spec: { cronSpec: '*', policy: 'Allow', ${spec} } },`;
    const lines = [
      'export const all: generated.CronTab[] = [',
      ...good.map(use),
      ...bad.flatMap((spec) => ['// @ts-expect-error', use(spec)]),
      '// @ts-expect-error',
      `{ spec: { cronSpec: '*', policy: 'Never' } },`,
      '];',
    ];
    expect(problemsOf(module?.text ?? '', lines.join('\n'))).toEqual([]);
  });

  it('of several versions in one file have names of their own', () => {
    const text = combinedModule(crdsIn(CRONTAB, 'crontab.yaml'));
    expect(problemsOf(text)).toEqual([]);
    expect(text).toContain('export interface CronTab extends');
    expect(text).toContain('export interface CronTabV1beta1 extends');
    expect(text).toContain('export const cronTabs:');
    expect(text).toContain('export const cronTabsV1beta1:');
  });

  it('survive a schema that contains itself', () => {
    const spec: Record<string, unknown> = { type: 'object', properties: { name: { type: 'string' } } };
    (spec.properties as Record<string, unknown>).child = spec;
    const text = combinedModule([crd({ type: 'object', properties: { spec } })]);
    expect(text).toContain('child?: unknown;');
    expect(problemsOf(text)).toEqual([]);
    const circle = CRONTAB.replace('status: { type: object', 'status: &s { x: *s, type: object');
    expect(problemsOf(combinedModule(crdsIn(circle, 'x')))).toEqual([]);
  });

  it('do not collide with the names that the file needs, nor with one another', () => {
    const schema = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'object', additionalProperties: { type: 'string' } } } },
        Spec: {
          type: 'object',
          properties: { 'a-b': { type: 'object', properties: {} }, aB: { type: 'object', properties: {} } },
        },
      },
    };
    for (const kind of ['Record', 'KubernetesObject', 'string', 'Resource', 'CronTabSpec']) {
      const text = combinedModule([crd(schema, { kind }), crd(schema, { plural: 'delete' })]);
      expect(problemsOf(text), text).toEqual([]);
    }
  });

  it('run no code and break out of no literal, whatever the schema says', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '*/ process.exit(1) /*',
        "'; evil(); '",
        '`$'.concat('{evil()}`'),
        '\u2028evil()',
        '@ts-ignore',
        '__proto__',
        'a\nb',
        '\\',
        "\\'",
      ),
    );
    const schema: fc.Arbitrary<SchemaNode> = fc.letrec<{ node: SchemaNode }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.record({
          type: fc.constantFrom('string', 'integer', 'boolean', 'weird'),
          description: hostile,
          default: hostile,
          format: hostile,
        }),
        fc.record({
          enum: fc.array(fc.oneof(hostile, fc.integer(), fc.constant(null), fc.double())),
          nullable: fc.boolean(),
        }),
        fc.record({ type: fc.constant('array'), items: tie('node') }),
        fc.record({
          type: fc.constant('object'),
          description: hostile,
          properties: fc.dictionary(hostile, tie('node'), { maxKeys: 4 }),
          required: fc.array(hostile),
          'x-kubernetes-preserve-unknown-fields': fc.boolean(),
          'x-kubernetes-embedded-resource': fc.boolean(),
        }),
      ),
    })).node;
    fc.assert(
      fc.property(schema, (spec) => {
        const text = combinedModule([crd({ type: 'object', properties: { spec } })]);
        const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.ES2022, true);
        const kinds = source.statements.map((statement) => statement.kind);
        const allowed = [
          ts.SyntaxKind.ImportDeclaration,
          ts.SyntaxKind.InterfaceDeclaration,
          ts.SyntaxKind.VariableStatement,
        ];
        expect(kinds.filter((kind) => !allowed.includes(kind))).toEqual([]);
        expect(kinds.filter((kind) => kind === ts.SyntaxKind.VariableStatement)).toHaveLength(1);
        expect(ts.transpileModule(text, { reportDiagnostics: true }).diagnostics).toEqual([]);
        expect(text).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 60 },
    );
  });

  it('compile also when names and descriptions are hostile', () => {
    const properties = Object.fromEntries(
      ['*/', "'", '`', '\u2028', '__proto__', '', '@ts-ignore', '1', 'new'].map((name) => [
        name,
        { type: 'string', description: `${name} @ts-expect-error */`, enum: [name] },
      ]),
    );
    expect(
      problemsOf(combinedModule([crd({ type: 'object', properties: { spec: { type: 'object', properties } } })])),
    ).toEqual([]);
  });
});

describe('tidewatch generate crd', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidewatch-generate-'));
    await writeFile(join(folder, 'bundle.yaml'), `kind: Namespace\napiVersion: v1\n---\n${CRONTAB}`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('writes a file for each version, and says which', async () => {
    const first = await run(['generate', 'crd', 'bundle.yaml', '-o', 'types'], { cwd: folder });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout.trim().split('\n')).toEqual([
      'types/stable.example.com/v1beta1/crontabs.ts',
      'types/stable.example.com/v1/crontabs.ts',
    ]);
    expect(await readFile(join(folder, 'types/stable.example.com/v1/crontabs.ts'), 'utf8')).toContain(
      'defineResource<CronTab>',
    );
    expect(await run(['generate', 'crd', 'bundle.yaml', '-o', 'types'], { cwd: folder })).toMatchObject({ code: 0 });
  });

  it('reads the standard input, and writes to the standard output', async () => {
    const { code, stdout } = await run(['generate', 'crd', '-'], { input: CRONTAB });
    expect(code).toBe(0);
    expect(stdout).toContain('export interface CronTab extends KubernetesObject');
  });

  it('leaves a file alone that it did not generate', async () => {
    const own = join(folder, 'types/stable.example.com/v1/crontabs.ts');
    await writeFile(own, '// mine\n');
    const { code, stderr } = await run(['generate', 'crd', 'bundle.yaml', '-o', 'types'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*crontabs\.ts exists and was not generated.*\n$/);
    expect(await readFile(own, 'utf8')).toBe('// mine\n');
  });

  it.each([
    ['no file', ['generate', 'crd'], 2, /needs a FILE or --from-cluster/],
    ['a missing file', ['generate', 'crd', 'nowhere.yaml'], 1, /nowhere\.yaml cannot be read: it does not exist/],
    ['YAML that is none', ['generate', 'crd', '-'], 1, /not valid YAML/],
  ])('explains %s in one sentence', async (_what, argv, code, message) => {
    const result = await run(argv, { cwd: folder, input: '{a: [' });
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(message);
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('refuses names that would lead out of the folder', async () => {
    for (const [from, to] of [
      ['name: v1\n', 'name: ../../v1\n'],
      ['group: stable.example.com', 'group: "../.."'],
      ['kind: CronTab', 'kind: "A{}; evil()"'],
    ] as const) {
      const { code, stderr } = await run(['generate', 'crd', '-', '-o', 'evil'], {
        cwd: folder,
        input: CRONTAB.replace(from, to),
      });
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not a (DNS )?name/) });
    }
    expect(await readdir(folder)).not.toContain('evil');
  });
});
