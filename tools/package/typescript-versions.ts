import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lines, manifest, need, report, repository, run } from './package-report.ts';

/** Below it, types that the declarations are made of (`NoInfer`) do not exist. The README names it. */
const TYPESCRIPT_FLOOR = '5.4';

/** Compiles at the floor and at the newest version only if the types hold what they promise. */
const STRICT_PROGRAM = `
import { Cluster, SharedIndexInformer, type Stored } from '${manifest.name}';
import { deployments } from '${manifest.name}/api/apps/v1';
import { type Pod, pods } from '${manifest.name}/api/core/v1';

const cluster = await Cluster.connect();
const informer = new SharedIndexInformer({ cluster, resource: pods, indexers: { node: 'spec.nodeName' } });
informer.addEventHandler({ onAdd: (pod) => console.log(pod.metadata.name.length, pod.metadata.uid.length, pod.kind.length) });
const list: Stored<Pod>[] = informer.lister().list();
const applied = await cluster.client(deployments).apply({ metadata: { name: 'web' }, spec: { replicas: 3 } });
// @ts-expect-error: spce
await cluster.client(deployments).apply({ metadata: { name: 'web' }, spce: { replicas: 3 } });
// @ts-expect-error: nodName
informer.addIndexers({ node: 'spec.nodName' });
export const names: string[] = [applied.metadata.name, ...list.map((pod) => pod.metadata.name)];
`;

/** Every door but that of client-node, which needs it: what a compiler cannot read would be `any` to its users. */
const DOORS = ['', '/controller', '/inspector', '/metrics', '/testing', '/workqueue'];

/** With the compilers themselves, from the registry, in a project beside the one whose size was measured. */
export function checkTypeScriptVersions(project: string, folder: string): void {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  report(readme.includes(`TypeScript ${TYPESCRIPT_FLOOR} or newer`), `the README names TypeScript ${TYPESCRIPT_FLOOR}`);
  const compilers = join(folder, 'compilers');
  mkdirSync(compilers);
  writeFileSync(join(compilers, 'package.json'), '{ "private": true }\n');
  const versions = [`floor@npm:typescript@~${TYPESCRIPT_FLOOR}.0`, 'newest@npm:typescript@latest'];
  need('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...versions], compilers);
  writeFileSync(join(project, 'strict.ts'), STRICT_PROGRAM);
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [resolve(repository, 'node_modules', '@types')],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['strict.ts', 'first.ts'] }));
  const imports = DOORS.map((door, index) => `export * as door${index} from '${manifest.name}${door}';\n`);
  writeFileSync(join(project, 'doors.ts'), imports.join(''));
  const libraries = { ...compilerOptions, skipLibCheck: false };
  writeFileSync(
    join(project, 'tsconfig.doors.json'),
    JSON.stringify({ compilerOptions: libraries, files: ['doors.ts'] }),
  );
  for (const name of ['floor', 'newest']) {
    const compiler = join(compilers, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'));
    const compiled = run(process.execPath, [join(compiler, 'bin', 'tsc'), '-p', '.'], project);
    report(compiled.code === 0, `a strict program compiles with TypeScript ${version} ${compiled.output}`.trimEnd());
    const read = run(process.execPath, [join(compiler, 'bin', 'tsc'), '-p', 'tsconfig.doors.json'], project);
    const errors = read.output.split('\n').filter((line) => /^doors\.ts|node_modules\/tidewatch\//.test(line));
    report(errors.length === 0, `TypeScript ${version} finds nothing wrong in the declarations${lines(errors)}`);
  }
}
