import { join } from 'node:path';
import { expect, test } from 'vitest';
import { idsOfTitle, mergeRecords } from '../support/run/requirements.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test.each([
  ['F-143 F-144 a host refuses another tenant', ['F-143', 'F-144']],
  ['N-111 part: a cursor of another route', []],
  ['N-111 (part) a cursor of another route', []],
  ['partly F-143', []],
  ['D-12 F-001, F-002 both', ['F-001', 'F-002']],
])('the title "%s" proves %j', (title, ids) => {
  expect(idsOfTitle(title)).toEqual(ids);
});

test('the record of one run takes the place of the same files alone, and forgets files that are gone', () => {
  const here = 'test/structure/requirements.test.ts';
  const before = { [here]: ['F-001'], 'test/structure/imports.test.ts': ['F-002'], 'test/no-such.test.ts': ['F-003'] };
  expect(mergeRecords(before, { [here]: ['F-009'] }, ROOT)).toEqual({
    'test/structure/imports.test.ts': ['F-002'],
    [here]: ['F-009'],
  });
});
