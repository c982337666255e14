import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Cluster, silentLogger } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { markdownFiles } from '../tools/docs/markdown.ts';
import { type Printed, runSnippets, type SnippetModule, snippetModules, typeErrors } from '../tools/docs/snippets.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = markdownFiles(root).filter((page) => page === 'README.md' || /^docs\/[^/]+\.md$/.test(page));
const modules = pages.flatMap((page) => snippetModules(root, page));

const PATIENCE_MS = 15_000;

/** What `tidewatch` and its doors are in this repository. */
function load(specifier: string): Promise<unknown> {
  const [name, door, ...path] = specifier.split('/');
  if (name !== 'tidewatch') return import(/* @vite-ignore */ specifier);
  if (door === undefined) return import('tidewatch');
  if (door === 'controller') return import('tidewatch/controller');
  if (door === 'testing') return import('tidewatch/testing');
  if (door === 'workqueue') return import('tidewatch/workqueue');
  if (door === 'client-node') return import('tidewatch/client-node');
  if (door === 'inspector') return import('tidewatch/inspector');
  if (door === 'metrics') return import('tidewatch/metrics');
  return import(/* @vite-ignore */ join(root, 'src/generated/api', `${path.join('/')}.ts`));
}

/** The cluster that the pages speak of. */
async function createPods(cluster: Cluster): Promise<void> {
  for (const [name, app] of Object.entries({ 'web-1': 'web', 'web-2': 'web', 'db-1': 'db' })) {
    await cluster.client(pods).create({
      metadata: { name, labels: { app } },
      spec: { nodeName: 'node-1', containers: [{ name: app, image: `${app}:1` }] },
    });
  }
}

function matches(line: string | undefined, pattern: string): boolean {
  const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return line !== undefined && new RegExp(`^${parts.join('.*')}$`).test(line);
}

const wrong: SnippetModule = {
  name: 'docs/wrong.md',
  page: 'docs/wrong.md',
  text: "\n\nimport { Cluster } from 'tidewatch';\nconst name: number = (await Cluster.connect()).namespace;\n",
  runs: false,
  prints: [],
};

it('type-checks every snippet of the README and the docs', { timeout: 180_000 }, () => {
  expect(modules.length).toBeGreaterThan(10);
  expect(typeErrors(root, [...modules, wrong])).toEqual([
    "docs/wrong.md:4: Type 'string' is not assignable to type 'number'.",
  ]);
});

it('the README, the pages and the examples read metadata as what every object has', () => {
  const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('examples', file));
  const lines = [...pages, ...examples].flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((line, index) => `${file}:${index + 1}: ${line.trim()}`),
  );
  expect(lines.filter((line) => /metadata(\?\.|!\.| \?\? )/.test(line))).toEqual([]);
});

describe('the snippets, run as they are written on an embedded server in KUBECONFIG', () => {
  const kubeconfigBefore = process.env.KUBECONFIG;
  let server: ApiServer;
  let folder: string;

  beforeEach(async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {}); // of the faults that pages ask for
    server = await ApiServer.start({ logger: silentLogger });
    await createPods(server.cluster());
    folder = mkdtempSync(join(tmpdir(), 'tidewatch-docs-'));
    process.env.KUBECONFIG = join(folder, 'kubeconfig');
    writeFileSync(process.env.KUBECONFIG, server.kubeconfig(), { mode: 0o600 });
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    if (kubeconfigBefore === undefined) delete process.env.KUBECONFIG;
    else process.env.KUBECONFIG = kubeconfigBefore;
    rmSync(folder, { recursive: true });
    await server.stop();
  });

  it.each(modules.filter(({ runs }) => runs).map((module) => [module.name, module] as const))(
    '%s',
    { timeout: 60_000 },
    async (_name, module) => {
      const lines: string[] = [];
      const check = async (printed: Printed) => {
        for (let waitedMs = 0; lines.length < printed.lines.length && waitedMs < PATIENCE_MS; waitedMs += 20)
          await sleep(20);
        const said = lines.splice(0);
        const expected = printed.lines.map((pattern, index) => (matches(said[index], pattern) ? said[index] : pattern));
        expect(said, `${module.page}:${printed.line}`).toEqual(expected);
      };
      await runSnippets(module, { load, print: (line) => void lines.push(line), check });
      // A page that says how to begin also says how to end.
      for (let waitedMs = 0; server.openWatches > 0 && waitedMs < PATIENCE_MS; waitedMs += 20) await sleep(20);
      expect(server.openWatches).toBe(0);
    },
  );
});
