import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const LOCK = join(import.meta.dirname, '..', '..', 'package-lock.json');
/** Builds of the linter for machines that no build of this project runs on; their registry entries have no digest here. */
const WITHOUT = [
  'android-arm64',
  'android-x64',
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-musl',
  'linux-x64-musl',
  'win32-arm64',
  'win32-x64',
].map((platform) => `node_modules/@biomejs/cli-${platform}`);

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

test('every locked package has a digest that npm verifies, but for optional builds of the linter', () => {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  expect(installed.length).toBeGreaterThan(100);
  const without = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(without.map(([path]) => path).sort()).toEqual(WITHOUT);
  for (const [, { dev, optional }] of without) expect([dev, optional]).toEqual([true, true]);
});
