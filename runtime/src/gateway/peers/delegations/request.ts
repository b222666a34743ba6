import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../postgres/pool.js';
import { canonicalJson } from '../../../protocol/canonical.js';
import { type Envelope, newEnvelope } from '../../../protocol/envelope.js';
import { AipError, aipErrorOf, StorageUnavailable } from '../../../protocol/errors.js';
import type { DelegationRequest, Principal } from '../../../protocol/types.js';
import type { SubmitAction } from '../../actions/accept/submit.js';
import type { AdmitCallback } from '../../callbacks/admit.js';
import type { Identity } from '../../edge/identity.js';
import type { RequestContext } from '../../edge/request-context.js';
import { appendEvents } from '../../events/log/append.js';
import { delegationChainId } from '../../records/receipts/action-chain.js';
import { appendReceipts } from '../../records/receipts/append.js';
import { keepWithinStock } from '../../records/stock/admit.js';
import type { StockLimits } from '../../records/stock/limits.js';
import { type AttemptDeps, attempt, finish } from './attempt.js';
import { LEASE_MS } from './deliver.js';
import { delegationEvent } from './events.js';
import { pathOf } from './forward.js';
import { findDelegation, insertDelegation, type NewDelegation, type StoredDelegation } from './record.js';
import { checkDelegation, childOf, idsOf, statusOf } from './rules.js';
import { chooseSentIds } from './sent-ids.js';

/** What taking a delegation needs. */
export interface RequestDeps extends AttemptDeps {
  /** The delegate that this gateway is itself. */
  readonly gateway: Principal;
  readonly submit: SubmitAction;
  /** Throws `callback.target_refused` for a callback that nothing could be delivered to. */
  readonly admitCallback: AdmitCallback;
  readonly stock: StockLimits;
}

/** A delegation before the ids that its delegate gets are chosen. */
type MadeDelegation = Omit<NewDelegation, 'sent_id' | 'sent_child_id'>;

/**
 * Stores a delegation, unless it is stored already, and runs its child action here or attempts to deliver it. Returns it as it was stored.
 * Throws as Delegations.request.
 */
export async function takeDelegation(
  deps: RequestDeps,
  identity: Identity,
  body: DelegationRequest,
  envelope: Envelope,
  context: RequestContext,
): Promise<StoredDelegation> {
  const { pool, clock, gateway, linkTo, stock } = deps;
  const here = body.delegate.id === gateway.id;
  const link = here ? undefined : linkTo?.(body);
  checkDelegation(identity, body, pathOf(body, link?.forward));
  if (!here && !link) throw new AipError('delegation.target_mismatch');
  if (body.callback) await deps.admitCallback(body.callback);
  const made = newDelegation(identity, body, here, clock());
  const isNew = await pool.tx((client) => store(client, made, stock, envelope.correlation_id ?? null));
  const stored = (await findDelegation(pool, made.delegation_id, made.tenant_id)) as StoredDelegation;
  const same = stored.principal_id === made.principal_id && canonicalJson(stored.request) === canonicalJson(body);
  if (!same)
    throw new AipError('delegation.id_conflict', undefined, { details: { delegation_id: made.delegation_id } });
  if (here && !stored.result) await runHere(deps, identity, stored, envelope, context);
  else if (isNew) await attempt(deps, stored);
  return stored;
}

/** The record of a new delegation; one for another delegate is leased to this gateway, which attempts to deliver it. */
function newDelegation(
  { tenantId, principal }: Identity,
  body: DelegationRequest,
  here: boolean,
  nowMs: number,
): MadeDelegation {
  return {
    delegation_id: body.delegation_id,
    tenant_id: tenantId ?? null,
    principal_id: principal.id,
    delegate_id: body.delegate.id,
    delegate_kind: body.delegate.kind,
    child_action_id: body.child_action.id,
    request: body,
    delivery: here ? null : 'pending',
    next_attempt_at: here ? null : nowMs + LEASE_MS,
    lease_id: here ? null : randomUUID(),
    created_at: nowMs,
  };
}

/** Inserts a delegation with its receipt and events, in the transaction of `client`; false when it is stored already. */
async function store(
  client: Queryable,
  made: MadeDelegation,
  stock: StockLimits,
  correlationId: string | null,
): Promise<boolean> {
  const { request, delegation_id: id, tenant_id: tenantId, principal_id: principalId, created_at: nowMs } = made;
  const sent = made.delivery === null ? { sent_id: null, sent_child_id: null } : await chooseSentIds(client, made);
  if ((await insertDelegation(client, { ...made, ...sent })) === undefined) return false;
  await keepWithinStock(client, stock, { kind: 'delegations', tenantId });
  const actor = { id: request.requested_by.id, kind: request.requested_by.kind };
  const { delegate, scope } = request;
  await appendReceipts(client, { tenantId, principalId }, [
    {
      chainId: delegationChainId(id),
      subject: id,
      type: 'delegation_made',
      actor,
      atMs: nowMs,
      correlationId,
      data: { ...idsOf(made), delegate: delegate.id, scope },
    },
  ]);
  await appendEvents(client, [
    delegationEvent(made, 'requested', { requested_by: actor, delegate, scope }, nowMs),
    delegationEvent(made, 'running', { status: 'running' }, nowMs),
  ]);
  return true;
}

/** Runs the child action here, under the delegate's name and without any scope. */
async function runHere(
  deps: RequestDeps,
  identity: Identity,
  delegation: StoredDelegation,
  { session_id, correlation_id }: Envelope,
  context: RequestContext,
): Promise<void> {
  const { id, kind } = delegation.request.delegate;
  const child = childOf(delegation.request, delegation.created_at);
  const fields = {
    from: { id, kind },
    ...(session_id !== undefined && { session_id }),
    ...(correlation_id !== undefined && { correlation_id }),
  };
  const actor: Identity = { ...identity, principal: { id, kind }, scopes: new Set(), roles: [], grants: [] };
  const own = idsOf(delegation);
  try {
    const envelope = newEnvelope({ action: child }, fields, { clock: deps.clock });
    const reply = await deps.submit(actor, envelope, child, context);
    if ('ack' in reply) return;
    const result = reply.action_result;
    await finish(deps, delegation, { kind: 'answered', result: { ...own, status: statusOf(result), result } });
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    const failed = { ...own, status: 'failed' as const, error: aipErrorOf(error).toProtocolError('aip-runtime') };
    await finish(deps, delegation, { kind: 'answered', result: failed });
  }
}
