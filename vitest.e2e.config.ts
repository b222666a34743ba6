import { defineConfig } from 'vitest/config';

/** The release on a real cluster, from `helm install` on; one file after the other, since there is one cluster. */
export default defineConfig({
  test: {
    include: ['test/system/e2e/**/*.test.ts'],
    globalSetup: ['test/system/e2e/support/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 1_200_000,
    maxWorkers: 1,
    expect: { requireAssertions: true },
    fileParallelism: false,
    reporters: ['verbose', './test/support/run/requirements-reporter.ts'],
  },
});
