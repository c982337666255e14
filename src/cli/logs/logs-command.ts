import type { Command } from '../command.ts';
import { CONNECTION_FLAGS } from '../connection-flags.ts';

export const logsCommand: Command = {
  name: 'logs',
  summary: 'show the logs of several pods together, each line with its pod',
  operands: '[NAME]',
  maxOperands: 1,
  about: [
    'Shows the logs of all containers of the pods whose name begins with NAME, or that a selector means; without both, of all pods of the namespace. Each line begins with the pod and its container, in a colour of its own.',
    'With --follow it goes on: pods that are new join, containers that were restarted join again, and those that have ended leave. Ctrl-C ends it.',
  ],
  flags: [
    { name: 'namespace', short: 'n', value: { label: 'NAME', kind: 'namespace' }, about: "default: the context's" },
    { name: 'all-namespaces', short: 'A', about: 'look into all namespaces' },
    { name: 'selector', short: 'l', value: { label: 'SELECTOR' }, about: "only pods with these labels: 'app=web'" },
    {
      name: 'field-selector',
      value: { label: 'SELECTOR' },
      about: "only pods with these fields: 'spec.nodeName=node-1'",
    },
    { name: 'container', short: 'c', value: { label: 'NAME' }, about: 'only containers of this name; default: all' },
    { name: 'follow', short: 'f', about: 'go on with what is written from now on' },
    { name: 'since', value: { label: 'DURATION' }, about: 'only lines of the last 30s, 5m, 2h; default: all' },
    {
      name: 'tail',
      value: { label: 'LINES' },
      about: 'only this many of the last lines of each container; default: all',
    },
    { name: 'timestamps', about: 'begin each line with its time' },
    { name: 'no-prefix', about: 'leave out the names of pod and container' },
    ...CONNECTION_FLAGS,
  ],
  examples: [
    {
      about: 'Everything that the pods of an app write from now on',
      line: 'tidewatch logs -l app=web --follow --tail 0',
    },
    { about: 'The last five minutes of the pods whose name begins with web', line: 'tidewatch logs web --since 5m' },
    { about: 'One container of each pod, in all namespaces', line: 'tidewatch logs -A -c istio-proxy -f' },
  ],
  async run(invocation) {
    const { logs } = await import('./logs.ts');
    return logs(invocation);
  },
};
