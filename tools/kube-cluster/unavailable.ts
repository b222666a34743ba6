/**
 * No cluster can be had on this machine: the Go toolchain, a module, a Debian package or a right is missing. The message says which.
 * Suites print it and skip, or fail where a cluster is required.
 */
export class ClusterUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'ClusterUnavailable';
  }
}

/** Must a missing cluster fail the run? True in CI and where the user says so. */
export function clusterRequired(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.CI === 'true' || env.AIP_REQUIRE_CLUSTER === '1';
}
