import { listen } from '@aip/runtime/internal/http';
import { migrate, openDatabaseClock } from '@aip/runtime/internal/postgres';
import type { Logger, Program, RunningProgram } from '@aip/runtime/internal/program';
import { systemClock } from '@aip/runtime/internal/protocol';
import { REGISTRY_MIGRATIONS } from '@aip/runtime/internal/registry';
import { pollUntil } from '@aip/runtime/internal/time';
import { missingDatabaseRights } from '../../fleet/database-rights.js';
import type { TrustSettings } from '../../trust/settings.js';
import { adminApp } from './admin.js';
import { type ControllerConfig, readControllerConfig } from './config.js';
import { joinElection } from './join-election.js';
import { type ControllerParts, openParts } from './open.js';
import { serveControlPlane } from './serve-control-plane.js';
import { stopSteps } from './stop-steps.js';

const RETRY_MS = 2000;

/** A controller process: the signed control plane and metrics always, the reconcilers while it is the leader (prefix AIP_CONTROLLER_). */
export const CONTROLLER: Program<ControllerConfig> = {
  component: 'aip-controller',
  service: 'aip-connector-control-plane',
  failureCode: () => 'aip_controller.failed',
  read: readControllerConfig,
  log: (_config, { AIP_LOG_LEVEL: level }) => ({ level }),
  start: startController,
};

async function startController(config: ControllerConfig, { log, stopBy }: RunningProgram): Promise<void> {
  const parts = await openParts(config, log);
  const admin = await serveAdmin(parts);
  log.info({ admin: admin.url, release: config.release, identity: config.identity }, 'controller starts');
  stopBy(stopSteps(parts, admin));

  const clock = await prepareRegistry(parts);
  if (!clock) return;
  const settings = trustSettings(config);
  parts.state.election = joinElection(parts, settings, clock);
  parts.state.control = await serveControlPlane({
    kube: parts.kube,
    pool: parts.controlPool,
    settings,
    bind: config.controlBind,
    leaseTtlMs: config.leaseTtlMs,
    clock: systemClock,
    log,
    signal: parts.stopping.signal,
  });
}

/** Serves health, readiness and metrics. */
function serveAdmin({ config, metrics, state }: ControllerParts) {
  return listen(
    adminApp({
      metrics,
      serving: () => state.control !== undefined,
      leading: () => ({
        leader: state.election?.isLeader() ?? false,
        healthy: state.healthy(),
        holder: state.election?.holder(),
      }),
    }),
    config.adminBind,
  );
}

/** Brings the registry up to date, as soon as there is a database. Gives the database's clock; undefined when the process was asked to end. */
async function prepareRegistry({ pool, log, stopping }: ControllerParts): Promise<(() => number) | undefined> {
  const { signal } = stopping;
  await untilDone('the registry cannot be prepared yet', log, signal, () =>
    migrate(pool, { schema: 'registry', migrations: REGISTRY_MIGRATIONS, log }),
  );
  if (signal.aborted) return undefined;
  // A fleet of External hosts alone works without these rights, so the controller starts.
  for (const { message, advice } of await missingDatabaseRights(pool))
    log.error({ missing: message, advice }, 'database rights missing');

  // Leases are judged by the clock that gateways and control planes write them by.
  const databaseClock = openDatabaseClock({ db: pool, clock: systemClock });
  signal.addEventListener('abort', databaseClock.stop, { once: true });
  await databaseClock.measured;
  return signal.aborted ? undefined : databaseClock.now;
}

function trustSettings(config: ControllerConfig): TrustSettings {
  const [kind, name] = config.certManagerIssuer?.split('/') ?? [];
  return {
    namespace: config.namespace,
    release: config.release,
    leafNames: {
      'control-plane': { dnsNames: config.controlDnsNames },
      gateway: { dnsNames: config.gatewayDnsNames },
    },
    overlapMs: config.rotationOverlapMs,
    ...(name === undefined ? {} : { certManagerIssuer: { name, kind: kind as 'Issuer' | 'ClusterIssuer' } }),
  };
}

/** Tries again until it works or the signal aborts: the database may be later than the controller. */
async function untilDone(text: string, log: Logger, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  const done = async (): Promise<true> => {
    await work();
    return true;
  };
  await pollUntil(done, { signal, everyMs: () => RETRY_MS, failed: (error) => log.warn({ err: error }, text) });
}
