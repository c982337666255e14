import type { Command } from '../command.ts';

export const initOperatorCommand: Command = {
  name: 'init operator',
  summary: 'write a project with a custom resource and its controller',
  operands: 'NAME',
  maxOperands: 1,
  about: [
    'Writes a TypeScript project that runs: a CustomResourceDefinition with its types, a controller, a test on the embedded API server, a Dockerfile, and the RBAC rules and the Deployment for a cluster. NAME is the name of the kind in lower case, with dashes between words: website, mail-server.',
    'In the project, "npm install && npm start" runs the controller on an embedded API server with a sample object until Ctrl-C, "npm run start:cluster" on the cluster of the kubeconfig, and "npm test" tests it.',
  ],
  flags: [
    {
      name: 'output',
      short: 'o',
      value: { label: 'DIR', kind: 'file' },
      about: 'where to write it; default NAME. The folder must be empty or missing',
    },
    { name: 'group', value: { label: 'GROUP' }, about: 'the API group of the custom resource; default example.com' },
    {
      name: 'tidewatch',
      value: { label: 'SPEC', kind: 'file' },
      about: 'the tidewatch that the project depends on: a version, a tarball or a folder; default: this version',
    },
  ],
  examples: [
    { about: 'A project in ./website', line: 'tidewatch init operator website' },
    { about: 'For the domain of a company', line: 'tidewatch init operator mail-server --group mail.example.org' },
  ],
  async run(invocation) {
    const { initOperator } = await import('./init-operator.ts');
    return initOperator(invocation);
  },
};
