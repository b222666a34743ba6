import type { DatabaseAddress, Pool } from '@aip/runtime/internal/postgres';
import type { Clock } from '@aip/runtime/internal/protocol';
import { hostsNeedCa } from '../../fleet/host-database.js';
import { fleetRegistry } from '../../fleet/registry-adapter.js';
import type { Kube } from '../../kube/kube.js';
import { releaseId, trustNames } from '../../trust/names.js';
import { activeAuthority } from '../../trust/replicas/active-authority.js';
import type { TrustSettings } from '../../trust/settings.js';
import type { ClusterContext } from '../context.js';
import { openDescriptions } from '../describe/descriptions.js';
import { openDatabases } from '../provision/databases.js';
import { ensure as openEnsure } from '../provision/ensure.js';
import { ensureIdentity } from '../provision/identities.js';
import type { ControllerConfig } from './config.js';

/** What steps are carried out with, but for the trust in namespaces, which the leader keeps. Nothing is read yet. */
export function openClusterContext(
  config: ControllerConfig,
  {
    kube,
    pool,
    database,
    settings,
    clock,
    databaseClock,
  }: {
    kube: Kube;
    pool: Pool;
    database: () => DatabaseAddress;
    settings: TrustSettings;
    clock: Clock;
    databaseClock: Clock;
  },
): Omit<ClusterContext, 'trustIn' | 'withoutTrust'> {
  const { runtimeImage, trustDomain, clusterDomain } = config;
  const ensure = openEnsure(kube);
  return {
    kube,
    ensure,
    registry: fleetRegistry(pool, { owner: config.release, allowLoopbackHttp: false, clock: databaseClock }),
    databases: openDatabases({ kube, ensure, pool, address: database }),
    descriptions: openDescriptions({ kube, ensure, runtimeImage, trustDomain }),
    authority: () => activeAuthority(kube, settings),
    identify: (replica, authority) =>
      ensureIdentity(replica, { kube, ensure, settings, authority, clusterDomain, now: clock() }),
    fleet: {
      trustDomain,
      controlUrl: config.controlUrl,
      gatewayUrl: config.gatewayUrl,
      gatewayPrincipalId: config.gatewayPrincipalId,
      databaseCa: hostsNeedCa(database()),
      telemetry: config.hostTelemetry,
    },
    runtimeImage,
    clusterDomain,
    releaseNamespace: config.namespace,
    releaseId: releaseId(config),
    trustConfigMap: trustNames(config.release).trust,
    networkPolicy: config.networkPolicy,
    hostEgress: config.hostEgress,
    webhooks: config.webhooks,
  };
}
