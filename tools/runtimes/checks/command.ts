import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pods } from 'tidewatch/api/core/v1';
import type { Check } from '../check.ts';
import { outputOf } from '../own-runtime.ts';
import { pod, TestCluster } from '../test-cluster.ts';

const command = () =>
  join(fileURLToPath(import.meta.resolve('tidewatch/package.json')), '..', 'dist', 'cli', 'main.js');

export const commandChecks: readonly Check[] = [
  {
    name: 'the command tidewatch demo tells its story and ends',
    async run() {
      assert.match(await outputOf(command(), 'demo'), /the cache equals the server/);
    },
  },
  {
    name: 'the command tidewatch watch lists and ends',
    async run() {
      await using test = await TestCluster.start();
      await (await test.connect()).client(pods).create(pod('a'));
      const flags = ['--kubeconfig', test.kubeconfig(), '-o', 'name', '--exit-after-sync'];
      assert.equal(await outputOf(command(), 'watch', 'po', ...flags), 'pod/a\n');
    },
  },
];
