import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cluster } from '../src/cluster/cluster.ts';
import { pods } from '../src/generated/api/core/v1.ts';
import { rejection } from '../src/http/request-fixture.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';
import { makeNamespace, sharedControlPlane } from './shared-control-plane-fixture.ts';

const pod = (name: string, namespace: string) => ({
  metadata: { name, namespace },
  spec: { containers: [{ name: 'main', image: 'x' }], automountServiceAccountToken: false },
});

describe('pods without a kubelet, on a real control plane', () => {
  it('have the errors of kubectl', async () => {
    const kubeconfig = sharedControlPlane().kubeconfigFile;
    const namespace = await makeNamespace('pods');
    await using cluster = await Cluster.connect({ kubeconfig, namespace });
    const account = { metadata: { name: 'default', namespace } };
    const { serviceAccounts } = await import('../src/generated/api/core/v1.ts');
    await cluster.client(serviceAccounts).create(account);
    const client = cluster.client(pods);
    await client.create(pod('web-0', namespace));
    const said = async (promise: Promise<unknown>) => String(await rejection(promise));
    const logs = async (name: string) => {
      for await (const _ of client.logs(name));
    };
    const calls: Array<[args: string[], ours: () => Promise<unknown>]> = [
      [['exec', 'web-0', '--', 'ls'], () => client.exec('web-0', ['ls'])],
      [['attach', 'web-0'], () => client.attach('web-0')],
      [['logs', 'nobody'], () => logs('nobody')],
      [['exec', 'nobody', '--', 'ls'], () => client.exec('nobody', ['ls'])],
    ];
    for (const [args, ours] of calls) {
      const [theirs, message] = await Promise.all([
        runKubectl(['-n', namespace, ...args], { kubeconfig }),
        said(ours()),
      ]);
      expect(theirs.code).not.toBe(0);
      // kubectl adds where it looked.
      const [, words = theirs.stderr] = /(pods? .*?)(?: in namespace .*)?$/m.exec(theirs.stderr) ?? [];
      expect(message).toContain(words);
    }
    expect(await said(client.exec('web-0', ['ls']))).toContain('pod web-0 does not have a host assigned');
    expect(
      await said(
        client.portForward('web-0', 80).then(async (forward) => {
          await forward.close();
          return client.dial('web-0', 80);
        }),
      ),
    ).toContain('web-0');
  });
});

describe("kubectl on the embedded server's kubelet", () => {
  it('reads logs and runs programs', async () => {
    await using server = await ApiServer.start({
      kubelet: {
        log: ({ container, tailLines }) => `${container} ${tailLines}\n`,
        async exec({ command, stdin, stdout, stderr }) {
          await stdout(`${command.join(' ')}\n`);
          await stderr('to stderr\n');
          for await (const chunk of stdin) await stdout(chunk);
          return command.includes('fail') ? 7 : 0;
        },
      },
    });
    await using cluster = server.cluster();
    const client = cluster.client(pods);
    await client.create(pod('web-0', 'default'));
    await client.patch(
      'web-0',
      { spec: { nodeName: 'node-1' }, status: { phase: 'Running' } },
      { subresource: 'status' },
    );
    const folder = mkdtempSync(join(tmpdir(), 'tidewatch-kubelet-'));
    try {
      const kubeconfig = join(folder, 'config');
      writeFileSync(kubeconfig, server.kubeconfig());
      const kubectl = (args: string[], input?: string) => runKubectl(args, { kubeconfig, input });
      expect(await kubectl(['logs', 'web-0', '--tail=3'])).toMatchObject({ code: 0, stdout: 'main 3\n' });
      expect(await kubectl(['exec', '-i', 'web-0', '--', 'cat', '-'], 'hello')).toMatchObject({
        code: 0,
        stdout: 'cat -\nhello',
        stderr: 'to stderr\n',
      });
      expect(await kubectl(['exec', 'web-0', '--', 'fail'])).toMatchObject({ code: 7 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
