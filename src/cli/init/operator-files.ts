import { stringify } from 'yaml';
import { crdModules } from '../generate/crd-module.ts';
import { crdsIn } from '../generate/crd-sources.ts';
import { crdManifest, deploymentManifests, rbacManifests, sampleManifest } from './operator-manifests.ts';
import type { OperatorProject } from './operator-names.ts';
import { dockerfile, dockerignore, gitignore, packageJson, readme, tsconfig } from './operator-package.ts';
import {
  controllerSource,
  localClusterSource,
  localSource,
  mainSource,
  rbacSource,
  testSource,
} from './operator-sources.ts';

export interface ProjectFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The whole project, in the order in which it is best read. */
export function operatorFiles(project: OperatorProject): ProjectFile[] {
  const crd = yamlText([crdManifest(project)]);
  const [types] = crdModules(crdsIn(crd, 'config/crd.yaml'));
  // The names in the types are theirs to choose.
  const token = /^export const (\w+)/m.exec(types?.text ?? '')?.[1] ?? project.plural;
  const crdModule = `./crds/${types?.path}`;
  const sources = { ...project, token, crdModule };
  return [
    { path: 'README.md', text: readme(project) },
    { path: 'package.json', text: packageJson(project) },
    { path: 'tsconfig.json', text: tsconfig() },
    { path: 'config/crd.yaml', text: crd },
    { path: 'config/rbac.yaml', text: yamlText(rbacManifests(project)) },
    { path: 'config/deployment.yaml', text: yamlText(deploymentManifests(project)) },
    { path: 'config/sample.yaml', text: yamlText([sampleManifest(project)]) },
    { path: `src/crds/${types?.path}`, text: types?.text ?? '' },
    { path: 'src/controller.ts', text: controllerSource(sources) },
    { path: 'src/main.ts', text: mainSource() },
    { path: 'src/local.ts', text: localSource(sources) },
    { path: 'src/local-cluster.ts', text: localClusterSource() },
    { path: 'src/rbac.ts', text: rbacSource(project) },
    { path: 'test/controller.test.ts', text: testSource(sources) },
    { path: 'Dockerfile', text: dockerfile() },
    { path: '.dockerignore', text: dockerignore() },
    { path: '.gitignore', text: gitignore() },
  ];
}

function yamlText(manifests: readonly object[]): string {
  return manifests.map((manifest) => stringify(manifest, { aliasDuplicateObjects: false })).join('---\n');
}
