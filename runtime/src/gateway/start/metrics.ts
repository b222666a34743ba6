import type { Readiness } from '../endpoints/service/readiness.js';
import { followSources } from '../metrics/sources.js';
import { readStoredActions } from '../records/stock/stored-actions.js';
import type { GatewayContext } from './context.js';
import type { GatewayWork } from './work.js';

const DAY_MS = 86_400_000;

/** Lets the metrics follow readiness, worker and fleet. */
export function followGateway(
  { metrics, pool, config }: GatewayContext,
  { actions, callbacks, fleet }: GatewayWork,
  readiness: () => Promise<Readiness>,
): void {
  followSources(metrics, {
    readiness: async () => {
      const { status, gateway, supervisor } = await readiness();
      const brokerUp = supervisor.nats_required ? { brokerListenerUp: supervisor.nats_listener_running } : {};
      return {
        ready: status === 'ready',
        gatewayReady: gateway.ready,
        workerUp: supervisor.runtime_worker_running,
        ...brokerUp,
      };
    },
    reconciliations: actions.reconciliations,
    callbacks: callbacks.deliverer?.permits,
    stored: { days: (config.retention.actionsMs ?? 0) / DAY_MS, read: () => readStoredActions(pool) },
    ...fleet?.metricSources,
  });
  actions.worker.onPoll((claimed) => {
    metrics.count('aip_runtime_worker_cycles_total');
    metrics.count('aip_runtime_worker_claimed_actions_total', claimed);
  });
}
