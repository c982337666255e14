import { defineConfig } from 'vitest/config';
import { inspectorPage } from './scripts/inspector-page.ts';

const source = (path: string) => new URL(path, import.meta.url).pathname;

/** Examples and snippets import the package by its name; the tests give them the sources. */
const alias = [
  { find: /^tidewatch$/, replacement: source('src/index.ts') },
  { find: /^tidewatch\/controller$/, replacement: source('src/controller/index.ts') },
  { find: /^tidewatch\/testing$/, replacement: source('src/testing/index.ts') },
  { find: /^tidewatch\/metrics$/, replacement: source('src/metrics/index.ts') },
  { find: /^tidewatch\/workqueue$/, replacement: source('src/workqueue/index.ts') },
  { find: /^tidewatch\/client-node$/, replacement: source('src/client-node/index.ts') },
  { find: /^tidewatch\/inspector$/, replacement: source('src/inspector/index.ts') },
  { find: /^tidewatch\/api\/(.+)$/, replacement: `${source('src/generated/api')}/$1.ts` },
];

/** As the build does. Vitest takes it out of the object that it gets, so each project has its own. */
const define = { TIDEWATCH_INSPECTOR_PAGE: JSON.stringify(inspectorPage()) };

export default defineConfig({
  test: {
    projects: [
      {
        define: { ...define },
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['{src,examples,docs,tools}/**/*.test.ts', 'benchmarks/*.test.ts'],
          // For what hangs. Nothing is slow by itself, but the machine may have other work.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Every core: by itself Vitest leaves one of them idle.
          maxWorkers: '100%',
        },
      },
      {
        define: { ...define },
        resolve: { alias },
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // One control plane for all files; two cores have enough to do with one file at a time.
          globalSetup: ['e2e/shared-control-plane-fixture.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
});
