import type { Queryable } from '../../../postgres/pool.js';
import { newId } from '../../../protocol/ids.js';
import type { DelegationRequest, DelegationResult } from '../../../protocol/types.js';
import type { NewDelegation, StoredDelegation } from './record.js';

// Requesters choose ids, so two tenants may choose the same; a delegate knows a delegation by them alone. The locks, always in this order, keep
// two gateways from giving one id to two tenants at once.
const LOCK = `SELECT pg_advisory_xact_lock(1, hashtext($1)), pg_advisory_xact_lock(2, hashtext($2))`;

// Whether a delegate may know the ids from another tenant, and under which id it knows the child action from this tenant's earlier delegation:
// the same child action must be the same to its delegate.
const TAKEN = `
SELECT EXISTS (SELECT FROM runtime.delegations d WHERE (d.sent_id = $1 OR (d.delegation_id = $1 AND d.sent_id IS NULL))
    AND d.delivery IS NOT NULL AND d.tenant_id IS DISTINCT FROM $3) AS id_taken,
  EXISTS (SELECT FROM runtime.delegations d WHERE (d.sent_child_id = $2 OR (d.child_action_id = $2 AND d.sent_child_id IS NULL))
    AND d.delivery IS NOT NULL AND d.tenant_id IS DISTINCT FROM $3) AS child_taken,
  (SELECT COALESCE(d.sent_child_id, d.child_action_id) FROM runtime.delegations d WHERE d.child_action_id = $2
    AND d.delivery IS NOT NULL AND d.tenant_id IS NOT DISTINCT FROM $3 ORDER BY d.seq LIMIT 1) AS known_child`;

/** The ids that replace the requester's in what its delegate gets; null: the requester's own. */
export type SentIds = Pick<StoredDelegation, 'sent_id' | 'sent_child_id'>;

/** The ids under which a new delegation is sent, in the transaction of `client` that inserts it: new ones where another tenant uses them. */
export async function chooseSentIds(
  client: Queryable,
  made: Pick<NewDelegation, 'delegation_id' | 'child_action_id' | 'tenant_id'>,
): Promise<SentIds> {
  const ids = [made.delegation_id, made.child_action_id];
  await client.query({ name: 'runtime.delegations.lock_ids', text: LOCK, values: ids });
  const { rows } = await client.query<{ id_taken: boolean; child_taken: boolean; known_child: string | null }>({
    name: 'runtime.delegations.taken_ids',
    text: TAKEN,
    values: [...ids, made.tenant_id],
  });
  const { id_taken, child_taken, known_child: known } = rows[0] as (typeof rows)[number];
  const child = known ?? (child_taken ? newId('action') : made.child_action_id);
  return {
    sent_id: id_taken ? newId('delegation') : null,
    sent_child_id: child === made.child_action_id ? null : child,
  };
}

type Named = SentIds & Pick<StoredDelegation, 'request'>;

/** The delegation's request under the ids that its delegate knows. */
export function sentRequest({ request, sent_id, sent_child_id }: Named): DelegationRequest {
  const { delegation_id, child_action: child } = request;
  return {
    ...request,
    delegation_id: sent_id ?? delegation_id,
    child_action: { ...child, id: sent_child_id ?? child.id },
  };
}

/** Whether a result is one of this delegation, by the ids that its delegate knows. */
export function belongs(result: DelegationResult, delegation: Named): boolean {
  const { delegation_id, parent_action_id, child_action } = sentRequest(delegation);
  return (
    result.delegation_id === delegation_id &&
    result.parent_action_id === parent_action_id &&
    result.child_action_id === child_action.id
  );
}

/** What a delegate says, under the requester's ids. */
export function receivedResult(result: DelegationResult, { request }: Named): DelegationResult {
  return renamed(result, request);
}

/** What the requester's delegation says, under the ids that its delegate knows. */
export function sentResult(result: DelegationResult, delegation: Named): DelegationResult {
  return renamed(result, sentRequest(delegation));
}

function renamed(
  result: DelegationResult,
  { delegation_id, child_action: { id: child } }: Pick<DelegationRequest, 'delegation_id' | 'child_action'>,
): DelegationResult {
  const { result: output } = result;
  const own = output?.action_id === result.child_action_id;
  return {
    ...result,
    delegation_id,
    child_action_id: child,
    ...(output && { result: own ? { ...output, action_id: child } : output }),
  };
}
