import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { VERSIONS } from '../../../tools/kube-cluster/programs/versions.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('the guides name the Kubernetes that the chart takes, and the one that the suites run on', () => {
  const { kubeVersion } = parse(read('charts/aip-fleet/Chart.yaml')) as { kubeVersion: string };
  const [, least] = /^>=(\d+\.\d+)\.0-0$/.exec(kubeVersion) ?? [];
  expect(least).toBeDefined();
  const minor = VERSIONS.kubernetes.split('.').slice(0, 2).join('.');
  const [row] = read('docs/kubernetes/support.md')
    .split('\n')
    .filter((line) => line.startsWith('| Kubernetes |'));
  expect(row).toContain(`| ${least} or newer (\`kubeVersion\` of the chart) |`);
  expect(row).toContain(`the suites run on ${minor}`);
  expect(read('docs/kubernetes/install.md')).toContain(`Needs Kubernetes ${least} or newer`);
});
