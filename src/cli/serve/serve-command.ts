import type { Command } from '../command.ts';

export const DEFAULT_KUBECONFIG = 'tidewatch.kubeconfig';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'run the embedded API server, for kubectl and any client',
  about: [
    'Runs a Kubernetes API server in this process: HTTPS on 127.0.0.1, with a token and a certificate made at start. It writes a kubeconfig that only you can read, and removes it when it ends. What it stores lives in memory and is gone when it stops; there are no nodes, so pods do not run.',
    'It runs until it is interrupted (Ctrl-C).',
  ],
  flags: [
    { name: 'port', short: 'p', value: { label: 'N' }, about: 'the port to listen on; default 0: any that is free' },
    {
      name: 'kubeconfig',
      value: { label: 'FILE', kind: 'file' },
      about: `where to write the kubeconfig; default ${DEFAULT_KUBECONFIG} in the present folder`,
    },
    { name: 'force', about: 'overwrite a kubeconfig that this command did not write' },
    { name: 'insecure-http', about: 'plain HTTP, and no token unless --token is given' },
    { name: 'token', value: { label: 'TOKEN' }, about: 'the bearer token of the administrator; default: a random one' },
    { name: 'no-controllers', about: 'leave namespaces and garbage to a controller manager of yours' },
  ],
  examples: [
    { about: 'A server to play with, and kubectl on it', line: 'tidewatch serve' },
    { about: 'The same port and file each time', line: 'tidewatch serve --port 6443 --kubeconfig dev.kubeconfig' },
  ],
  async run(invocation) {
    const { serve } = await import('./serve.ts');
    return serve(invocation);
  },
};
