import type { Command } from '../command.ts';
import { CONNECTION_FLAGS } from '../connection-flags.ts';

export const topCommand: Command = {
  name: 'top',
  summary: 'show who leads, who owns which shard, and what waits',
  operands: '[NAME]',
  maxOperands: 1,
  about: [
    'Shows the Leases of a namespace: who leads each, and of a sharding which shards each process owns. It keeps showing them as they change in a terminal, and once through a pipe.',
    'What waits comes from the health servers of the managers: name each with --health. NAME shows only that Lease or sharding.',
  ],
  flags: [
    { name: 'namespace', short: 'n', value: { label: 'NAME', kind: 'namespace' }, about: "default: the context's" },
    {
      name: 'health',
      value: { label: 'URL' },
      multiple: true,
      about: "a manager's health server: http://127.0.0.1:8081",
    },
    { name: 'plain', about: 'once and as text, also in a terminal' },
    ...CONNECTION_FLAGS,
  ],
  examples: [
    { about: 'Who leads in the namespace of the context', line: 'tidewatch top' },
    {
      about: 'One sharding, and what waits in two of its processes',
      line: 'tidewatch top website --health http://127.0.0.1:8081 --health http://127.0.0.1:8082',
    },
  ],
  async run(invocation) {
    const { top } = await import('./top.ts');
    return top(invocation);
  },
};
