import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest';
import { until } from '../../../support/until.ts';
import { keepEvidence } from './evidence.ts';
import { orphans } from './orphans.ts';
import { openRelease, type Release } from './release.ts';

/**
 * Tests of the release, with the instance `demo` of two hosts in the default namespace and a command line that knows the release. After each
 * one nothing may be left without an owner. Skipped where there is no cluster, whose reason was printed.
 */
export function describeFleet(title: string, tests: (release: Release) => void): void {
  const cluster = inject('e2eCluster');
  describe.skipIf(!cluster)(title, () => {
    const release = cluster ? openRelease(cluster) : (undefined as unknown as Release);
    beforeAll(async () => {
      try {
        await release.apply('examples/demo.yaml');
        await release.ready('demo', 2);
        await release.useContext('e2e');
      } catch (error) {
        await keepEvidence(release, `before ${title}`);
        throw error;
      }
    });
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await keepEvidence(release, task.name);
      await until('nothing is left without an owner', async () => (await orphans(release)).length === 0, 60_000).catch(
        async (error: unknown) => {
          throw new Error(`left over: ${(await orphans(release)).join(', ')}`, { cause: error });
        },
      );
    });
    afterAll(async () => {
      await release.kubectl('delete', 'cinst', 'demo', '--ignore-not-found', '--timeout=180s');
      await release.close();
    });
    tests(release);
  });
}
