import type { Logger } from 'pino';
import { groupCommit, openCommitLane } from '../../postgres/group-commit.js';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { RECONCILIATION_CONCURRENCY } from '../../protocol/limits.js';
import type { Principal } from '../../protocol/types.js';
import { openSchemaChecks } from '../../registry/contracts/schema-checks.js';
import type { Registry } from '../../registry/registry.js';
import { destinationPolicy } from '../../transport/peer/destination.js';
import { type AdmitCallback, callbackAdmission } from '../callbacks/admit.js';
import { openPermits, type Permits } from '../claims/permits.js';
import type { RunningLimits } from '../claims/running-by-tenant.js';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { ReplayClaim } from '../records/replay/freshness.js';
import { claimBatch } from '../records/replay/guard.js';
import { openActionStock } from '../records/stock/action-stock.js';
import { DEFAULT_STOCK_LIMITS, type StockLimits } from '../records/stock/limits.js';
import { type SubmitAction, type SubmitDeps, submitAction } from './accept/submit.js';
import { type Acceptance, type AcceptOutcome, acceptAlone, acceptBatch, isOneStatement } from './accept/write.js';
import { approvalVerifier } from './approval/request/verify.js';
import { type CancelAction, cancelAction } from './cancel.js';
import { type CapabilityLookup, capabilityLookup } from './capabilities/capabilities.js';
import type { LocalCapabilities } from './capabilities/local-capabilities.js';
import { executor } from './execute/execute.js';
import { leaseKeeper } from './execute/lease-keeper.js';
import { startWorker, type Worker } from './execute/worker.js';
import { recordActionEnd } from './finish/measure.js';
import { type ReleaseRoutes, routeRelease, type StoredRoutes } from './finish/release.js';
import { isOneStatement as isOneSettlement, type Settlement, type SettleOutcome, settleBatch } from './finish/write.js';

/** Items that one commit writes at most. */
const MAX_BATCH = 256;
/** An accepted action comes back soon to be settled, so a longer wait for what the last commit held makes commits fewer and fuller. */
const COMMIT_PATIENCE = 2;

/** What the actions of one gateway process are made of. */
export interface ActionsOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whom results come from. */
  readonly gateway: Principal;
  /** What no other gateway is called at the same time: the leases of an earlier one of this name end at the start. */
  readonly name?: string | undefined;
  readonly local: LocalCapabilities;
  readonly registry?: Pick<Registry, 'catalog'> | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  readonly releaseRoutes?: ReleaseRoutes | undefined;
  /** Present where routes are stored in the database of the actions, so that an action and its route can be one commit. */
  readonly storedRoutes?: StoredRoutes | undefined;
  /** Whether the audit event of a result is stored with its event, which must not be kept longer; default true. */
  readonly auditsWithEvents?: boolean | undefined;
  /** Reconciliations that may run at once; default 32 (docs/protocol/limits.md). */
  readonly maxReconciliations?: number | undefined;
  /** Background actions that run at once, and the bytes of their requests; default 256 and 64 MiB. */
  readonly maxRunning?: RunningLimits | undefined;
  /** What one tenant may store of each kind of record. */
  readonly stock?: StockLimits | undefined;
  /** Actions that one tenant may have stored; default 0, no bound. */
  readonly maxStoredActions?: number | undefined;
  /** Default: no callback is admitted. */
  readonly callbacks?: { readonly admit: AdmitCallback; readonly stored: () => void } | undefined;
}

/** The actions of one gateway process: the ways in, and the worker. */
export interface Actions {
  readonly submit: SubmitAction;
  readonly cancel: CancelAction;
  /** The capabilities that a tenant may use. */
  readonly capabilities: CapabilityLookup;
  /** Throws `callback.target_refused` for a callback that nothing could be delivered to. */
  readonly admitCallback: AdmitCallback;
  /** The group commit of ends; false: the action is being executed, or has ended. */
  readonly settle: (settlement: Settlement) => Promise<boolean>;
  readonly worker: Worker;
  readonly reconciliations: Permits;
  /** Writes the message ids of other bodies. */
  readonly claim: (claim: ReplayClaim) => Promise<boolean>;
  /**
   * Ends the work (see Worker.stop) and gives the leases up that are left, so that another worker takes their actions
   * over.
   */
  stop(graceMs: number): Promise<void>;
}

/** Opens the actions: the writers of claims, acceptances and settlements, the lease keeper, the executor and the worker. */
export function openActions(options: ActionsOptions): Actions {
  const { pool, clock, log, gateway, local, dispatcher, releaseRoutes, storedRoutes } = options;
  const own = { gatewayId: gateway.id, name: options.name, connections: pool.applicationName };
  const { admit: admitCallback, stored } = options.callbacks ?? { admit: callbackAdmission(destinationPolicy()) };
  const writers = openWriters(options);
  const release = routeRelease(releaseRoutes, log);
  const settle = async (settlement: Settlement): Promise<boolean> => {
    const { written, freed } = await writers.settle(settlement);
    if (!written) return false;
    recordActionEnd(settlement);
    if (settlement.delivery) stored?.();
    if (freed) storedRoutes?.released([freed]);
    else await release(settlement.release);
    return true;
  };
  const keeper = leaseKeeper({ pool, clock, log });
  const reconciliations = openPermits(options.maxReconciliations ?? RECONCILIATION_CONCURRENCY);
  const capabilities = capabilityLookup(local, options.registry);
  const schemas = openSchemaChecks();
  const known = { local, capabilities, schemas };
  const verifyApproval = approvalVerifier(pool);
  const runs = executor({
    pool,
    clock,
    log,
    gateway,
    keeper,
    ...known,
    dispatcher,
    releaseRoutes,
    storedRoutes,
    settle,
    reconciliations,
  });
  const worker = startWorker({ pool, clock, log, own, executor: runs, keeper, maxRunning: options.maxRunning });
  const checks = { capabilities, schemas, verifyApproval };
  const actionStock = openActionStock({ pool, log, limit: options.maxStoredActions ?? 0 });
  const submissions: SubmitDeps = {
    pool,
    admitCallback,
    clock,
    log,
    workerId: worker.workerId,
    keeper,
    ...checks,
    stock: options.stock ?? DEFAULT_STOCK_LIMITS,
    actionStock,
    executor: runs,
    claim: writers.claim,
    accept: writers.accept,
    planner: storedRoutes && dispatcher,
    wake: worker.wake,
  };
  const cancellations = { pool, clock, log, gateway, keeper, settle };
  return {
    submit: (...submission) => submitAction(submissions, ...submission),
    cancel: (...cancellation) => cancelAction(cancellations, ...cancellation),
    capabilities,
    admitCallback,
    settle,
    worker,
    claim: writers.claim,
    reconciliations,
    stop: async (graceMs) => {
      await actionStock.stop();
      await worker.stop(graceMs);
      await keeper.close(true);
      await schemas.close();
    },
  };
}

/** The writers of claims, acceptances and settlements; the last two commit at the same time. */
function openWriters({ pool, clock, storedRoutes, auditsWithEvents = true }: ActionsOptions) {
  const lane = openCommitLane({ patience: COMMIT_PATIENCE });
  return {
    accept: lane.writer<Acceptance, AcceptOutcome>({
      pool,
      name: 'runtime.accept',
      maxBatch: MAX_BATCH,
      run: (client, items) => (client === pool ? acceptAlone : acceptBatch)(client, items, clock()),
      single: isOneStatement,
    }),
    settle: lane.writer<Settlement, SettleOutcome>({
      pool,
      name: 'runtime.settle',
      maxBatch: MAX_BATCH,
      run: (client, items) =>
        settleBatch(client, items, { storesRoutes: storedRoutes !== undefined, auditsWithEvents }),
      single: isOneSettlement,
    }),
    claim: groupCommit<ReplayClaim, boolean>({
      pool,
      name: 'runtime.claims',
      maxBatch: MAX_BATCH,
      run: (client, items) => claimBatch(client, items, clock()),
      single: () => true,
    }),
  };
}
