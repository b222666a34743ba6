import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const LOCK = join(import.meta.dirname, '..', '..', 'package-lock.json');
interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
}
type Packages = Record<string, Locked>;

/** The packages that are installed from elsewhere. */
const installed = (packages: Packages): [string, Locked][] =>
  Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

/** Those of them without a digest that npm verifies. */
const withoutDigest = (packages: Packages): string[] =>
  installed(packages)
    .filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    .map(([path]) => path);

test('every locked package, of each platform, has a digest that npm verifies', () => {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as { packages: Packages };
  expect(installed(packages).length).toBeGreaterThan(100);
  expect(withoutDigest(packages)).toEqual([]);
});

test('a planted package without a digest is found, and one with a weaker digest', () => {
  const integrity = `sha512-${'A'.repeat(86)}==`;
  const planted = { '': {}, 'node_modules/good': { integrity }, 'node_modules/@aip/runtime': { link: true } };
  expect(withoutDigest(planted)).toEqual([]);
  const bad = { 'node_modules/none': {}, 'node_modules/weak': { integrity: 'sha1-AAAA' } };
  expect(withoutDigest({ ...planted, ...bad })).toEqual(['node_modules/none', 'node_modules/weak']);
});
