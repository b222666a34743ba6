import { inject } from 'vitest';

/** Whether a test must be left out since the cluster's processes are not of this machine; what it needs them for is then printed. */
export function needsThisMachine(what: string): boolean {
  const cluster = inject('e2eCluster');
  if (cluster && !cluster.isLocal) process.stderr.write(`Left out: ${what}; the cluster is not of this machine.\n`);
  return cluster?.isLocal !== true;
}
