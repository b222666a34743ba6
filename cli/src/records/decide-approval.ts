import { type Gateway, GatewayRefused } from '@aip/runtime/internal/gateway';
import { newEnvelope } from '@aip/runtime/internal/messages';
import { type ApprovalDecision, type ApprovalRecordView, formatTime, newId } from '@aip/runtime/internal/protocol';
import { UsageError } from '../client/errors.js';
import { read, segment } from '../client/read.js';
import { resolveId } from '../client/resolve-id.js';
import { confirmed } from '../confirm.js';
import type { ConnectionFlags } from '../contexts/connection.js';
import { approvalLines } from '../ui/tables/approvals.js';
import { approverOf } from './who-am-i.js';

/** A decision of a person. */
export interface DecisionRequest {
  id: string;
  decision: 'approved' | 'denied';
  reason?: string | undefined;
  /** A repeat under the same id is the same decision. */
  decisionId?: string | undefined;
  yes: boolean;
}

/** Shows what is decided, asks, decides, and gives the approval afterwards. Throws UsageError, Declined, GatewayRefused. */
export async function decideApproval(
  request: DecisionRequest,
  flags: ConnectionFlags & { as?: string | undefined },
  env: NodeJS.ProcessEnv,
  show: (line: string) => void,
): Promise<ApprovalRecordView> {
  const { connection, principal } = await approverOf(flags, env);
  const { gateway } = connection;
  try {
    const id = await resolveId(gateway, 'approval', request.id);
    const path = `/aip/v1/approvals/${segment(id)}`;
    const view = request.yes ? await read<ApprovalRecordView>(gateway, path) : await withInput(gateway, path);
    if (view.status !== 'pending') throw new UsageError(`${id} is ${view.status}; only a pending approval is decided.`);
    if (!request.yes) for (const line of approvalLines(view)) show(line);
    await confirmed(`${request.decision === 'approved' ? 'Approve' : 'Deny'} it as ${principal.id}?`, request.yes);
    const decision: ApprovalDecision = {
      approval_id: id,
      decision: request.decision,
      approver: principal,
      decided_at: formatTime(Date.now()),
      decision_id: request.decisionId ?? newId('message'),
      ...(request.reason === undefined ? {} : { reason: request.reason }),
      ...(view.request.policy_hash === undefined ? {} : { policy_hash: view.request.policy_hash }),
    };
    const body = newEnvelope({ approval_decision: decision }, {}, { clock: Date.now });
    await gateway.request({ method: 'POST', path: '/aip/v1/messages', body });
    return await read<ApprovalRecordView>(gateway, path);
  } finally {
    await connection.close();
  }
}

/** The approval with the input that it is about, so that nobody decides blindly; without it where the token may not see that. */
async function withInput(gateway: Gateway, path: string): Promise<ApprovalRecordView> {
  try {
    return await read<ApprovalRecordView>(gateway, path, { include_evidence_payload: true });
  } catch (error) {
    if (!(error instanceof GatewayRefused) || error.error.category !== 'auth') throw error;
    return read<ApprovalRecordView>(gateway, path);
  }
}
