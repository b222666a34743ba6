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
    // Node.js itself loads built code: in two thirds of the time of vitest's loader, which runs each module again for each file.
    server: { deps: { external: [/\/(runtime|controller|cli)\/dist\//] } },
    // One more than two cores: tests wait for other programs a quarter of the time.
    maxWorkers: 3,
    expect: { requireAssertions: true },
    reporters: ['default', './test/support/run/requirements-reporter.ts'],
  },
});
