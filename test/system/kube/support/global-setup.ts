import type { TestProject } from 'vitest/node';
import { ensureTools } from '../../../../tools/kube-cluster/programs/tools.ts';
import { API_SERVER_PROGRAMS } from '../../../../tools/kube-cluster/programs/versions.ts';
import { ClusterUnavailable, clusterRequired } from '../../../../tools/kube-cluster/unavailable.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no Kubernetes API on this machine; '' when there is one. */
    clusterUnavailable: string;
  }
}

/** Builds the programs of the API server before any suite asks for them. Where they can't be had it says why, or fails where they must. */
export default async function setup(project: TestProject): Promise<void> {
  try {
    await ensureTools(API_SERVER_PROGRAMS);
    project.provide('clusterUnavailable', '');
  } catch (error) {
    if (!(error instanceof ClusterUnavailable) || clusterRequired()) throw error;
    process.stderr.write(`Skipping all that needs a Kubernetes API: ${error.message}\n`);
    project.provide('clusterUnavailable', error.message);
  }
}
