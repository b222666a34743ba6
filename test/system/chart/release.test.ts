import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

const root = join(import.meta.dirname, '..', '..', '..');
const text = readFileSync(join(root, '.github', 'workflows', 'release.yaml'), 'utf8');
const { jobs, permissions } = parse(text) as {
  permissions: object;
  jobs: Record<string, { permissions: object; strategy?: { matrix: { target: string[] } }; steps: Step[] }>;
};

test('the release workflow builds every target of the Dockerfile that a chart value names, with provenance and a bill of materials', () => {
  const targets = jobs.images?.strategy?.matrix.target ?? [];
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  for (const target of targets) expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${target}$`, 'm'));
  expect([...targets].sort()).toEqual(['controller', 'runtime']);
  const build = jobs.images?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
  expect(build?.with).toMatchObject({ push: true, provenance: 'mode=max', sbom: true });
});

test('images and chart are signed by digest, and only their jobs may write', () => {
  expect(permissions).toEqual({ contents: 'read' });
  for (const { permissions: own, steps } of Object.values(jobs)) {
    expect(own).toEqual({ contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' });
    expect(steps.some(({ run }) => /cosign sign --yes "\$\w+@\$\w+"/.test(run ?? ''))).toBe(true);
    expect(steps.some(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'))).toBe(true);
  }
});

test('every action is pinned by the digest of its commit, with its version beside it', () => {
  const used = [...text.matchAll(/uses: (\S+)(.*)/g)];
  expect(used.length).toBeGreaterThan(10);
  for (const [, name, version] of used) {
    expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
});
