import { type Actions, openActions } from '../actions/open.js';
import type { ApprovalDeps } from '../approvals/answers.js';
import { openApprovals } from '../approvals/open.js';
import { type Callbacks, openCallbacks } from '../callbacks/open.js';
import { HEALTH_CAPABILITY_ID, healthCapability } from '../endpoints/manifest/server-manifest.js';
import { openTail, type Tail } from '../events/log/tail.js';
import { startRetention } from '../maintenance/retention.js';
import { keepsAuditLonger } from '../maintenance/retention-rules.js';
import { connectDelegations } from '../peers/delegations/connect.js';
import type { Delegations } from '../peers/delegations/open.js';
import { startSessionExpiry } from '../sessions/expiry.js';
import { startReconciler } from '../transactions/reconciler.js';
import type { GatewayContext } from './context.js';
import type { FleetConnection } from './fleet.js';

/** What a gateway does, whether somebody calls it or not. */
export interface GatewayWork {
  readonly fleet: FleetConnection | undefined;
  readonly callbacks: Callbacks;
  readonly actions: Actions;
  readonly tail: Tail;
  readonly approvals: ApprovalDeps;
  readonly delegations: Delegations;
  /** Ends the passes over the storage and the connections to the fleet. */
  endPasses(): Promise<void>;
}

/** Opens the fleet and starts the work over the storage. Throws what a part refuses. */
export async function openWork(context: GatewayContext): Promise<GatewayWork> {
  const { config, pool, principal, signer, metrics, clock, log } = context;
  const gateway = config.principal;
  const fleet = await fleetOf(context);
  const callbacks = openCallbacks({ settings: config.callbacks, pool, principal, signer, clock, log });
  const callbackStored = (): void => callbacks.deliverer?.wake();
  const actions = actionsOf(context, fleet, callbacks);
  const tail = await openTail({ pool, log });
  const retention = startRetention({ pool, registry: fleet?.registry, rules: config.retention, metrics, clock, log });
  const { capabilities, submit, admitCallback } = actions;
  const reconciler = startReconciler({ pool, clock, log, capabilities, wake: actions.worker.wake });
  const approvals = openApprovals({
    pool,
    clock,
    log,
    gateway,
    capabilities,
    stock: config.stock,
    authority: config.approvalAuthority,
    principals: context.principals,
  });
  const delegations = connectDelegations({
    settings: config.delegations,
    broker: config.broker,
    pool,
    clock,
    log,
    gateway,
    signer,
    submit,
    admitCallback,
    stock: config.stock,
    callbackStored,
  });
  const sessions = startSessionExpiry({ pool, clock, log, gateway });
  return {
    fleet,
    callbacks,
    actions,
    tail,
    approvals,
    delegations,
    endPasses: async () => {
      const passes = [retention, approvals, sessions, reconciler, callbacks, delegations];
      await Promise.all(passes.map((pass) => pass.stop()));
      await fleet?.stop();
    },
  };
}

/** The fleet's parts are loaded only where one is configured. */
async function fleetOf(context: GatewayContext): Promise<FleetConnection | undefined> {
  const { config, pool, signer, metrics, clock, log } = context;
  if (!signer || !config.fleet) return undefined;
  const { openFleet } = await import('./fleet.js');
  const { statementTimeoutMs } = config;
  return openFleet({ config: config.fleet, statementTimeoutMs, pool, signer, metrics, clock, log });
}

function actionsOf(
  { config, pool, clock, log, liveness }: GatewayContext,
  fleet: FleetConnection | undefined,
  callbacks: Callbacks,
): Actions {
  return openActions({
    pool,
    clock,
    log,
    gateway: config.principal,
    name: config.name,
    local: new Map([[HEALTH_CAPABILITY_ID, { capability: healthCapability, run: async () => liveness() }]]),
    registry: fleet?.registry,
    dispatcher: fleet?.dispatcher,
    releaseRoutes: fleet?.releaseRoutes,
    storedRoutes: fleet?.storedRoutes,
    maxReconciliations: config.maxReconciliations,
    auditsWithEvents: keepsAuditLonger(config.retention),
    stock: config.stock,
    maxStoredActions: config.maxStoredActions,
    callbacks: { admit: callbacks.admit, stored: () => callbacks.deliverer?.wake() },
  });
}
