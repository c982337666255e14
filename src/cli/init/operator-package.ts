import { systemNamespace } from './operator-manifests.ts';
import type { OperatorProject } from './operator-names.ts';

const TOOLS = ['@types/node', 'tsx', 'typescript', 'yaml'];

export function packageJson({ name, tidewatch, toolVersions }: OperatorProject): string {
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      start: 'tsx src/local.ts',
      'start:cluster': 'tsx src/main.ts',
      test: 'node --import tsx --test test/controller.test.ts',
      check: 'tsc --noEmit',
      build: 'tsc -p tsconfig.json',
      generate: 'tidewatch generate crd config/crd.yaml -o src/crds',
      rbac: 'tsx src/rbac.ts',
    },
    dependencies: { tidewatch },
    devDependencies: Object.fromEntries(TOOLS.map((tool) => [tool, toolVersions[tool] ?? '*'])),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

export function tsconfig(): string {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    outDir: 'dist',
  };
  return `${JSON.stringify({ compilerOptions, include: ['src', 'test'] }, undefined, 2)}\n`;
}

export function dockerfile(): string {
  return `FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json* ./
RUN npm install
COPY tsconfig.json ./
COPY src src
COPY test test
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist/src dist
USER 1000
CMD ["node", "dist/main.js"]
`;
}

export function dockerignore(): string {
  return 'node_modules\ndist\n.git\nkubeconfig\n';
}

export function gitignore(): string {
  return 'node_modules/\ndist/\nkubeconfig\n';
}

export function readme(project: OperatorProject): string {
  const { name, kind, plural, group, version } = project;
  return `# ${name}

A Kubernetes operator for the custom resource \`${kind}\` (\`${plural}.${group}\`, ${version}), written with tidewatch. Each ${kind} gets a ConfigMap
with its message; its status and an event say when that is done.

\`\`\`sh
npm install
npm start                # on an embedded API server, with the sample object, until Ctrl-C
npm test                 # on an embedded API server
npm run start:cluster    # on the cluster of your kubeconfig; kubectl apply -f config/crd.yaml first
\`\`\`

| file | what it is |
|---|---|
| \`config/crd.yaml\` | the definition of the custom resource; \`npm run generate\` writes its types to \`src/crds\` |
| \`src/controller.ts\` | what the controller does: change this |
| \`src/main.ts\`, \`src/local.ts\` | run it on a cluster, and on an embedded server |
| \`test/controller.test.ts\` | a test that needs no cluster |
| \`config/rbac.yaml\` | its rights, which follow from what the controller declares: \`npm run rbac\` writes them again |
| \`config/deployment.yaml\` | how it runs in a cluster |

## Into a cluster

\`\`\`sh
docker build -t ${name}:latest .
kubectl apply -f config/crd.yaml -f config/rbac.yaml -f config/deployment.yaml
kubectl apply -f config/sample.yaml
kubectl get ${plural},configmaps,events
kubectl -n ${systemNamespace(name)} logs deployment/${name}
\`\`\`
${project.tidewatch.startsWith('file:') ? '\nThis project depends on tidewatch by a path of one machine, which `docker build` does not see: depend on a version before you build the image.\n' : ''}`;
}
