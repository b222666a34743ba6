import type { TestProject } from 'vitest/node';
import { type E2eCluster, e2eCluster } from './cluster.ts';
import { installRelease } from './release.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster that has the release; null where none can be had. */
    e2eCluster: E2eCluster | null;
  }
}

/** One cluster with one release for all files; they run one after the other, and each leaves the release as it found it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const taken = await e2eCluster();
  project.provide('e2eCluster', taken?.cluster ?? null);
  if (!taken) return undefined;
  try {
    await installRelease(taken.cluster);
  } catch (error) {
    await taken.stop();
    throw error;
  }
  return taken.stop;
}
