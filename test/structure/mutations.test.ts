import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutations } from '../mutations/read.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test('every fault of npm run mutate fits its file exactly once and names tests that exist', () => {
  const all = mutations();
  expect(all.length).toBeGreaterThanOrEqual(80);
  expect(new Set(all.map(({ what }) => what)).size).toBe(all.length);
  for (const { what, file, from, to, tests } of all) {
    const parts = readFileSync(join(ROOT, file), 'utf8').split(from);
    expect([what, parts.length - 1, to === from, tests.length > 0]).toEqual([what, 1, false, true]);
    for (const path of tests) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  }
});
