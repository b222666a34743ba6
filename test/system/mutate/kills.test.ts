import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KILLS, readKills, writeKills } from '../../../scripts/mutate/kills.ts';

function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'aip-kills-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(dirname(join(root, KILLS)), { recursive: true });
  return root;
}

test('what noticed each fault is kept one to a line in the order of the faults, without those that are in no list', () => {
  const root = newRoot();
  expect(readKills(root)).toEqual(new Map());
  const [first, second] = [
    { digest: '1', file: 'a.test.ts', test: 'one' },
    { digest: '2', file: 'b.test.ts' },
  ];
  const kills = new Map([
    ['second', second],
    ['removed', first],
    ['first', first],
  ]);
  writeKills(root, kills, new Set(['first', 'second', 'new']));
  expect([...readKills(root)]).toEqual([
    ['first', first],
    ['second', second],
  ]);
  expect(readFileSync(join(root, KILLS), 'utf8').split('\n')).toEqual([
    '{',
    '  "first": {"digest":"1","file":"a.test.ts","test":"one"},',
    '  "second": {"digest":"2","file":"b.test.ts"}',
    '}',
    '',
  ]);
});
