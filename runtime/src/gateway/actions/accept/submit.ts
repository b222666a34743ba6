import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { actionRef } from '../../../protocol/content/action-ref.js';
import type { Envelope } from '../../../protocol/envelope.js';
import { NamedError } from '../../../protocol/errors/named-error.js';
import { AipError, IdempotencyScopeMissing } from '../../../protocol/errors.js';
import { idempotencyInputHash } from '../../../protocol/hashes.js';
import type { Ack, Action, ActionResult } from '../../../protocol/types.js';
import { outcomeOfFailure } from '../../../registry/allotments/ledger.js';
import type { SchemaChecks } from '../../../registry/contracts/schema-checks.js';
import { traced } from '../../../transport/telemetry/telemetry.js';
import type { AdmitCallback } from '../../callbacks/admit.js';
import type { Dispatcher } from '../../dispatch/dispatcher.js';
import type { Identity } from '../../edge/identity.js';
import type { RequestContext } from '../../edge/request-context.js';
import { auditRefusal } from '../../records/audit/refusal-audit.js';
import { type ReplayClaim, replayClaimOf } from '../../records/replay/freshness.js';
import type { ActionStock } from '../../records/stock/action-stock.js';
import { checkStock } from '../../records/stock/admit.js';
import type { StockLimits } from '../../records/stock/limits.js';
import type { ApprovalVerifier } from '../approval/request/verify.js';
import type { CapabilityLookup } from '../capabilities/capabilities.js';
import type { Executor } from '../execute/execute.js';
import type { LeaseKeeper } from '../execute/lease-keeper.js';
import type { RequestedPlan } from '../record/plan.js';
import type { ActionRecord } from '../record/record.js';
import { checkStep } from '../transaction/step/precheck.js';
import { acceptanceOf } from './compose.js';
import { replayedResult } from './idempotency.js';
import { type PreparedAction, prepareAction, sameWork } from './prepare.js';
import type { Acceptance, AcceptOutcome } from './write.js';

/** What a submission is answered with. */
export type SubmitReply = { readonly ack: Ack } | { readonly action_result: ActionResult };

/** `submitAction` over what submissions need. */
export type SubmitAction = (
  identity: Identity,
  envelope: Envelope,
  submitted: Action,
  context: RequestContext,
  requested?: RequestedPlan,
) => Promise<SubmitReply>;

/** What submissions need. */
export interface SubmitDeps {
  readonly pool: Pool;
  /** Throws `callback.target_refused` for a callback that nothing could be delivered to. */
  readonly admitCallback: AdmitCallback;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerId: string;
  readonly capabilities: CapabilityLookup;
  readonly schemas: SchemaChecks;
  /** Checks the approval that an action brings along. */
  readonly verifyApproval: ApprovalVerifier;
  readonly stock: StockLimits;
  readonly actionStock: Pick<ActionStock, 'check'>;
  readonly executor: Executor;
  readonly keeper: LeaseKeeper;
  /** The group commit of message claims; false: the message was received before. */
  readonly claim: (claim: ReplayClaim) => Promise<boolean>;
  /** The group commit of acceptances. */
  readonly accept: (acceptance: Acceptance) => Promise<AcceptOutcome>;
  /** Plans the routes of actions that run at once, where they are stored in the same database; absent: none is planned. */
  readonly planner?: Pick<Dispatcher, 'plan' | 'abandon'> | undefined;
  /** Wakes this process's worker: there is work. */
  readonly wake: () => void;
}

/**
 * Takes one action (docs/protocol/actions.md#order-of-acceptance): an async one is answered with an ack once it is durable; a sync or streaming one
 * with its result. Every message id is claimed, also that of a refused action. Throws `replay.message_id` and the errors of
 * the table.
 */
export async function submitAction(
  deps: SubmitDeps,
  identity: Identity,
  envelope: Envelope,
  submitted: Action,
  context: RequestContext,
  requested?: RequestedPlan,
): Promise<SubmitReply> {
  const accepted = await traced('aip.action.accept', { attributes: actionFields(submitted) }, () =>
    acceptAction(deps, identity, envelope, submitted, context, requested),
  );
  if ('reply' in accepted) return accepted.reply;
  const { acceptance } = accepted;
  let result: ActionResult | undefined;
  try {
    result = await deps.executor.run(recordOf(acceptance));
  } finally {
    const { tenantId } = identity;
    if (tenantId !== undefined) deps.planner?.abandon({ actionId: submitted.id, tenantId });
  }
  if (!result) throw new Error('an inline action was put into the queue');
  if (result.error) logFailure(deps.log, acceptance, context, result);
  return { action_result: result };
}

/** Checks an action and makes it durable: the answer, or what is to be executed before there is one. */
async function acceptAction(
  deps: SubmitDeps,
  identity: Identity,
  envelope: Envelope,
  submitted: Action,
  context: RequestContext,
  requested: RequestedPlan | undefined,
): Promise<{ readonly reply: SubmitReply } | { readonly acceptance: Acceptance }> {
  const nowMs = deps.clock();
  const claim = replayClaimOf(identity, envelope, nowMs);
  let prepared: PreparedAction;
  let made: ReturnType<typeof acceptanceOf>;
  try {
    prepared = await prepareAction(identity, envelope, submitted, deps, context.trace);
    if (prepared.refusal) throw new RefusedAsResult(prepared.refusal, prepared.authorized && prepared.action);
    if (submitted.callback) await deps.admitCallback(submitted.callback);
    const checked = await checkStep(deps.pool, identity, prepared.action, prepared.known.capability, nowMs);
    if ('refusal' in checked) throw new RefusedAsResult(checked.refusal, prepared.action);
    prepared = { ...prepared, action: checked.action, requested };
    const lease = { workerId: deps.workerId, leaseId: randomUUID() };
    made = acceptanceOf(identity, envelope, prepared, claim, lease, nowMs);
    if (made.acceptance.approval)
      await checkStock(deps.pool, deps.stock, { kind: 'approvals', tenantId: identity.tenantId });
    await deps.actionStock.check(made.acceptance.action);
  } catch (error) {
    if (!(await deps.claim(claim))) throw new AipError('replay.message_id');
    if (error instanceof RefusedAsResult) {
      if (error.audited) await audit(deps, identity, envelope, error.audited, error.refusal, nowMs);
      return { reply: failed(submitted.id, error.refusal) };
    }
    if (error instanceof IdempotencyScopeMissing) return { reply: failed(submitted.id, error) };
    throw error;
  }
  const { acceptance, pending } = made;
  const outcome = await writePlanned(deps, acceptance);
  if (outcome.kind === 'replayed') throw new AipError('replay.message_id');
  if (outcome.kind === 'known') return { reply: repeated(outcome.record, acceptance) };
  if (outcome.kind === 'key_released') return { reply: keyReleased(submitted.id) };
  if (outcome.kind === 'key_taken') return { reply: keyTaken(outcome, acceptance.action.request, prepared, nowMs) };
  if (pending) return { reply: { action_result: pending } };
  if (prepared.mode !== 'async') return { acceptance };
  deps.wake();
  return { reply: { ack: queuedAck(submitted.id) } };
}

/** Writes an acceptance, with its route where the action is run at once and everything for its route is at hand. */
async function writePlanned(deps: SubmitDeps, acceptance: Acceptance): Promise<AcceptOutcome> {
  const { action } = acceptance;
  const { tenant_id, plan, lease_id, request } = action;
  const direct = lease_id !== null && plan.placement === 'remote' && request.transaction === undefined;
  const planned = direct && tenant_id !== null ? await deps.planner?.plan(request, tenant_id) : undefined;
  if (!planned) return writeAcceptance(deps, acceptance);
  try {
    const outcome = await writeAcceptance(deps, { ...acceptance, route: planned.route });
    const placed = outcome.kind === 'accepted' ? outcome.placed : undefined;
    if (placed) planned.stored(placed);
    else planned.notStored('refused');
    return outcome;
  } catch (error) {
    planned.notStored(outcomeOfFailure(error));
    throw error;
  }
}

/** Writes an acceptance. One that failed may still be committed, without anybody who works under its lease. */
async function writeAcceptance(deps: SubmitDeps, acceptance: Acceptance): Promise<AcceptOutcome> {
  try {
    return await deps.accept(acceptance);
  } catch (error) {
    const { lease_id: leaseId } = acceptance.action;
    if (leaseId !== null) deps.keeper.abandon({ ...actionRef(acceptance.action), leaseId });
    throw error;
  }
}

function logFailure(log: Logger, { action }: Acceptance, context: RequestContext, result: ActionResult): void {
  const { action_id, tenant_id, capability_id } = action;
  const named = {
    action_id,
    tenant_id,
    capability_id,
    request_id: context.requestId,
    trace_id: context.trace?.traceId,
  };
  log.info({ ...named, status: result.status, code: result.error?.code }, 'action failed');
}

function actionFields({ id, capability_id }: Action): Record<string, string> {
  return { 'aip.action_id': id, 'aip.capability_id': capability_id };
}

/** A check that ends in a failed result of the action, with status 200, and not in an error. */
class RefusedAsResult extends NamedError {
  readonly refusal: AipError;
  /** The action whose refusal leaves an audit event: what a caller that may use the capability tried. */
  readonly audited: Action | undefined;
  constructor(refusal: AipError, audited?: Action) {
    super(refusal.message);
    this.refusal = refusal;
    this.audited = audited;
  }
}

async function audit(
  { pool, stock, log }: SubmitDeps,
  { principal, tenantId }: Identity,
  { message_id: messageId, session_id: sessionId, correlation_id: correlationId }: Envelope,
  action: Action,
  { code }: AipError,
  nowMs: number,
): Promise<void> {
  const refused = { action, principal, tenantId, messageId, sessionId, correlationId, code };
  if (await auditRefusal({ pool, stock }, refused, nowMs)) return;
  log.info({ action_id: action.id, tenant_id: tenantId, code }, 'refused action not audited');
}

function failed(actionId: string, refusal: AipError): SubmitReply {
  return { action_result: { action_id: actionId, status: 'failed', error: refusal.toProtocolError('aip-runtime') } };
}

function queuedAck(actionId: string): Ack {
  return {
    action_id: actionId,
    status: 'queued',
    reason: 'accepted for asynchronous execution',
    queue: { scheduler: 'aip-runtime' },
  };
}

/**
 * The same action id again: the same work of the same caller is answered with where it stands, anything else is a
 * conflict.
 */
function repeated(record: ActionRecord, acceptance: Acceptance): SubmitReply {
  const { action } = acceptance;
  const same = record.principal_id === action.principal_id && sameWork(record.request, action.request);
  if (!same) throw new AipError('action.id_conflict', undefined, { details: { action_id: action.action_id } });
  if (record.result) return { action_result: record.result };
  if (record.state === 'queued') return { ack: { ...queuedAck(record.action_id), reason: 'already accepted' } };
  const status = record.state === 'streaming' ? 'streaming' : 'accepted';
  return { ack: { action_id: record.action_id, status, reason: 'already accepted' } };
}

/** The idempotency key is in use: what the contract says about a collision (docs/protocol/actions.md#idempotency). */
function keyTaken(
  held: Extract<AcceptOutcome, { kind: 'key_taken' }>,
  action: Action,
  prepared: PreparedAction,
  nowMs: number,
): SubmitReply {
  const behavior = prepared.known.capability.contract?.idempotency.collision_behavior ?? 'return_original_result';
  const details = { owner_action_id: held.ownerActionId };
  // The result of another capability would be no answer to this one, whatever the contract returns.
  if (behavior === 'reject_conflict' || held.capabilityId !== action.capability_id)
    return failed(action.id, new AipError('idempotency.conflict', undefined, { details }));
  if (behavior === 'revalidate_input_hash' && held.inputHash !== idempotencyInputHash(action))
    return failed(action.id, new AipError('idempotency.input_hash_mismatch', undefined, { details }));
  if (held.result) return { action_result: replayedResult(held.result) };
  const retryAfterMs = Math.max(1, held.reservedUntil - nowMs);
  return failed(action.id, new AipError('idempotency.in_progress', undefined, { details, retryAfterMs }));
}

/** The owner of the key failed in a way that frees it, between the acceptance and the reading of the key. */
function keyReleased(actionId: string): SubmitReply {
  return failed(actionId, new AipError('idempotency.in_progress', undefined, { retryAfterMs: 1 }));
}

/** The record that an accepted inline action has in the database, without reading it back. */
function recordOf({ action }: Acceptance): ActionRecord {
  return {
    ...action,
    seq: 0,
    last_error: null,
    dead_letter_reason: null,
    cancel_requested: false,
    cancel_reason: null,
    resumed_at: null,
    updated_at: action.accepted_at,
    completed_at: null,
    restored: false,
  };
}
