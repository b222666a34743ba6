import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { type Cluster, ClusterBusy, startCluster } from '../../../../tools/kube-cluster/cluster.ts';
import { ClusterUnavailable, clusterRequired } from '../../../../tools/kube-cluster/unavailable.ts';

export type { Cluster } from '../../../../tools/kube-cluster/cluster.ts';

/**
 * Starts a cluster with a node, for a whole test file: `const cluster = await startClusterOrSkip()`, then `describeCluster(cluster)`. Undefined,
 * with the reason printed, where a node can't be had or one was left running with `npm run cluster -- up`; with CI=true or AIP_REQUIRE_CLUSTER=1 it throws instead.
 */
export async function startClusterOrSkip(): Promise<Cluster | undefined> {
  try {
    return await startInTurn();
  } catch (error) {
    const none = error instanceof ClusterUnavailable || error instanceof ClusterBusy;
    if (!none || clusterRequired()) throw error;
    process.stderr.write(`Skipping what needs a Kubernetes node: ${error.message}\n`);
    return undefined;
  }
}

/** `describe`, skipped where there is no cluster. */
export function describeCluster(cluster: Cluster | undefined): typeof describe.skip {
  return cluster ? describe : describe.skip;
}

/** One cluster at a time: a test file waits for the other that has it. One that is to stay is nobody's turn, and an error. */
async function startInTurn(): Promise<Cluster> {
  while (true) {
    try {
      return await startCluster();
    } catch (error) {
      if (!(error instanceof ClusterBusy) || error.owner === undefined) throw error;
      await pause(500);
    }
  }
}
