import type { Logger } from 'pino';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { formatTime } from '../../protocol/time.js';
import type { Principal } from '../../protocol/types.js';
import { systemVote } from '../actions/approval/decision/vote.js';
import { type ApprovalRef, type ApprovalRow, approvalRef } from '../actions/approval/record.js';
import { recordActionEnd } from '../actions/finish/measure.js';
import { DUE_RULE, startDueLoop } from '../maintenance/due-loop.js';
import type { Loop } from '../maintenance/loop.js';
import { auditVote } from './decide/audit.js';
import { finishApproval } from './decide/finish.js';
import { addVote, holdApproval } from './decide/hold.js';

/** Approvals of one pass. */
const MAX_PER_PASS = 64;

// Pending approvals whose time is over, the oldest first.
const LAPSED = `
SELECT approval_id, tenant_id FROM runtime.approvals WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`;

const NEXT = `SELECT min(expires_at) AS at FROM runtime.approvals WHERE status = 'pending'`;

/** What the expiry of approvals needs. */
export interface ApprovalExpiryDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateway: Principal;
}

/** Lets approvals expire when their time is over, one batch a second. Several gateways may do it at once. */
export function startApprovalExpiry(deps: ApprovalExpiryDeps): Loop {
  const { pool, clock } = deps;
  const next = async (): Promise<number | null> => {
    const { rows } = await pool.query<{ at: number | null }>({ name: 'runtime.approvals.next', text: NEXT });
    return rows[0]?.at ?? null;
  };
  return startDueLoop({ pool, clock, work: { next, pass: () => expireApprovals(deps) } }, DUE_RULE, (error) =>
    deps.log.warn({ err: error }, 'approval expiry failed'),
  );
}

/** One pass: each waiting action ends as expired with policy.approval_expired. Returns how many approvals expired. */
export async function expireApprovals(deps: ApprovalExpiryDeps): Promise<number> {
  const { rows } = await deps.pool.query<Pick<ApprovalRow, 'approval_id' | 'tenant_id'>>({
    name: 'runtime.approvals.lapsed',
    text: LAPSED,
    values: [deps.clock(), MAX_PER_PASS],
  });
  const ended = await Promise.all(rows.map((row) => expire(deps, approvalRef(row))));
  return ended.filter(Boolean).length;
}

async function expire(deps: ApprovalExpiryDeps, ref: ApprovalRef): Promise<boolean> {
  const finished = await deps.pool.tx(async (client) => {
    const held = await holdApproval(client, ref);
    if (held?.approval.status !== 'pending') return undefined;
    const nowMs = deps.clock();
    const vote = systemVote(held.approval, formatTime(nowMs), nowMs);
    await addVote(client, held, vote);
    await auditVote(client, held, vote, 'expired');
    const { approval } = held;
    const action = held.action?.state === 'pending_approval' ? held.action : undefined;
    const end = { approval, action, status: 'expired', decision: vote.decision } as const;
    return finishApproval(client, end, deps.gateway, nowMs);
  });
  if (finished?.settlement) recordActionEnd(finished.settlement);
  return finished !== undefined;
}
