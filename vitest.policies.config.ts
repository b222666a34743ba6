import { defineConfig } from 'vitest/config';

/** The network policies of the release, on a cluster whose network enforces them: no part of the other runs. */
export default defineConfig({
  test: {
    include: ['test/system/policies/**/*.test.ts'],
    globalSetup: ['test/system/e2e/support/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 1_200_000,
    maxWorkers: 1,
    expect: { requireAssertions: true },
    reporters: ['verbose', './test/support/run/requirements-reporter.ts'],
  },
});
