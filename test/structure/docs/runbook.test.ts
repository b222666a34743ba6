import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SOURCES = [
  'reconcile',
  'cluster/describe/description.ts',
  'cluster/instance/failure.ts',
  'cluster/instance/reconcile-instance.ts',
  'cluster/instance/observe.ts',
  'cluster/instance/write-status.ts',
  'cluster/observed/refusal.ts',
  'cluster/instance/status.ts',
  'fleet/described.ts',
  'trust/decide',
  'trust/operators/operators.ts',
  'trust/reconcile-trust.ts',
  'trust/certificates/renewal.ts',
];
/** Words in the same form that are no reasons: types and statuses of conditions, hosting, types of events, what containers wait for. */
const NO_REASONS = new Set(
  `Admitted Bound Progressing Reconciling Registered Rotating Stalled Pending True False Unknown Managed External Normal Warning
   Succeeded Failed PodScheduled OOMKilled ErrImagePull ImagePullBackOff InvalidImageName ErrImageNeverPull CreateContainerConfigError
   CreateContainerError Issuer Remove Reconcile`.split(/\s+/),
);

/** Every capitalised word in quotes of the files that give reasons. */
function reasons(): string[] {
  const files = SOURCES.flatMap((source) => {
    const path = join(ROOT, 'controller', 'src', source);
    if (path.endsWith('.ts')) return [path];
    const all = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return all.filter((file) => file.endsWith('.ts')).map((file) => join(path, file));
  });
  return [...new Set(files.flatMap((file) => reasonsOf(readFileSync(file, 'utf8'))))].sort();
}

function reasonsOf(code: string): string[] {
  return [...code.matchAll(/'([A-Z][A-Za-z]+)'|^ {2}([A-Z][A-Za-z]+): '/gm)]
    .map(([, quoted, key]) => quoted ?? (key as string))
    .filter((word) => !NO_REASONS.has(word));
}

/** Names that the runbook does not explain. */
function unexplained(names: readonly string[], runbook: string): string[] {
  return names.filter((name) => !runbook.includes(`\`${name}\``));
}

test('the runbook has every reason that the controller gives, and every alert of the chart', () => {
  const runbook = readFileSync(join(ROOT, 'docs', 'kubernetes', 'runbook.md'), 'utf8');
  const chart = join(ROOT, 'charts', 'aip-fleet', 'templates', 'monitoring', 'alerts.yaml');
  const alerts = [...readFileSync(chart, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name as string);
  const given = reasons();
  expect(given).toEqual(expect.arrayContaining(['TenantNotAllowed', 'DatabaseUnavailable', 'Replaced', 'KeyLost']));
  expect(alerts).toContain('AipControllerWithoutLeader');
  expect(unexplained([...given, ...alerts], runbook)).toEqual([]);
  expect(unexplained([...given, 'PlantedReason'], runbook)).toEqual(['PlantedReason']);
  expect(reasonsOf(`failure('PlantedReason', true)`)).toEqual(['PlantedReason']);
});
