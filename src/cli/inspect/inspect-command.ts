import type { Command } from '../command.ts';
import { CONNECTION_FLAGS } from '../connection-flags.ts';

export const inspectCommand: Command = {
  name: 'inspect',
  summary: 'look at resources and their informers in a browser',
  operands: 'RESOURCE...',
  operandKind: 'resource',
  maxOperands: 100,
  about: [
    'Starts informers of the resources and serves a page that shows them: how they list and watch, what fails, the objects in their caches and each change as it comes. It prints the address to open, and runs until it is interrupted (Ctrl-C).',
    'Only this machine can reach the page, and only who has the printed address can read it: a random token is behind its "#".',
    'The page shows metadata and status. Spec, data and annotations of a resource are shown when --show names it, but never of Secrets, nor the values of environment variables.',
  ],
  flags: [
    { name: 'namespace', short: 'n', value: { label: 'NAME', kind: 'namespace' }, about: "default: the context's" },
    { name: 'all-namespaces', short: 'A', about: 'look into all namespaces' },
    { name: 'port', short: 'p', value: { label: 'N' }, about: 'the port of the page; default 0: any that is free' },
    {
      name: 'show',
      value: { label: 'RESOURCES', kind: 'resource' },
      multiple: true,
      about: 'show spec, data and annotations of these too, separated by commas',
    },
    ...CONNECTION_FLAGS,
  ],
  examples: [
    { about: 'The pods and deployments of the namespace of the context', line: 'tidewatch inspect pods deployments' },
    { about: 'All that "kubectl get all" shows, everywhere', line: 'tidewatch inspect all -A' },
    { about: 'Pods with their specs', line: 'tidewatch inspect pods --show pods' },
  ],
  async run(invocation) {
    const { inspect } = await import('./inspect.ts');
    return inspect(invocation);
  },
};
