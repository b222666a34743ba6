import { leaseArray } from '../../protocol/time.js';
import type { OutboxCounts } from '../outbox/outbox.js';
import type { WebhookCounts } from '../webhook/route.js';
import type { HealthState } from './health.js';

/** The four conditions under which a host takes actions (docs/protocol/control-plane.md#transitions). */
export interface Conditions {
  draining: boolean;
  leaseValid: boolean;
  health: HealthState;
}

/** Whether all four hold. */
export function isReady({ draining, leaseValid, health }: Conditions): boolean {
  return !draining && leaseValid && health.storage.ready && health.connector.ready;
}

/** What a former life of the host left unfinished. */
export interface Recovery {
  /** Milliseconds since the epoch. */
  recoveredAt: number;
  /** Executions that began and have no result: as many as were counted so far, which ends behind the start. */
  queuedResults: number;
  /** Event batches that wait for delivery. */
  callbackDeliveries: number;
}

/** Body of GET /ready, 200 and 503 alike (docs/protocol/host.md#health-and-readiness). `outbox` is left out while the storage cannot be read. */
export function readyBody(
  conditions: Conditions,
  recovery: Recovery,
  outbox: OutboxCounts | undefined,
  webhooks?: Readonly<WebhookCounts> | undefined,
): object {
  const { draining, leaseValid, health } = conditions;
  return {
    status: isReady(conditions) ? 'ready' : 'not_ready',
    lease_valid: leaseValid,
    draining,
    runtime: {
      durability: 'durable_shared',
      ready: health.storage.ready,
      detail: health.storage.detail,
      recovery: {
        recovered_at: leaseArray(recovery.recoveredAt),
        pending_approvals: 0,
        recoverable_transactions: 0,
        queued_results: recovery.queuedResults,
        delegation_results: 0,
        callback_deliveries: recovery.callbackDeliveries,
      },
      ...(outbox && { outbox }),
      ...(webhooks && { webhooks }),
    },
    connector: { ready: health.connector.ready, detail: health.connector.detail },
  };
}
