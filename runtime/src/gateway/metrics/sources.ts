import type { Metrics } from './metrics.js';

/** Size of a connection pool. */
export interface PoolSize {
  size(): number;
  idle(): number;
  readonly max: number;
}

/** States that gauges follow; what is absent leaves its families absent. */
export interface MetricSources {
  /** Asked at every scrape; `brokerListenerUp` only where a broker is configured. */
  readiness?: () => Promise<{ ready: boolean; gatewayReady: boolean; workerUp: boolean; brokerListenerUp?: boolean }>;
  /** Pools of the registry; a process without a control pool shows zeros for it. */
  registryPools?: { data: PoolSize; control?: PoolSize | undefined };
  /** The remote scheduler's snapshot. */
  remote?: () => { active: number; queued: number; queuedBytes: number; activeTenants: number; queuedTenants: number };
  ingress?: { readonly capacity: number; available(): number };
  callbacks?: { readonly capacity: number; available(): number };
  reconciliations?: { readonly capacity: number; available(): number };
  /** What is stored of actions, asked at every scrape, and how long ended ones are kept; 0 is forever. */
  stored?: { readonly days: number; read(): Promise<{ actions: number; bytes: number }> };
}

/** Sets the gauges of the given states at every scrape (docs/protocol/client-api.md#metrics). */
export function followSources(metrics: Metrics, sources: MetricSources): void {
  const { readiness, registryPools, remote, ingress, callbacks, reconciliations, stored } = sources;
  if (readiness) {
    metrics.onScrape(async () => {
      const state = await readiness();
      metrics.set('aip_daemon_ready', Number(state.ready));
      metrics.set('aip_gateway_ready', Number(state.gatewayReady));
      metrics.set('aip_runtime_worker_up', Number(state.workerUp));
      if (state.brokerListenerUp !== undefined) metrics.set('aip_nats_listener_up', Number(state.brokerListenerUp));
    });
  }
  if (registryPools) metrics.onScrape(() => setPools(metrics, registryPools.data, registryPools.control));
  if (remote) {
    metrics.onScrape(() => {
      const state = remote();
      metrics.set('aip_connector_remote_active', state.active);
      metrics.set('aip_connector_remote_queued', state.queued);
      metrics.set('aip_connector_remote_queued_bytes', state.queuedBytes);
      metrics.set('aip_connector_remote_active_tenants', state.activeTenants);
      metrics.set('aip_connector_remote_queued_tenants', state.queuedTenants);
    });
  }
  if (ingress) {
    metrics.onScrape(() => {
      metrics.set('aip_connector_event_ingress_capacity', ingress.capacity);
      metrics.set('aip_connector_event_ingress_available', ingress.available());
    });
  }
  if (callbacks) {
    metrics.onScrape(() => {
      metrics.set('aip_runtime_callback_capacity', callbacks.capacity);
      metrics.set('aip_runtime_callback_available', callbacks.available());
    });
  }
  if (reconciliations) {
    metrics.onScrape(() => {
      metrics.set('aip_runtime_reconciliation_capacity', reconciliations.capacity);
      metrics.set('aip_runtime_reconciliation_available', reconciliations.available());
    });
  }
  if (stored) {
    metrics.set('aip_retention_actions_days', stored.days);
    metrics.onScrape(async () => {
      const { actions, bytes } = await stored.read();
      metrics.set('aip_stored_actions', actions);
      metrics.set('aip_stored_actions_bytes', bytes);
    });
  }
}

function setPools(metrics: Metrics, data: PoolSize, control: PoolSize | undefined): void {
  metrics.set('aip_connector_registry_data_pool_connections', data.size());
  metrics.set('aip_connector_registry_data_pool_idle_connections', data.idle());
  metrics.set('aip_connector_registry_data_pool_max_connections', data.max);
  metrics.set('aip_connector_registry_control_pool_connections', control?.size() ?? 0);
  metrics.set('aip_connector_registry_control_pool_idle_connections', control?.idle() ?? 0);
  metrics.set('aip_connector_registry_control_pool_max_connections', control?.max ?? 0);
}
