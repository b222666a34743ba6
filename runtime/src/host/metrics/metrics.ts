/** Counters of a host process; they begin at 0 with it (docs/protocol/host.md#metrics). */
export interface HostMetrics {
  requests: number;
  rejected: number;
  heartbeatFailures: number;
  leaseRecoveryAttempts: number;
  leaseRecoveries: number;
}

/** Counters at 0. */
export function newMetrics(): HostMetrics {
  return { requests: 0, rejected: 0, heartbeatFailures: 0, leaseRecoveryAttempts: 0, leaseRecoveries: 0 };
}

/** Gauges at the moment of a scrape. */
export interface HostGauges {
  ready: boolean;
  storageReady: boolean;
  inFlight: number;
}

/** Media type of the text. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The eight families in their fixed order, a TYPE line and one sample each, without labels (docs/protocol/host.md#metrics). */
export function metricsText(metrics: HostMetrics, gauges: HostGauges): string {
  const families: [name: string, type: 'gauge' | 'counter', value: number][] = [
    ['ready', 'gauge', Number(gauges.ready)],
    ['storage_ready', 'gauge', Number(gauges.storageReady)],
    ['in_flight', 'gauge', gauges.inFlight],
    ['requests_total', 'counter', metrics.requests],
    ['rejected_total', 'counter', metrics.rejected],
    ['heartbeat_failures_total', 'counter', metrics.heartbeatFailures],
    ['lease_recovery_attempts_total', 'counter', metrics.leaseRecoveryAttempts],
    ['lease_recoveries_total', 'counter', metrics.leaseRecoveries],
  ];
  return families
    .map(([name, type, value]) => `# TYPE aip_connector_host_${name} ${type}\naip_connector_host_${name} ${value}\n`)
    .join('');
}
