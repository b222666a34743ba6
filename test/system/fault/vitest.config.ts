import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: resolve(import.meta.dirname, '..', '..', '..'),
  test: {
    include: ['test/system/fault/fault.test.ts'],
    maxWorkers: 1,
    expect: { requireAssertions: true },
    reporters: ['default', './test/support/run/requirements-reporter.ts'],
  },
});
