import { randomUUID } from 'node:crypto';
import type { Pool } from '../../postgres/pool.js';
import { canonicalJson } from '../../protocol/canonical.js';
import type { Clock } from '../../protocol/clock.js';
import { type Envelope, newEnvelope } from '../../protocol/envelope.js';
import {
  aipErrorOf,
  DelegationConflict,
  DelegationTargetMismatch,
  ResourceNotFound,
  StorageUnavailable,
} from '../../protocol/errors.js';
import { samePrincipal } from '../../protocol/identity/principal.js';
import type { DelegationRequest, DelegationResult, Event, Principal, StreamChunk } from '../../protocol/types.js';
import type { Logger } from '../../transport/process/logger.js';
import { type SubmitDeps, submitAction } from '../actions/accept/submit.js';
import type { Identity } from '../edge/identity.js';
import type { RequestContext } from '../edge/request-context.js';
import { appendEvents } from '../events/log/append.js';
import { type DueRule, startDueLoop } from '../maintenance/due-loop.js';
import { delegationChainId } from '../receipts/action-chain.js';
import { appendReceipts } from '../receipts/append.js';
import { readChain } from '../receipts/read-chains.js';
import { takeChunk } from './chunks.js';
import { afterDelivery, type DelegateLink, type DeliveryEnd, deliver, LEASE_MS } from './deliver.js';
import { writeEnd } from './end.js';
import { delegationEvent } from './events.js';
import {
  claimDelegations,
  endedHere,
  findDelegation,
  insertDelegation,
  lockDelegations,
  nextDelegation,
  type StoredDelegation,
} from './record.js';
import { checkDelegation, childOf, isTerminal, statusOf } from './rules.js';
import { belongs, chooseSentIds, receivedResult, sentResult } from './sent-ids.js';

/** Deliveries that one pass takes, and when passes run. */
const BATCH = 16;
const PASS: DueRule = { minMs: 500, idleMs: 5000, firstBackoffMs: 500, maxBackoffMs: 10_000 };

/** The delegations of one gateway. */
export interface Delegations {
  /**
   * Takes a delegation: this gateway's own principal runs the child action itself, a configured delegate gets it
   * signed. The same delegation again is answered with where it stands. Throws DelegationTargetMismatch,
   * DelegationConflict, NotAuthorized, ActionInputInvalid, CallbackRefused.
   */
  request(
    identity: Identity,
    request: DelegationRequest,
    envelope: Envelope,
    context: RequestContext,
  ): Promise<DelegationResult>;
  /** Takes what a delegate reports. Throws ResourceNotFound for a delegation that is not the sender's, DelegationConflict. */
  report(identity: Identity, result: DelegationResult): Promise<DelegationResult>;
  /**
   * Stores a chunk that a delegate sends of its child action and returns its event, none for a replay; undefined when no delegation of the
   * sender has this child. Throws NotAuthorized as takeChunk.
   */
  chunk(identity: Identity, chunk: StreamChunk): Promise<Event[] | undefined>;
  stop(): Promise<void>;
}

/** What delegations need. */
export interface DelegationDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  /** The delegate that this gateway is itself. */
  readonly gateway: Principal;
  /** The way to a delegation's delegate, undefined for one that is not configured; absent without routes. */
  readonly linkTo:
    | ((request: Pick<DelegationRequest, 'delegate' | 'child_action'>) => DelegateLink | undefined)
    | undefined;
  readonly submit: SubmitDeps;
  /** Called after a message to a callback may have been stored. */
  readonly callbackStored?: (() => void) | undefined;
}

/**
 * Opens the delegations and starts the pass that repeats deliveries, also those of a gateway that was lost, and ends the delegations whose
 * child actions ended here in the background.
 */
export function openDelegations(deps: DelegationDeps): Delegations {
  const { pool, clock, log, gateway, submit, callbackStored } = deps;
  const linkTo = deps.linkTo ?? (() => undefined);

  /** Writes the end of an attempt with its event; what another gateway ended meanwhile stays as it is. */
  const finish = async (delegation: StoredDelegation, end: DeliveryEnd): Promise<void> => {
    const now = clock();
    const after = afterDelivery(end, now);
    await pool.tx((client) => writeEnd(client, delegation, after, now));
    callbackStored?.();
  };

  const attempt = async (delegation: StoredDelegation): Promise<void> => {
    const link = linkTo(delegation.request);
    if (link) await finish(delegation, await deliver(link, delegation, clock));
  };

  /** Runs the child action here, under the delegate's name and without any scope. */
  const runHere = async (
    identity: Identity,
    delegation: StoredDelegation,
    envelope: Envelope,
    context: RequestContext,
  ) => {
    const { id, kind } = delegation.request.delegate;
    const child = childOf(delegation.request, delegation.created_at);
    const { session_id, correlation_id } = envelope;
    const fields = {
      from: { id, kind },
      ...(session_id !== undefined && { session_id }),
      ...(correlation_id !== undefined && { correlation_id }),
    };
    const actor: Identity = { ...identity, principal: { id, kind }, scopes: new Set(), roles: [], grants: [] };
    const own = ids(delegation);
    try {
      const reply = await submitAction(
        submit,
        actor,
        newEnvelope({ action: child }, fields, { clock }),
        child,
        context,
      );
      if ('ack' in reply) return;
      const result = reply.action_result;
      await finish(delegation, { kind: 'answered', result: { ...own, status: statusOf(result), result } });
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      const failed = { ...own, status: 'failed' as const, error: aipErrorOf(error).toProtocolError('aip-runtime') };
      await finish(delegation, { kind: 'answered', result: failed });
    }
  };

  const standing = async (delegationId: string, tenantId: string | null): Promise<DelegationResult> => {
    const stored = (await findDelegation(pool, delegationId, tenantId)) as StoredDelegation;
    const chainId = delegationChainId(delegationId);
    const chain = await readChain(pool, { chainId, tenantId });
    const known = stored.result ?? { ...ids(stored), status: 'running' as const };
    return { ...known, ...(chain && { receipt_chain: chain }) };
  };

  const request: Delegations['request'] = async (identity, body, envelope, context) => {
    checkDelegation(identity, body);
    const here = body.delegate.id === gateway.id;
    if (!here && !linkTo(body)) throw new DelegationTargetMismatch();
    if (body.callback) await submit.admitCallback(body.callback);
    const tenantId = identity.tenantId ?? null;
    const now = clock();
    const made = {
      delegation_id: body.delegation_id,
      tenant_id: tenantId,
      principal_id: identity.principal.id,
      delegate_id: body.delegate.id,
      delegate_kind: body.delegate.kind,
      child_action_id: body.child_action.id,
      request: body,
      delivery: here ? null : ('pending' as const),
      next_attempt_at: here ? null : now + LEASE_MS,
      lease_id: here ? null : randomUUID(),
      created_at: now,
    };
    const isNew = await pool.tx(async (client) => {
      const sent = here ? { sent_id: null, sent_child_id: null } : await chooseSentIds(client, made);
      if ((await insertDelegation(client, { ...made, ...sent })) === undefined) return false;
      const owner = { tenantId, principalId: made.principal_id };
      const { id, kind } = identity.principal;
      const data = { ...ids(made), delegate: body.delegate.id, scope: body.scope };
      const chainId = delegationChainId(made.delegation_id);
      const fact = {
        chainId,
        subject: made.delegation_id,
        type: 'delegation_made' as const,
        actor: { id, kind },
        atMs: now,
      };
      await appendReceipts(client, owner, [{ ...fact, correlationId: envelope.correlation_id ?? null, data }]);
      const requester = { requested_by: { id, kind }, delegate: body.delegate, scope: body.scope };
      await appendEvents(client, [
        delegationEvent(made, 'requested', requester, now),
        delegationEvent(made, 'running', { status: 'running' }, now),
      ]);
      return true;
    });
    const stored = (await findDelegation(pool, made.delegation_id, tenantId)) as StoredDelegation;
    const same = stored.principal_id === made.principal_id && canonicalJson(stored.request) === canonicalJson(body);
    if (!same) throw new DelegationConflict(undefined, { details: { delegation_id: made.delegation_id } });
    if (here && !stored.result) await runHere(identity, stored, envelope, context);
    else if (isNew) await attempt(stored);
    return standing(made.delegation_id, tenantId);
  };

  const report: Delegations['report'] = async (identity, sent) => {
    const { delegation_id: id, child_action_id: childId } = sent;
    const reported = await pool.tx(async (client) => {
      const delegations = await lockDelegations(client, id, childId);
      const [delegation, other] = delegations.filter(
        (each) => belongs(sent, each) && each.delivery !== null && isDelegate(identity.principal, each),
      );
      // A report names no tenant.
      if (other) throw new DelegationConflict('several delegations have these ids', { details: { delegation_id: id } });
      if (!delegation) throw new ResourceNotFound('no such delegation', { details: { delegation_id: id } });
      const result = receivedResult(sent, delegation);
      if (delegation.result) {
        if (canonicalJson(comparable(delegation.result)) !== canonicalJson(comparable(result)))
          throw new DelegationConflict(undefined, { details: { delegation_id: id } });
      } else if (isTerminal(result.status)) {
        const now = clock();
        const end = {
          status: result.status,
          result,
          delivery: 'delivered' as const,
          nextAttemptAt: null,
          completedAt: now,
          error: undefined,
        };
        await writeEnd(client, delegation, end, now);
      }
      return delegation;
    });
    callbackStored?.();
    return sentResult(await standing(reported.delegation_id, reported.tenant_id), reported);
  };

  const isDelegate = (sender: Principal, { delegate_id, delegate_kind, request }: StoredDelegation): boolean =>
    samePrincipal(sender, { id: delegate_id, kind: delegate_kind }) ||
    samePrincipal(sender, linkTo(request)?.principal);

  const chunk: Delegations['chunk'] = async ({ principal }, sent) => {
    const taken = await pool.tx((client) =>
      takeChunk(client, sent, (each) => each.delivery !== null && isDelegate(principal, each), clock()),
    );
    callbackStored?.();
    return taken;
  };

  /** Ends what runs here in the background, as the action that was answered with an ack or waited for a human. */
  const endHere = async (): Promise<void> => {
    for (const { delegation, result } of await endedHere(pool, BATCH)) {
      const ended = { ...ids(delegation), status: statusOf(result), result };
      await finish(delegation, { kind: 'answered', result: ended });
    }
  };

  const pass = async (): Promise<void> => {
    await endHere();
    if (!deps.linkTo) return;
    const claim = { nowMs: clock(), leaseMs: LEASE_MS, leaseId: randomUUID(), limit: BATCH };
    const due = await claimDelegations(pool, claim);
    const ended = await Promise.allSettled(due.map(attempt));
    for (const each of ended)
      if (each.status === 'rejected') log.warn({ err: each.reason }, 'delegation delivery failed');
  };
  const next = (): Promise<number | null> => nextDelegation(pool, deps.linkTo !== undefined);
  const loop = startDueLoop({ pool, clock, work: { next, pass } }, PASS, (error) =>
    log.warn({ err: error }, 'delegation pass failed'),
  );
  return { request, report, chunk, stop: () => loop.stop() };
}

function ids({ delegation_id, request }: Pick<StoredDelegation, 'delegation_id' | 'request'>) {
  return {
    delegation_id,
    parent_action_id: request.parent_action_id,
    child_action_id: request.child_action.id,
  };
}

/** A repeated report may leave its receipts out. */
function comparable({ receipt_chain: _receipts, ...result }: DelegationResult): object {
  return result;
}
