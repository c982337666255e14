import type { Command } from '../command.ts';
import { CONNECTION_FLAGS } from '../connection-flags.ts';

export const generateCrdCommand: Command = {
  name: 'generate crd',
  summary: 'write TypeScript types and resource tokens for custom resources',
  operands: '[FILE...]',
  operandKind: 'file',
  maxOperands: Number.POSITIVE_INFINITY,
  about: [
    'Reads CustomResourceDefinitions from YAML or JSON files (- for the standard input), or from a cluster, and writes for each of their versions the TypeScript types and a resource token that informers and clients take.',
    'It skips manifests of other kinds in the same files.',
  ],
  flags: [
    {
      name: 'output',
      short: 'o',
      value: { label: 'DIR', kind: 'file' },
      about: 'where to write GROUP/VERSION/PLURAL.ts; default -: everything to the standard output',
    },
    {
      name: 'from-cluster',
      value: { label: 'NAME' },
      multiple: true,
      about: 'read this definition from the cluster: by its name, its plural name or its kind, or * for all',
    },
    ...CONNECTION_FLAGS,
  ],
  examples: [
    { about: 'From a file, into a folder of the project', line: 'tidewatch generate crd crontabs.yaml -o src/crds' },
    {
      about: 'From the cluster of the present context',
      line: 'tidewatch generate crd --from-cluster certificates.cert-manager.io -o src/crds',
    },
  ],
  async run(invocation) {
    const { generateCrd } = await import('./generate-crd.ts');
    return generateCrd(invocation);
  },
};
