import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 20_000 } },
      {
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
