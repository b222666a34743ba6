import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { cutText } from '../../protocol/content/cut-text.js';
import { formatTime } from '../../protocol/time.js';
import type { FleetSummary } from '../../registry/maintenance/summary.js';
import type { Registry } from '../../registry/registry.js';
import { within } from '../../time/deadline.js';
import { jittered } from '../../time/retry.js';
import { openWaker, pollLoop } from '../../time/wait.js';
import type { Logger } from '../../transport/process/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { type LoopRule, pauseMs, startLoop } from './loop.js';
import { orphanRelease } from './orphaned-routes.js';
import { openSteps } from './steps.js';

const EXPIRY_BATCH = 500;
const BATCHES_PER_CYCLE = 8;
/** When cycles run (docs/protocol/registry.md#maintenance). */
export const FLEET_RULE = { intervalMs: 1000, firstBackoffMs: 1000, maxBackoffMs: 30_000 };
/** When places of ended actions are released: apart from cycles, since reading what is held may take long. */
const RELEASE_RULE: LoopRule = { intervalMs: 10_000, firstBackoffMs: 10_000, maxBackoffMs: 60_000 };
/** Longest pause, moved at random by at most a fifth: leases that are shorter and new are noticed so late. In milliseconds. */
const REST_MS = 10_000;
const JITTER = 0.2;
/** A lease is checked so long after its end, in milliseconds: timers fire early by a little. */
const LATE_MS = 20;
/** What is shown is at most so old, unless a cycle takes longer than whoever asks waits for it. In milliseconds. */
const FRESH_MS = 1200;
const REFRESH_MS = 500;
const MAX_ERROR_BYTES = 1024;

/** The fleet in numbers as GET /ready shows it. */
export interface FleetSummaryBody {
  catalog_revision: number;
  connector_types: number;
  active_versions: number;
  enabled_instances: number;
  replicas: number;
  ready: number;
  draining: number;
  offline: number;
  expired_leases: number;
  ready_capacity: number;
  active_assignments: number;
  /** RFC 3339. */
  observed_at: string;
}

/** How fleet maintenance is doing: member `fleet` of GET /ready (docs/protocol/client-api.md#metrics). It never decides about readiness. */
export interface FleetState {
  worker_running: boolean;
  consecutive_failures: number;
  expired_last_cycle: number;
  last_error?: string;
  /** RFC 3339. */
  last_success_at?: string;
  summary?: FleetSummaryBody;
}

/** The part of a gateway that takes replicas with a lapsed lease out of service. */
export interface FleetMaintenance {
  /** As the last cycle left it. */
  state(): FleetState;
  /** After a cycle where the last one was more than a second ago, unless it fails or takes longer than half a second. */
  fresh(): Promise<FleetState>;
  stop(): Promise<void>;
}

/** The pause after a cycle: until something is due at `nextAt`, a second at least, also when there was work, and about ten at most. Pure. */
export function restMs(nextAt: number | undefined, nowMs: number): number {
  const soonMs = pauseMs(FLEET_RULE, 0);
  return nextAt === undefined
    ? soonMs
    : Math.max(soonMs, Math.min(nextAt - nowMs + LATE_MS, jittered(REST_MS, JITTER)));
}

/** What maintenance works on. */
interface FleetDeps {
  /** The gateway's own database, which knows what became of its actions. */
  pool: Pool;
  registry: Pick<Registry, 'maintenance' | 'routes' | 'allotments'>;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
}

/**
 * Checks the fleet when the next lease ends, when its state is read, and every ten seconds; expires lapsed replicas, 500 at a time and
 * at most 8 times a cycle, and shows the fleet in gauges (docs/protocol/registry.md#maintenance). Several gateways share the work: a batch passes over rows that another process holds.
 */
export function startFleetMaintenance(deps: FleetDeps): FleetMaintenance {
  const { registry, metrics, clock, log } = deps;
  const { expireLapsed, takeBackShares, releaseOverdue } = stepsOf(deps);
  const state: Omit<FleetState, 'consecutive_failures'> = { worker_running: true, expired_last_cycle: 0 };
  const failures = { cycle: 0, release: 0 };
  const shown = (): FleetState => ({
    ...state,
    consecutive_failures: Math.max(failures.cycle, failures.release),
  });

  let pause = 0;
  let cycledAt = Number.NEGATIVE_INFINITY;
  let ended = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const { signal } = stopping;

  /** A fleet in which nothing has lapsed is asked once; one that cannot be counted may have anything. */
  const cycle = async (): Promise<void> => {
    const { run, end } = openSteps(signal);
    const count = () => run(() => registry.maintenance.summary());
    const found = await count();
    const expired = found?.expiredLeases === 0 ? 0 : await run(expireLapsed);
    if (found?.lapsedHolders !== 0) await run(takeBackShares);
    const worked = found !== undefined && found.expiredLeases + found.lapsedHolders > 0;
    const summary = worked ? await count() : found;
    state.expired_last_cycle = expired ?? 0;
    if (summary) {
      metrics.set('aip_connector_fleet_ready_replicas', summary.ready);
      metrics.set('aip_connector_fleet_active_assignments', summary.activeAssignments);
      state.summary = summaryBody(summary);
    }
    end();
    const nextAt = Math.min(summary?.nextLeaseEnd ?? Infinity, summary?.nextHolderEnd ?? Infinity);
    pause = restMs(worked ? undefined : nextAt, clock());
    failures.cycle = 0;
    state.last_success_at = formatTime(clock());
  };
  const failed = (part: keyof typeof failures, error: unknown): void => {
    if (signal.aborted) return;
    metrics.count('aip_connector_fleet_maintenance_failures_total');
    failures[part] += 1;
    state.last_error = cutText(error instanceof Error ? error.message : String(error), MAX_ERROR_BYTES);
    log.warn({ err: error, in_a_row: failures[part] }, 'fleet maintenance failed');
  };
  const cycleFailed = (error: unknown): void => {
    failed('cycle', error);
    pause = pauseMs(FLEET_RULE, failures.cycle);
  };
  const waker = openWaker();
  const looping = pollLoop(() => cycle().catch(cycleFailed), {
    signal,
    everyMs: () => pause,
    pause: (ms) => {
      cycledAt = performance.now();
      ended.resolve();
      ended = Promise.withResolvers();
      // Who asks meanwhile has this cycle, and a failure is not followed by another one sooner.
      waker.forget();
      return waker.pause(ms, signal);
    },
  });
  const release = async (): Promise<void> => {
    await releaseOverdue();
    failures.release = 0;
  };
  const releasing = startLoop(release, RELEASE_RULE, (error) => failed('release', error));
  const fresh = async (): Promise<FleetState> => {
    const isOld = performance.now() - cycledAt > FRESH_MS;
    if (isOld && state.worker_running && failures.cycle === 0) {
      waker.wake();
      await within(REFRESH_MS, ended.promise, () => undefined);
    }
    return shown();
  };
  metrics.onScrape(async () => void (await fresh()));
  return {
    state: shown,
    fresh,
    stop: async () => {
      stopping.abort();
      await Promise.all([looping, releasing.stop()]);
      state.worker_running = false;
    },
  };
}

/** What changes the fleet, each step for itself. */
function stepsOf(deps: FleetDeps) {
  const { registry, metrics, log } = deps;
  const releaseOrphaned = orphanRelease(deps);
  return {
    expireLapsed: async (): Promise<number> => {
      let expired = 0;
      for (let batch = 0; batch < BATCHES_PER_CYCLE; batch += 1) {
        const count = await registry.maintenance.expire(EXPIRY_BATCH);
        expired += count;
        metrics.count('aip_connector_fleet_expired_replicas_total', count);
        if (count < EXPIRY_BATCH) break;
      }
      if (expired > 0) log.info({ expired }, 'replicas with a lapsed lease are offline now');
      return expired;
    },
    takeBackShares: async (): Promise<void> => {
      const ended = (await registry.allotments?.takeBack()) ?? 0;
      if (ended > 0) log.info({ gateways: ended }, 'shares of ended gateways were taken back');
    },
    releaseOverdue: async (): Promise<void> => {
      const stranded = await releaseOrphaned();
      metrics.count('aip_connector_fleet_stranded_assignments_total', stranded);
      if (stranded > 0) log.info({ stranded }, 'places of ended actions were given back');
    },
  };
}

function summaryBody(summary: FleetSummary): FleetSummaryBody {
  return {
    catalog_revision: summary.catalogRevision,
    connector_types: summary.connectorTypes,
    active_versions: summary.activeVersions,
    enabled_instances: summary.enabledInstances,
    replicas: summary.replicas,
    ready: summary.ready,
    draining: summary.draining,
    offline: summary.offline,
    expired_leases: summary.expiredLeases,
    ready_capacity: summary.readyCapacity,
    active_assignments: summary.activeAssignments,
    observed_at: formatTime(summary.observedAt),
  };
}
