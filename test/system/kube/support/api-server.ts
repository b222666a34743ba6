import { describe, inject } from 'vitest';

export {
  type ApiServer,
  type ApiServerOptions,
  startApiServer,
} from '../../../../tools/kube-cluster/control-plane/api-server.ts';

/**
 * `describe` for suites that start a Kubernetes API: skipped where there is none, the reason printed once before the run; with CI=true or
 * AIP_REQUIRE_CLUSTER=1 the run fails instead.
 */
export const describeKube = describe.skipIf(Boolean(inject('clusterUnavailable')));
