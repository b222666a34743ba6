import { systemClock } from '@aip/runtime/internal/protocol';
import { type Election, electLeader } from '../../kube/run/leader.js';
import type { TrustSettings } from '../../trust/settings.js';
import { claimRefusal } from '../observed/refusal.js';
import type { ClusterView } from '../observed/view.js';
import { keepTrust, type TrustKeeper } from '../trust/converge.js';
import { type LeaderDeps, lead } from './leader.js';
import type { ControllerParts } from './open.js';
import { openClusterContext } from './open-context.js';
import { loadQuotaPolicies } from './quota-policies.js';

/** Takes part in the election of the release; the process reconciles while it leads. `clock` is that of the database. */
export function joinElection(parts: ControllerParts, settings: TrustSettings, clock: () => number): Election {
  const { config, kubeMetrics, leaseKube, log, stopping } = parts;
  const deps = leaderDeps(parts, settings, clock);
  const name = `${config.release}-controller`;
  return electLeader({
    kube: leaseKube,
    namespace: config.namespace,
    name,
    identity: config.identity,
    signal: stopping.signal,
    onChange: kubeMetrics.leader(name),
    log,
    onStart: async (signal) => {
      log.info({}, 'became leader');
      if (config.quotaPoliciesFile) await loadQuotaPolicies(config.quotaPoliciesFile, { pool: parts.pool, clock, log });
      await lead(deps, signal);
    },
  });
}

/** What the leader works with. */
function leaderDeps(parts: ControllerParts, settings: TrustSettings, clock: () => number): LeaderDeps {
  const { config, kube, pool, database, events, kubeMetrics, state, log } = parts;
  return {
    cluster: openClusterContext(config, {
      ...{ kube, pool, database: database.current, settings },
      ...{ clock: systemClock, databaseClock: clock },
    }),
    watchNamespaces: config.watchNamespaces,
    rules: config,
    events,
    metrics: kubeMetrics,
    workers: config.workers,
    resyncMs: config.resyncMs,
    onAddressChange: (listener) => {
      state.addressChanged = listener;
    },
    began: (healthy) => {
      state.healthy = healthy;
    },
    keepTrust: (view, signal) => trustKeeper(parts, settings, view, signal),
    clock,
    log,
  };
}

/** Keeps the fleet's trust in the namespaces whose instances this release may have. */
function trustKeeper(
  { config, kube, log }: ControllerParts,
  settings: TrustSettings,
  view: ClusterView,
  signal: AbortSignal,
): TrustKeeper {
  const annotationsOf = (namespace: string) => view.namespace(namespace)?.metadata.annotations;
  return keepTrust(
    {
      kube,
      clock: systemClock,
      settings,
      log,
      isAllowed: (instance) => claimRefusal(instance, annotationsOf(instance.metadata.namespace), config) === undefined,
    },
    view,
    signal,
  );
}
