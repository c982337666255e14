import type { Command } from '../command.ts';
import { CONNECTION_FLAGS } from '../connection-flags.ts';

export const OUTPUTS = ['wide', 'json', 'name', 'events'] as const;

export const watchCommand: Command = {
  name: 'watch',
  summary: 'follow the objects of a resource on any cluster',
  operands: 'RESOURCE[,RESOURCE...] [NAME]',
  operandKind: 'resource',
  maxOperands: 2,
  about: [
    'Shows the objects of a resource and keeps showing them as they change: in a terminal as a live table, through a pipe as one line for each event. The watch survives lost connections, restarts of the server and a compacted history.',
    'RESOURCE is anything that the cluster serves, by any of its names: pods, po, Pod, deployments.apps, crontabs.v1.stable.example.com, pod/web-0.',
    'Several resources, as "pods,deployments", or a category such as "all", are shown as lines such as "ADD pod default/web-0 1234".',
    'Outputs: the default and "wide" are the columns of "kubectl get"; "events" prints lines such as "ADD default/web-0 1234" (ADD, UPDATE, DELETE); "json" one object a line with type, key, resourceVersion and object; "name" lines such as "pod/web-0".',
  ],
  flags: [
    { name: 'namespace', short: 'n', value: { label: 'NAME', kind: 'namespace' }, about: "default: the context's" },
    { name: 'all-namespaces', short: 'A', about: 'look into all namespaces' },
    {
      name: 'selector',
      short: 'l',
      value: { label: 'SELECTOR' },
      about: "only objects with these labels: 'app=web,tier in (api, db),!canary'",
    },
    {
      name: 'field-selector',
      value: { label: 'SELECTOR' },
      about: "only objects with these fields: 'spec.nodeName=node-1,status.phase!=Failed'",
    },
    { name: 'output', short: 'o', value: { label: 'FORMAT', choices: OUTPUTS }, about: 'how to show objects' },
    {
      name: 'label-columns',
      short: 'L',
      value: { label: 'LABELS' },
      multiple: true,
      about: 'labels to show as columns, separated by commas',
    },
    { name: 'show-labels', about: 'all labels as the last column' },
    { name: 'output-watch-events', about: 'a first column that says ADDED, MODIFIED or DELETED' },
    { name: 'no-headers', about: 'no line with the names of the columns' },
    { name: 'plain', about: 'lines instead of the live table, also in a terminal' },
    {
      name: 'resync',
      value: { label: 'DURATION' },
      about: 'repeat everything known as updates this often, at least 1s; default: never',
    },
    { name: 'watch-only', about: 'leave out what was there at the start' },
    { name: 'exit-after-sync', about: 'end when all that was there at the start has been shown' },
    {
      name: 'timeout',
      value: { label: 'DURATION' },
      about: 'with --exit-after-sync: fail when it takes longer; default: wait forever',
    },
    ...CONNECTION_FLAGS,
  ],
  examples: [
    { about: 'A live table of the pods in the namespace of the context', line: 'tidewatch watch pods' },
    { about: 'All deployments of an app, in all namespaces', line: 'tidewatch watch deploy -A -l app=web -o wide' },
    { about: 'Everything that "kubectl get all" shows', line: 'tidewatch watch all' },
    { about: 'One line for each event, for a script', line: 'tidewatch watch pods -A -o events | grep DELETE' },
    {
      about: 'The names of the pods on a node, and end',
      line: 'tidewatch watch po -A --field-selector spec.nodeName=node-1 -o name --exit-after-sync',
    },
  ],
  async run(invocation) {
    const { watch } = await import('./watch.ts');
    return watch(invocation);
  },
};
