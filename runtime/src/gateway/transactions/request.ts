import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { Envelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import { formatTime } from '../../protocol/time.js';
import type { ActionResult, TransactionRequest, TransactionResult } from '../../protocol/types.js';
import type { SubmitAction, SubmitReply } from '../actions/accept/submit.js';
import { readAction } from '../actions/record/read.js';
import { readTransaction, type TransactionRecord } from '../actions/transaction/record.js';
import type { Identity } from '../edge/identity.js';
import type { RequestContext } from '../edge/request-context.js';
import { transactionChainId } from '../records/receipts/action-chain.js';
import { readChain } from '../records/receipts/read-chains.js';
import { type ReplayClaim, replayClaimOf } from '../records/replay/freshness.js';

/** What taking a step needs. */
export interface TransactionRequestDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly submit: SubmitAction;
  /** The group commit of message claims; false: the message was received before. */
  readonly claim: (claim: ReplayClaim) => Promise<boolean>;
}

type Status = TransactionResult['status'];

/** What a step that left no transaction is reported as, by its mode. */
const WITHOUT_RECORD = { failed: 'failed', pending: 'prepared' } as const;

/**
 * Takes the step of a transaction_request and answers with its transaction_result. The requester is the sender. Throws `auth.actor_mismatch`
 * and what submitAction throws.
 */
export async function requestTransaction(
  deps: TransactionRequestDeps,
  identity: Identity,
  envelope: Envelope,
  request: TransactionRequest,
  context: RequestContext,
): Promise<TransactionResult> {
  if (request.requested_by.id !== identity.principal.id) {
    if (!(await deps.claim(replayClaimOf(identity, envelope, deps.clock())))) throw new AipError('replay.message_id');
    throw new AipError('auth.actor_mismatch', 'requested_by must be the authenticated principal');
  }
  const step = request.action.transaction as NonNullable<TransactionRequest['action']['transaction']>;
  const action = { ...request.action, transaction: { ...step, transaction_id: request.transaction_id } };
  const { provider_operation, reconciliation_cursor, reason } = request;
  const terms = {
    ...(provider_operation && { provider_operation }),
    ...(reconciliation_cursor !== undefined && { reconciliation_cursor }),
    ...(reason !== undefined && { reason }),
  };
  const reply = await deps.submit(identity, envelope, action, context, { terms });
  return resultOf(deps, identity, request, reply);
}

async function resultOf(
  deps: Pick<TransactionRequestDeps, 'pool'>,
  identity: Identity,
  request: TransactionRequest,
  reply: SubmitReply,
): Promise<TransactionResult> {
  const tenantId = identity.tenantId ?? null;
  const result = 'action_result' in reply ? reply.action_result : undefined;
  // A commit follows its plan: the action's record names the transaction.
  const accepted = await readAction(deps.pool, { actionId: request.action.id, tenantId });
  const transactionId = accepted?.transaction_id ?? request.transaction_id;
  const record = accepted && (await readTransaction(deps.pool, tenantId, transactionId));
  const own = record && (record.action_id === request.action.id || record.mode !== step(request)) ? record : undefined;
  const chainId = transactionChainId(transactionId);
  const chain = record && (await readChain(deps.pool, { chainId, tenantId }));
  return {
    transaction_id: transactionId,
    action_id: request.action.id,
    capability_id: request.action.capability_id,
    transaction: { ...request.action.transaction, mode: step(request), transaction_id: transactionId },
    status: statusOf(step(request), own, result),
    ...(own?.plan && { plan: own.plan }),
    ...(result && { result }),
    ...(result?.error && { error: result.error }),
    ...(chain && { receipt_chain: chain }),
    ...(own?.provider_operation && { provider_operation: own.provider_operation }),
    ...(own?.reconciliation_cursor && { reconciliation_cursor: own.reconciliation_cursor }),
    ...(own?.reconcile_after && { reconcile_after: formatTime(own.reconcile_after) }),
  };
}

function step({ action }: TransactionRequest): NonNullable<TransactionRequest['action']['transaction']>['mode'] {
  return action.transaction?.mode ?? 'execute';
}

/** The status of a step: what a human or a cancellation makes of it, else the durable one, else what its result says. */
function statusOf(mode: string, record: TransactionRecord | undefined, result: ActionResult | undefined): Status {
  if (result?.status === 'pending_approval' || result?.status === 'requires_human') return 'requires_human';
  if (result?.status === 'cancelled') return 'cancelled';
  if (result?.status === 'failed' && (!record || record.action_id !== result.action_id) && mode !== 'reconcile')
    return mode === 'rollback_not_supported' ? 'rollback_not_supported' : WITHOUT_RECORD.failed;
  return record?.status ?? WITHOUT_RECORD.pending;
}
