import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../postgres/pool.js';
import type { Envelope } from '../../../protocol/envelope.js';
import type { DelegationRequest, DelegationResult, Event, StreamChunk } from '../../../protocol/types.js';
import type { Logger } from '../../../transport/process/logger.js';
import { runningByTenant } from '../../claims/running-by-tenant.js';
import type { Identity } from '../../edge/identity.js';
import type { RequestContext } from '../../edge/request-context.js';
import { type DueRule, startDueLoop } from '../../maintenance/due-loop.js';
import { delegationChainId } from '../../records/receipts/action-chain.js';
import { readChain } from '../../records/receipts/read-chains.js';
import { attempt, finish, isDelegate } from './attempt.js';
import { takeChunk } from './chunks.js';
import { LEASE_MS } from './deliver.js';
import { claimDelegations, endedHere, findDelegation, nextDelegation, type StoredDelegation } from './record.js';
import { takeReport } from './report.js';
import { type RequestDeps, takeDelegation } from './request.js';
import { idsOf, statusOf } from './rules.js';
import { sentResult } from './sent-ids.js';

/** Delegations that one pass takes, and when passes run. */
const BATCH = 16;
/** Repeated deliveries that one process makes at the same time. */
const MAX_DELIVERIES = 64;
const PASS: DueRule = { minMs: 500, idleMs: 10_000, firstBackoffMs: 500, maxBackoffMs: 10_000 };

/** The delegations of one gateway. */
export interface Delegations {
  /**
   * Takes a delegation: this gateway's own principal runs the child action itself, a configured delegate gets it
   * signed. The same delegation again is answered with where it stands. Throws `delegation.target_mismatch`,
   * `delegation.id_conflict`, NotAuthorized, `action.invalid_input`, `callback.target_refused`, StockExceeded.
   */
  request(
    identity: Identity,
    request: DelegationRequest,
    envelope: Envelope,
    context: RequestContext,
  ): Promise<DelegationResult>;
  /** Takes what a delegate reports. Throws `resource.not_found` for a delegation that is not the sender's, `delegation.id_conflict`. */
  report(identity: Identity, result: DelegationResult): Promise<DelegationResult>;
  /**
   * Stores a chunk that a delegate sends of its child action and returns its event, none for a replay; undefined when no delegation of the
   * sender has this child. Throws NotAuthorized as takeChunk.
   */
  chunk(identity: Identity, chunk: StreamChunk): Promise<Event[] | undefined>;
  stop(): Promise<void>;
}

/** What delegations need. */
export interface DelegationDeps extends RequestDeps {
  readonly log: Logger;
}

/**
 * Opens the delegations and starts the pass that repeats deliveries, also those of a gateway that was lost, and ends the delegations whose
 * child actions ended here in the background.
 */
export function openDelegations(deps: DelegationDeps): Delegations {
  const { pool, clock, log } = deps;
  const next = (): Promise<number | null> => nextDelegation(pool, deps.linkTo !== undefined);
  const deliveries = openDeliveries(deps);
  const pass = async (): Promise<void> => {
    await writeEnds(deps);
    if (deps.linkTo) await deliveries.begin();
  };
  const loop = startDueLoop({ pool, clock, work: { next, pass } }, PASS, (error) =>
    log.warn({ err: error }, 'delegation pass failed'),
  );
  return {
    request: async (identity, body, envelope, context) =>
      currentResult(pool, await takeDelegation(deps, identity, body, envelope, context)),
    report: async ({ principal }, sent) => {
      const reported = await takeReport(deps, principal, sent);
      return sentResult(await currentResult(pool, reported), reported);
    },
    chunk: async ({ principal }, sent) => {
      const mine = (each: StoredDelegation) => each.delivery !== null && isDelegate(deps, principal, each);
      const taken = await pool.tx((client) => takeChunk(client, sent, mine, clock()));
      deps.callbackStored?.();
      return taken;
    },
    stop: async () => {
      await loop.stop();
      await deliveries.ended();
    },
  };
}

/** What a delegation came to so far, with its receipts. */
async function currentResult(
  db: Queryable,
  { delegation_id: id, tenant_id: tenantId }: Pick<StoredDelegation, 'delegation_id' | 'tenant_id'>,
): Promise<DelegationResult> {
  const stored = (await findDelegation(db, id, tenantId)) as StoredDelegation;
  const chain = await readChain(db, { chainId: delegationChainId(id), tenantId });
  const known = stored.result ?? { ...idsOf(stored), status: 'running' as const };
  return { ...known, ...(chain && { receipt_chain: chain }) };
}

/** Ends what ended here in the background, as an action that was answered with an ack. */
async function writeEnds(deps: DelegationDeps): Promise<void> {
  // One that cannot be written keeps none behind it from its end.
  for (const { delegation, result } of await endedHere(deps.pool, BATCH)) {
    const ended = { ...idsOf(delegation), status: statusOf(result), result };
    await finish(deps, delegation, { kind: 'answered', result: ended }).catch((error) =>
      deps.log.warn({ err: error, delegation_id: delegation.delegation_id }, 'the end of a delegation was not written'),
    );
  }
}

/** Repeats deliveries that are due: `begin` does not wait for delegates, `ended` waits for all that began. */
function openDeliveries(deps: DelegationDeps): { begin(): Promise<void>; ended(): Promise<unknown> } {
  const { pool, clock, log } = deps;
  const running = runningByTenant({ actions: MAX_DELIVERIES, bytes: Number.MAX_SAFE_INTEGER }, BATCH);
  const open = new Set<Promise<void>>();
  const start = (delegation: StoredDelegation): void => {
    const ended = running.begin(delegation.tenant_id ?? '', 1);
    const work = attempt(deps, delegation)
      .catch((error) => log.warn({ err: error }, 'delegation delivery failed'))
      .finally(() => {
        ended();
        open.delete(work);
      });
    open.add(work);
  };
  return {
    begin: async () => {
      const { limit, room, running: begun } = running.bounds();
      if (limit === 0) return;
      const claim = { nowMs: clock(), leaseMs: LEASE_MS, leaseId: randomUUID(), limit, room, running: begun };
      for (const delegation of await claimDelegations(pool, claim)) start(delegation);
    },
    ended: () => Promise.all(open),
  };
}
