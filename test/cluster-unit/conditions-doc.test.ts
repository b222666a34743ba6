import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'kubernetes', 'conditions.md'), 'utf8');
const sources = (folder: string): string =>
  readdirSync(join(root, 'controller', 'src', folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'controller', 'src', folder, name), 'utf8'))
    .join('\n');

test('every reason that stops an instance is explained', () => {
  const cluster = sources('cluster');
  const named = [
    ...cluster.matchAll(/\b(?:stalled|waiting)\((?:[^()]*\([^()]*\) \? )?'(\w+)'(?: : '(\w+)')?/g),
    ...sources('cluster').matchAll(/reason: '([A-Z]\w+)',\n\s+message/g),
  ];
  const reasons = [...new Set(named.flatMap(([, ...found]) => found.filter((reason) => reason !== undefined)))];
  expect(reasons).toEqual(expect.arrayContaining(['QuotaExceeded', 'Forbidden', 'TenantNotAllowed', 'StepFailed']));
  expect(reasons.filter((reason) => !new RegExp(`\\b${reason}\\b`).test(page))).toEqual([]);
});
