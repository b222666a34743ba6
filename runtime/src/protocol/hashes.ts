import { canonicalJson } from './canonical.js';
import { sha256Hex } from './digest.js';
import type { Action, ApprovalPolicy } from './types.js';

/** The hashes below are hex SHA-256 of a canonical object (docs/protocol/signing.md#other-signed-values); their arguments must be in normal form. */

/** Hash of what an approval governs; a missing transaction is hashed as null. */
export function actionInputHash(action: Pick<Action, 'capability_id' | 'input' | 'transaction'>): string {
  const { capability_id, input, transaction = null } = action;
  return sha256Hex(canonicalJson({ capability_id, input, transaction }));
}

/** Hash of what a transaction plan was made for. */
export function planInputHash({ capability_id, input }: Pick<Action, 'capability_id' | 'input'>): string {
  return sha256Hex(canonicalJson({ capability_id, input }));
}

/** Hash that reports whether an idempotency key is repeated with the same input; the transaction's own id is left out. */
export function idempotencyInputHash(action: Pick<Action, 'capability_id' | 'input' | 'transaction'>): string {
  if (action.transaction === undefined) return actionInputHash(action);
  const { transaction_id: _, ...transaction } = action.transaction;
  return actionInputHash({ ...action, transaction });
}

/** Hash of an approval policy bound to the work and people it is applied to. */
export function approvalPolicyHash(bound: {
  policy: ApprovalPolicy;
  action_id: string;
  capability_id: string;
  requester_id: string;
  subject_id: string | null;
  input_hash: string;
}): string {
  const { policy, action_id, capability_id, requester_id, subject_id, input_hash } = bound;
  return sha256Hex(canonicalJson({ policy, action_id, capability_id, requester_id, subject_id, input_hash }));
}

/** Id of the delivery of one message to one callback. */
export function deliveryId(messageId: string, profile: string, target: string): string {
  return `cb:${sha256Hex(messageId + profile + target)}`;
}
