import type { HttpServer } from '@aip/runtime/internal/http';
import { type DatabaseAddress, openPool, type Pool } from '@aip/runtime/internal/postgres';
import { followSetting, type LiveSetting, type Logger } from '@aip/runtime/internal/program';
import { Registry as Metrics } from 'prom-client';
import { type OpenKube, openKube } from '../../kube/client/client.js';
import type { KubeSource } from '../../kube/client/credentials.js';
import { type KubeMetrics, openKubeMetrics } from '../../kube/metrics.js';
import { type EventRecorder, openEventRecorder } from '../../kube/record/events.js';
import type { Election } from '../../kube/run/leader.js';
import type { ControllerConfig } from './config.js';

/** Time limit of a request for the lease, in ms; shorter than what a leader may be without renewal. */
const LEASE_REQUEST_MS = 5000;

/** What a controller process has open from its start to its end. */
export interface ControllerParts {
  readonly config: ControllerConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly kubeMetrics: KubeMetrics;
  readonly kube: OpenKube;
  /** For the lease alone: its renewals never wait behind other requests. */
  readonly leaseKube: OpenKube;
  /** The database's address, which may change. */
  readonly database: LiveSetting<DatabaseAddress>;
  readonly pool: Pool;
  readonly controlPool: Pool;
  readonly events: EventRecorder;
  readonly state: ControllerState;
  /** Aborts when the process is asked to end. */
  readonly stopping: AbortController;
}

/** What a controller process comes to while it runs. */
export interface ControllerState {
  /** The signed control plane, once it listens. */
  control: HttpServer | undefined;
  election: Election | undefined;
  /** Whether the leader receives changes; a process that does not lead has none to receive. */
  healthy: () => boolean;
  /** Called when the address of the database changed. */
  addressChanged: () => void;
}

/** Opens what every part of the process works with. Nothing is read from the cluster or the database yet. */
export async function openParts(config: ControllerConfig, log: Logger): Promise<ControllerParts> {
  const metrics = new Metrics();
  const kubeMetrics = openKubeMetrics(metrics);
  const hooks = kubeMetrics.transport;
  const source = kubeSourceOf(config);
  const kube = await openKube(source, { hooks });
  const leaseKube = await openKube(source, { timeoutMs: LEASE_REQUEST_MS, hooks });
  const state: ControllerState = {
    control: undefined,
    election: undefined,
    healthy: () => true,
    addressChanged: () => undefined,
  };
  const database = followSetting(config.database, {
    what: 'database address',
    log,
    changed: () => setImmediate(() => state.addressChanged()),
  });
  const connections = (max: number): Pool =>
    openPool({
      url: database.current,
      max,
      acquireTimeoutMs: config.acquireTimeoutMs,
      applicationName: 'aip-controller',
    });
  return {
    config,
    log,
    metrics,
    kubeMetrics,
    kube,
    leaseKube,
    database,
    pool: connections(config.roundConnections),
    controlPool: connections(config.controlConnections),
    events: openEventRecorder({ kube, controller: 'fleet.aip.dev/controller', instance: config.identity, log }),
    state,
    stopping: new AbortController(),
  };
}

function kubeSourceOf({ kubeconfig, serviceAccountRoot }: ControllerConfig): KubeSource {
  return kubeconfig === undefined ? { inCluster: true, root: serviceAccountRoot } : { kubeconfig };
}
