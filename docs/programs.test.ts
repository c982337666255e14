import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markdownFiles } from '../tools/docs/markdown.ts';
import { Programs, type Run, type RunOptions } from '../tools/docs/programs.ts';
import { snippetModules } from '../tools/docs/snippets.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = markdownFiles(root)
  .filter((page) => page === 'README.md' || /^docs\/[^/]+\.md$/.test(page))
  .flatMap((page) => snippetModules(root, page))
  .filter(({ runs }) => runs);
const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /(^|\/)\d+-[\w-]+\.ts$/.test(file))
  .map((file) => `examples/${file}`)
  .sort();

let programs: Programs;

beforeAll(async () => {
  programs = await Programs.build(root, [
    ...pages.map(({ name, text }) => ({ name, text: `${text}\nexport {};\n` })),
    ...examples.map((name) => ({ name, file: join(root, name) })),
  ]);
}, 60_000);

afterAll(() => programs[Symbol.dispose]());

function expectEnd(run: Run): void {
  expect(run, run.complaints).toMatchObject({ hasEnded: true, hasExited: true, exitCode: 0 });
}

/** Runs a program on a server of its own that `KUBECONFIG` leads to. */
async function runOnServer(
  name: string,
  podNames: readonly string[],
  options: (server: ApiServer) => RunOptions = () => ({}),
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-programs-'));
  await using server = await ApiServer.start({ logger: silentLogger });
  try {
    await using cluster = server.cluster();
    for (const pod of podNames) {
      await cluster.client(pods).create({
        metadata: { name: pod, labels: { app: pod.split('-')[0] ?? '' } },
        spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'main:1' }] },
      });
    }
    const KUBECONFIG = join(folder, 'kubeconfig');
    writeFileSync(KUBECONFIG, server.kubeconfig(), { mode: 0o600 });
    return await programs.run(name, { env: { KUBECONFIG }, ...options(server) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Pages that change a certain pod cannot do so where there is none. */
const withoutPods = pages.filter(({ text }) => !/'(web|db)-\d'/.test(text));

describe.concurrent('a program that was copied from a page, in a process of its own', { timeout: 180_000 }, () => {
  it.each(pages.map(({ name }) => name))('ends by itself on a server with pods: %s', async (name) => {
    expectEnd(await runOnServer(name, ['web-1', 'web-2', 'db-1']));
  });

  it.each(withoutPods.map(({ name }) => name))('ends by itself on an empty server: %s', async (name) => {
    expectEnd(await runOnServer(name, []));
  });
});

describe.concurrent('an example, in a process of its own', { timeout: 180_000 }, () => {
  it.each(examples)('ends by itself: %s', async (name) => {
    expectEnd(await programs.run(name));
  });

  describe.each([
    ['an empty server', []],
    ['a server with pods', ['web-1', 'web-2', 'db-1']],
  ])('on %s that it did not make', (_, podNames) => {
    it.each(examples)('ends at Ctrl-C: %s', async (name) => {
      const run = await runOnServer(name, podNames, (server) => ({
        args: ['--real'],
        interruptWhen: (lines) => server.openWatches > 0 || lines.length > 0,
      }));
      expectEnd(run);
    });
  });
});

it('the program of the README tells of what is there before it ends', { timeout: 180_000 }, async () => {
  const { lines } = await runOnServer('README.md', ['web-1', 'web-2', 'db-1']);
  expect([...lines].sort()).toEqual(['2 web pods', 'add db-1', 'add web-1', 'add web-2']);
});

it('the README is among them, on both servers', () => {
  for (const some of [pages, withoutPods]) expect(some.map(({ name }) => name)).toContain('README.md');
  expect(examples.length).toBeGreaterThan(15);
});
