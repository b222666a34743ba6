import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: [
      'test/system/kube/**',
      'test/system/e2e/**',
      'test/system/policies/**',
      'test/system/fault/fault.test.ts',
      'node_modules/**',
    ],
    globalSetup: ['test/support/run/global-setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    expect: { requireAssertions: true },
    reporters: ['default', './test/support/run/requirements-reporter.ts'],
  },
});
