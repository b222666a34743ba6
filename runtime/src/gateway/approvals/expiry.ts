import type { Logger } from 'pino';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { ApprovalExpired } from '../../protocol/errors.js';
import { formatTime } from '../../protocol/time.js';
import type { Principal } from '../../protocol/types.js';
import { actionEvent, settlementOf } from '../actions/finish/compose.js';
import type { Settlement } from '../actions/finish/write.js';
import { readAction } from '../actions/record/read.js';
import { nextState, type TerminalState } from '../actions/record/states.js';
import { type Loop, startLoop } from '../maintenance/loop.js';
import { approvalChainId, nextReceipt } from '../receipts/action-chain.js';
import { readChains } from '../receipts/read-chains.js';

/** Pause between passes and after failures, in milliseconds, and approvals of one pass. */
const RULE = { intervalMs: 1000, firstBackoffMs: 1000, maxBackoffMs: 30_000 };
const MAX_PER_PASS = 64;

/** Who lets an approval expire (docs/protocol/records.md#approvals). */
const SYSTEM: Principal = { id: 'system:aip-runtime', kind: 'system' };

// Pending approvals whose time is over, the oldest first.
const LAPSED = `
SELECT approval_id, action_id FROM runtime.approvals WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`;

/** What the expiry of approvals needs. */
export interface ApprovalExpiryDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateway: Principal;
  readonly settle: (settlement: Settlement) => Promise<boolean>;
}

/** Lets approvals expire whose time is over: every second, one batch a pass. Several gateways may do it at once. */
export function startApprovalExpiry(deps: ApprovalExpiryDeps): Loop {
  return startLoop(
    async () => void (await expireApprovals(deps)),
    RULE,
    (error) => deps.log.warn({ err: error }, 'approval expiry failed'),
  );
}

/** One pass: each waiting action ends as expired with policy.approval_expired. Returns how many did. */
export async function expireApprovals(deps: ApprovalExpiryDeps): Promise<number> {
  const nowMs = deps.clock();
  const { rows } = await deps.pool.query<{ approval_id: string; action_id: string }>({
    name: 'runtime.approvals.lapsed',
    text: LAPSED,
    values: [nowMs, MAX_PER_PASS],
  });
  const ended = await Promise.all(rows.map((row) => expire(deps, row.approval_id, row.action_id, nowMs)));
  return ended.filter(Boolean).length;
}

async function expire(deps: ApprovalExpiryDeps, approvalId: string, actionId: string, nowMs: number): Promise<boolean> {
  const record = await readAction(deps.pool, actionId);
  const state = record && nextState(record.state, 'approval_expired');
  if (!record || state === undefined) return false;
  const error = new ApprovalExpired(undefined, { details: { approval_id: approvalId } }).toProtocolError('aip-runtime');
  const result = { action_id: actionId, status: 'failed', error } as const;
  const settlement = settlementOf(record, { state: state as TerminalState, result }, deps.gateway, nowMs);
  const chainId = approvalChainId(approvalId);
  const receipts = (await readChains(deps.pool, [chainId])).get(chainId)?.chain.receipts ?? [];
  const head = { hash: receipts.at(-1)?.hash ?? null, count: receipts.length };
  const decision = { decision: 'expired', reason: null, constraints: [], evidence: [] };
  const receipt = nextReceipt(head, {
    chainId,
    subject: approvalId,
    type: 'approval_expired',
    actor: SYSTEM,
    atMs: nowMs,
    data: decision,
  });
  const data = { approval_id: approvalId, decision: 'expired', approver: SYSTEM, decided_at: formatTime(nowMs) };
  return deps.settle({
    ...settlement,
    furtherReceipts: [receipt.stored],
    events: [actionEvent(record, 'aip.approval.expired', SYSTEM, data, nowMs), ...settlement.events],
  });
}
