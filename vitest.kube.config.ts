import { defineConfig } from 'vitest/config';

/** Suites that need a Kubernetes API server; `npm run test:kube` builds it once into the user's cache folder. */
export default defineConfig({
  test: {
    include: ['test/system/kube/**/*.test.ts'],
    globalSetup: ['test/support/run/global-setup.ts', 'test/system/kube/support/global-setup.ts'],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    maxWorkers: 4,
    expect: { requireAssertions: true },
    reporters: ['default', './test/support/run/requirements-reporter.ts'],
  },
});
