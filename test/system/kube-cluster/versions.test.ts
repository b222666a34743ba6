import { describe, expect, test } from 'vitest';
import { linkerFlags, programPath, stagingReplacements } from '../../../tools/kube-cluster/programs/build.ts';
import { PROGRAMS, VERSIONS } from '../../../tools/kube-cluster/programs/versions.ts';
import { clusterRequired } from '../../../tools/kube-cluster/unavailable.ts';

describe('programs of the cluster', () => {
  test('every version is a plain number of three parts', () => {
    for (const version of Object.values(VERSIONS)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('a program lies in the cache under its name and version', () => {
    expect(programPath('/cache', 'kubectl')).toBe(`/cache/bin/kubectl-${VERSIONS.kubernetes}/kubectl`);
  });

  test('libraries that Kubernetes keeps beside it are taken as modules of the same minor version', () => {
    const goMod =
      'require k8s.io/api v0.0.0\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n\tother => ../other\n)\n';
    expect(stagingReplacements(goMod, '1.36.3')).toEqual(['replace k8s.io/api => k8s.io/api v0.36.3']);
  });

  test('a program gets its own version', () => {
    expect(linkerFlags(PROGRAMS.helm.module)).toBe(
      `-s -w -X helm.sh/helm/v4/internal/version.version=v${VERSIONS.helm}`,
    );
  });
});

test.each([
  [{ CI: 'true' }, true],
  [{ AIP_REQUIRE_CLUSTER: '1' }, true],
  [{ CI: 'false' }, false],
  [{}, false],
])('with %j in the environment a missing cluster fails the run: %s', (env, required) => {
  expect(clusterRequired(env)).toBe(required);
});
