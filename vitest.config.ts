import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/kube/**', 'test/e2e/**', 'test/fault/fault.test.ts', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    expect: { requireAssertions: true },
    reporters: ['default', './test/support/requirements-reporter.ts'],
  },
});
