import type { Command } from '../command.ts';
import { CONNECTION_FLAGS } from '../connection-flags.ts';

export const generateApiCommand: Command = {
  name: 'generate api',
  summary: 'write TypeScript types with the descriptions of your own cluster',
  operands: '[GROUP/VERSION...]',
  maxOperands: Number.POSITIVE_INFINITY,
  about: [
    'Reads the OpenAPI documents of a cluster and writes, for each version of each API group or for those that are named, the TypeScript types with their descriptions and a resource token for each resource, built-in or custom.',
  ],
  flags: [
    {
      name: 'output',
      short: 'o',
      value: { label: 'DIR', kind: 'file' },
      about:
        'where to write GROUP/VERSION.ts (core/v1.ts for the core group); default -: one version to the standard output',
    },
    ...CONNECTION_FLAGS,
  ],
  examples: [
    { about: 'Everything that the cluster serves', line: 'tidewatch generate api -o src/api' },
    { about: 'Two versions', line: 'tidewatch generate api v1 apps/v1 -o src/api' },
  ],
  async run(invocation) {
    const { generateApi } = await import('./generate-api.ts');
    return generateApi(invocation);
  },
};
