import { AipError } from '../../protocol/errors.js';
import { isConnectorRoute } from '../../protocol/wire/routes.js';
import type { Facts } from './facts.js';

/** Check 5: the pinned route leads to this host and manifest. */
export function route({ route: pinned, host }: Facts): AipError | undefined {
  if (pinned === undefined) return new AipError('connector_host.route_mismatch', 'security.connector_route is missing');
  const expected = {
    tenant_id: host.tenantId,
    instance_id: host.instanceId,
    replica_id: host.replicaId,
    version_id: host.versionId,
    manifest_digest: host.manifestDigest,
  };
  for (const [member, value] of Object.entries(expected)) {
    if (pinned[member] !== value)
      return new AipError('connector_host.route_mismatch', `the route has another ${member}`);
  }
  return isConnectorRoute(pinned)
    ? undefined
    : new AipError('connector_host.route_mismatch', 'security.connector_route lacks members or has wrong ones');
}
