import { canonicalJson } from '../../../protocol/canonical.js';
import { AipError } from '../../../protocol/errors.js';
import type { DelegationResult, Principal } from '../../../protocol/types.js';
import { type AttemptDeps, isDelegate } from './attempt.js';
import { writeEnd } from './end.js';
import { lockDelegations, type StoredDelegation } from './record.js';
import { isTerminal } from './rules.js';
import { belongs, receivedResult } from './sent-ids.js';

/**
 * Writes the end that a delegate reports, once, and returns the delegation; a report of something that has not ended changes nothing. Throws
 * `resource.not_found` for a delegation that is not the sender's, `delegation.id_conflict` for another end than the stored one.
 */
export async function takeReport(
  deps: AttemptDeps,
  sender: Principal,
  sent: DelegationResult,
): Promise<StoredDelegation> {
  const details = { delegation_id: sent.delegation_id };
  const reported = await deps.pool.tx(async (client) => {
    const known = await lockDelegations(client, sent.delegation_id, sent.child_action_id);
    const [delegation, other] = known.filter(
      (each) => belongs(sent, each) && each.delivery !== null && isDelegate(deps, sender, each),
    );
    // A report names no tenant.
    if (other) throw new AipError('delegation.id_conflict', 'several delegations have these ids', { details });
    if (!delegation) throw new AipError('resource.not_found', 'no such delegation', { details });
    const result = receivedResult(sent, delegation);
    if (delegation.result) {
      if (!isSameEnd(delegation.result, result)) throw new AipError('delegation.id_conflict', undefined, { details });
    } else if (isTerminal(result.status)) {
      const now = deps.clock();
      const { status } = result;
      const end = {
        status,
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
  deps.callbackStored?.();
  return reported;
}

/** A repeated report may leave its receipts out. */
function isSameEnd(
  { receipt_chain: _stored, ...stored }: DelegationResult,
  { receipt_chain: _sent, ...sent }: DelegationResult,
): boolean {
  return canonicalJson(stored) === canonicalJson(sent);
}
