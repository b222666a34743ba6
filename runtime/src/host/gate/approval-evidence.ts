import { AipError } from '../../protocol/errors.js';
import { approvalProblem } from '../approvals/approval-problem.js';
import type { Facts } from './facts.js';

/**
 * Check 7, first half: an action comes with its approval record exactly when it carries an approval, one that its capability demands is
 * there, and the record authorizes this action (docs/protocol/host.md#approval-authorization).
 */
export function approvalEvidence({ action, cancel, route, host }: Facts): AipError | undefined {
  const record = route?.approval_authorization;
  if (cancel) return undefined;
  if (!action)
    return record === undefined
      ? undefined
      : new AipError('connector_host.route_mismatch', 'only an action has an approval record');
  if (action.approval === undefined) {
    if (record !== undefined)
      return new AipError(
        'connector_host.route_mismatch',
        'the route has an approval record and the action no approval',
      );
    const required = host.capabilities.get(action.capability_id)?.contract?.approval?.required ?? false;
    return required && isEffective(action.transaction?.mode)
      ? new AipError('connector_host.route_mismatch', 'the capability needs an approval and the action has none')
      : undefined;
  }
  if (record === undefined)
    return new AipError('connector_host.route_mismatch', 'the approval record of the action is missing');
  const problem = approvalProblem(record, action, host.tenantId);
  return problem === undefined
    ? undefined
    : new AipError('connector_host.route_mismatch', `the approval record does not fit: ${problem}`);
}

/** Whether a transaction mode lets the provider act; a look ahead needs no approval. */
function isEffective(mode: string | undefined): boolean {
  return mode !== 'dry_run' && mode !== 'plan' && mode !== 'reconcile';
}
