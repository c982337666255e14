import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../api/metadata.ts';
import { defineResource } from '../../api/resource.ts';
import { rbacRules } from '../../controller/rbac.ts';
import { customResourceDefinitions } from '../../generated/api/apiextensions/v1.ts';
import { deployments } from '../../generated/api/apps/v1.ts';
import { configMaps, namespaces, serviceAccounts } from '../../generated/api/core/v1.ts';
import { clusterRoleBindings, clusterRoles } from '../../generated/api/rbac/v1.ts';
import { ApiServer } from '../../testing/api-server.ts';
import { run } from '../run-cli-fixture.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What the project uses of the door `tidewatch/controller`, for as long as this repository has no such door. */
const CONTROLLER_DOOR = `
import type { Cluster, KubernetesObject, Resource } from 'tidewatch';
import type { Reconcile, ReconcileOptions } from '${root}/src/controller/controller.ts';
import type { PolicyRule } from '${root}/src/controller/rbac.ts';
export { setCondition } from '${root}/src/controller/conditions.ts';
export declare class Builder<T extends KubernetesObject> {
  for<R extends KubernetesObject>(resource: Resource<R>): Builder<R>;
  owns(resource: Resource): this;
  reconcile(reconcile: Reconcile<T>, options?: ReconcileOptions): void;
}
export declare class Manager {
  constructor(cluster: Cluster, options?: { namespace?: string; health?: { port: number; host?: string } });
  controller(name: string): Builder<KubernetesObject>;
  run(options: { signal: AbortSignal }): Promise<void>;
  rbac(): PolicyRule[];
}
`;

describe('tidewatch init operator', () => {
  let cwd: string;

  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'tidewatch-init-'));
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  const init = (...args: string[]) => run(['init', 'operator', ...args], { cwd });
  const read = (path: string) => readFile(join(cwd, path), 'utf8');
  const yaml = async (path: string) => parseAllDocuments(await read(path)).map((one) => one.toJS() as KubernetesObject);

  it('writes a project, and lists its files', async () => {
    const { code, stdout, stderr } = await init('website');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const files = (await readdir(join(cwd, 'website'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(cwd.length + 1));
    expect(files.sort()).toEqual(stdout.split('\n\n')[0]?.split('\n').sort());
    expect(files).toContain('website/src/crds/example.com/v1/websites.ts');
    expect(stdout).toContain('Next: cd website && npm install && npm start\n');
  });

  it('depends on this version, and on the tools that it was built with', async () => {
    await init('website');
    const { dependencies, devDependencies, scripts } = JSON.parse(await read('website/package.json'));
    const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(dependencies).toEqual({ tidewatch: own.version });
    expect(devDependencies.typescript).toBe(own.devDependencies.typescript);
    expect(devDependencies.yaml).toBe(own.devDependencies.yaml);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'start:cluster', 'test']));
  });

  it('depends on a tarball or a folder by its path, and on a version by its number', async () => {
    await writeFile(join(cwd, 'tidewatch.tgz'), '');
    const dependency = async (spec: string, output: string) => {
      expect((await init('website', '--tidewatch', spec, '-o', output)).code).toBe(0);
      return JSON.parse(await read(`${output}/package.json`)).dependencies.tidewatch;
    };
    expect(await dependency('tidewatch.tgz', 'a')).toBe(`file:${join(cwd, 'tidewatch.tgz')}`);
    expect(await read('a/README.md')).toContain('by a path of one machine');
    expect(await dependency('^1.2.3', 'b')).toBe('^1.2.3');
    expect(await read('b/README.md')).not.toContain('by a path of one machine');
    expect(await init('website', '--tidewatch', './missing.tgz', '-o', 'c')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no ./missing.tgz to depend on'),
    });
    expect(existsSync(join(cwd, 'c'))).toBe(false);
  });

  it('writes into an empty folder, and leaves one that is not empty alone', async () => {
    await mkdir(join(cwd, 'website'));
    expect((await init('website')).code).toBe(0);
    const again = await init('website');
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty, so nothing is written there'),
    });
    await writeFile(join(cwd, 'file'), '');
    expect(await init('website', '-o', 'file')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be used'),
    });
  });

  it.each([
    [[]],
    [['Website']],
    [['-x']],
    [['a--b']],
    [['1st']],
    [['a'.repeat(41)]],
    [['a', '--group', 'nodot']],
    [['a', 'b']],
  ])('refuses the arguments %j', async (args) => {
    expect((await init(...args)).code).toBe(2);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('names kind and plural after the name, in the given group', async () => {
    await init('mail-proxy', '--group', 'mail.example.org');
    const [crd] = await yaml('mail-proxy/config/crd.yaml');
    expect(crd).toMatchObject({
      metadata: { name: 'mailproxies.mail.example.org' },
      spec: { names: { kind: 'MailProxy', plural: 'mailproxies', singular: 'mailproxy' } },
    });
    expect(await read('mail-proxy/src/controller.ts')).toContain(".controller('mail-proxy')");
  });

  it('writes manifests that a server accepts, and a sample of the custom resource', async () => {
    await init('website');
    await using server = await ApiServer.start({ listen: false });
    await using cluster = server.cluster();
    const options = { fieldValidation: 'Strict' as const };
    const [crd] = await yaml('website/config/crd.yaml');
    await cluster.client(customResourceDefinitions).create(crd as never, options);
    const [namespace, account, role, binding] = await yaml('website/config/rbac.yaml');
    await cluster.client(namespaces).create(namespace as never, options);
    await cluster.client(serviceAccounts).create(account as never, options);
    await cluster.client(clusterRoles).create(role as never, options);
    await cluster.client(clusterRoleBindings).create(binding as never, options);
    const [deployment] = await yaml('website/config/deployment.yaml');
    await cluster.client(deployments).create(deployment as never, options);
    const websites = defineResource({ group: 'example.com', version: 'v1', plural: 'websites', kind: 'Website' });
    const sample = parse(await read('website/config/sample.yaml')) as KubernetesObject;
    await cluster.client(websites).create(sample, options);
    const rules = rbacRules(
      [
        { resource: websites, use: 'for' },
        { resource: configMaps, use: 'owns' },
      ],
      { events: true },
    );
    expect(role).toMatchObject({ kind: 'ClusterRole', rules });
  });

  it('writes types that are those of "tidewatch generate crd"', async () => {
    await init('website');
    const { stdout } = await run(['generate', 'crd', 'website/config/crd.yaml', '-o', '-'], { cwd });
    expect(await read('website/src/crds/example.com/v1/websites.ts')).toBe(stdout);
  });

  it('writes TypeScript that compiles but for a mistake that the test adds', { timeout: 180_000 }, async () => {
    await init('mail-server');
    const project = join(cwd, 'mail-server');
    await writeFile(join(project, 'src/wrong.ts'), "import './controller.ts';\nexport const wrong: number = 'text';\n");
    expect(await problemsOf(project)).toEqual(["wrong.ts: Type 'string' is not assignable to type 'number'."]);
  });
});

/** What the compiler says of the project by its own tsconfig, with the sources of this repository as tidewatch. */
async function problemsOf(project: string): Promise<string[]> {
  const door = join(root, 'src/controller/index.ts');
  const stub = join(project, 'tidewatch-controller.d.ts');
  if (!existsSync(door)) await writeFile(stub, CONTROLLER_DOOR);
  const { config } = ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile);
  config.compilerOptions = {
    ...config.compilerOptions,
    noEmit: true,
    allowImportingTsExtensions: true,
    typeRoots: [join(root, 'node_modules/@types')],
    paths: {
      tidewatch: [join(root, 'src/index.ts')],
      'tidewatch/controller': [existsSync(door) ? door : stub],
      'tidewatch/testing': [join(root, 'src/testing/index.ts')],
      'tidewatch/api/*': [join(root, 'src/generated/api/*.ts')],
      yaml: [join(root, 'node_modules/yaml/dist/index.d.ts')],
    },
  };
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, project);
  const program = ts.createProgram(fileNames, options);
  const found = program
    .getSourceFiles()
    .filter(({ fileName }) => resolve(fileName).startsWith(project))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
  return [...errors, ...found].map(
    ({ file, messageText }) =>
      `${file?.fileName.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}
