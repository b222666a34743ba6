/** Kind of a metric family. */
export type FamilyType = 'counter' | 'gauge';

/** One family that GET /metrics may show. */
export interface Family {
  type: FamilyType;
  help: string;
}

const gauge = (help: string): Family => ({ type: 'gauge', help });
const counter = (help: string): Family => ({ type: 'counter', help });

/** Every family of the central server without a label (docs/protocol/client-api.md#metrics). A family appears once something touched it. */
export const FAMILIES = {
  aip_daemon_ready: gauge('1 while GET /ready answers 200.'),
  aip_gateway_ready: gauge('1 while the gateway and its storage are ready.'),
  aip_runtime_worker_up: gauge('1 while the runtime worker runs.'),
  aip_nats_listener_up: gauge('1 while the broker listener runs.'),

  aip_actions_total: counter('Actions received; not a count of successes.'),

  aip_connector_fleet_ready_replicas: gauge('Connector replicas that are ready.'),
  aip_connector_fleet_active_assignments: gauge('Route assignments that hold a place on a replica.'),
  aip_connector_fleet_expired_replicas_total: counter('Replicas taken offline because their lease lapsed.'),
  aip_connector_fleet_stranded_assignments_total: counter('Places of ended actions that maintenance gave back.'),
  aip_connector_fleet_maintenance_failures_total: counter('Fleet maintenance cycles that failed.'),

  aip_connector_registry_control_pool_connections: gauge('Open connections of the registry control pool.'),
  aip_connector_registry_control_pool_idle_connections: gauge('Idle connections of the registry control pool.'),
  aip_connector_registry_control_pool_max_connections: gauge('Most connections of the registry control pool.'),
  aip_connector_registry_data_pool_connections: gauge('Open connections of the registry data pool.'),
  aip_connector_registry_data_pool_idle_connections: gauge('Idle connections of the registry data pool.'),
  aip_connector_registry_data_pool_max_connections: gauge('Most connections of the registry data pool.'),

  aip_connector_remote_active: gauge('Remote actions under way.'),
  aip_connector_remote_queued: gauge('Remote actions that wait for a place.'),
  aip_connector_remote_queued_bytes: gauge('Bytes of the remote actions that wait.'),
  aip_connector_remote_active_tenants: gauge('Tenants with remote actions under way.'),
  aip_connector_remote_queued_tenants: gauge('Tenants with remote actions that wait.'),

  aip_connector_event_ingress_capacity: gauge('Connector ingress operations that may run concurrently.'),
  aip_connector_event_ingress_available: gauge('Connector ingress places that are free.'),
  aip_connector_event_ingress_received_total: counter('Connector ingress requests received.'),
  aip_connector_event_ingress_accepted_total: counter('Connector ingress requests accepted.'),
  aip_connector_event_ingress_rejected_total: counter('Connector ingress requests rejected.'),

  aip_runtime_callback_capacity: gauge('Callback deliveries that may run concurrently.'),
  aip_runtime_callback_available: gauge('Callback delivery places that are free.'),
  aip_runtime_reconciliation_capacity: gauge('Transaction reconciliations that may run concurrently.'),
  aip_runtime_reconciliation_available: gauge('Transaction reconciliation places that are free.'),
  aip_runtime_worker_cycles_total: counter('Turns of the runtime worker.'),
  aip_runtime_worker_claimed_actions_total: counter('Actions that the runtime worker claimed.'),

  aip_stored_actions: gauge('Actions that are stored, as the database estimates.'),
  aip_stored_actions_bytes: gauge('Bytes of the stored actions, with their indexes.'),
  aip_retention_actions_days: gauge('Days that ended actions are kept; 0 is forever.'),
  aip_retention_events_deleted_total: counter('Events removed by retention.'),
  aip_retention_replay_claims_deleted_total: counter('Replay claims removed by retention.'),
  aip_retention_dead_letters_deleted_total: counter('Dead letters removed by retention.'),
  aip_retention_callback_deliveries_deleted_total: counter('Callback deliveries removed by retention.'),
  aip_retention_outbox_records_deleted_total: counter('Outbox records removed by retention.'),
  aip_retention_sessions_deleted_total: counter('Closed sessions removed by retention.'),
  aip_retention_route_assignments_deleted_total: counter('Settled route assignments removed by retention.'),
} satisfies Record<string, Family>;

/** Name of a family without a label; none of the reserved stable names. */
export type FamilyName = Exclude<keyof typeof FAMILIES, Exclude<(typeof STABLE_NAMES)[number], 'aip_actions_total'>>;

/** The only family with a label, `message_type`. */
export const ENVELOPES_RECEIVED = 'aip_envelopes_received_total';

/**
 * The eleven stable names. Two of them are emitted, ENVELOPES_RECEIVED and `aip_actions_total`; the others are reserved, and nothing
 * else may take them (docs/protocol/client-api.md#metrics).
 */
export const STABLE_NAMES = [
  ENVELOPES_RECEIVED,
  'aip_envelopes_sent_total',
  'aip_actions_total',
  'aip_delegations_total',
  'aip_delegation_duration_ms',
  'aip_action_duration_ms',
  'aip_connector_invocations_total',
  'aip_connector_duration_ms',
  'aip_errors_total',
  'aip_sessions_active',
  'aip_stream_chunks_total',
] as const;
