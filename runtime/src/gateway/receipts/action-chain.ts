import { linkReceipt } from '../../protocol/receipts.js';
import { formatTime } from '../../protocol/time.js';
import type { Principal, Receipt } from '../../protocol/types.js';

/** The last link of a chain: its hash and how many receipts stand before the next one. */
export interface ChainHead {
  readonly hash: string | null;
  readonly count: number;
}

/** The head of a chain without receipts. */
export const EMPTY_CHAIN: ChainHead = { hash: null, count: 0 };

/** One receipt as it is stored. */
export interface StoredReceipt {
  readonly chain_id: string;
  readonly position: number;
  readonly receipt_id: string;
  readonly hash: string;
  readonly record: Receipt;
}

/** The chain that accompanies one action. */
export function actionChainId(actionId: string): string {
  return `action:${actionId}`;
}

/** The chain that accompanies one approval (docs/protocol/actions.md#receipts). */
export function approvalChainId(approvalId: string): string {
  return `approval:${approvalId}`;
}

/** The chain that accompanies one transaction. */
export function transactionChainId(transactionId: string): string {
  return `transaction:${transactionId}`;
}

/** The chain that accompanies one callback delivery. */
export function deliveryChainId(deliveryId: string): string {
  return `callback:${deliveryId}`;
}

/** The chain that accompanies one delegation. */
export function delegationChainId(delegationId: string): string {
  return `delegation:${delegationId}`;
}

/**
 * What a receipt says, before it has a place in a chain. `subject` is the id that its own, repeatable id is made of.
 */
export interface ReceiptFact {
  readonly chainId: string;
  readonly subject: string;
  readonly type: Receipt['receipt_type'];
  readonly actor: Principal;
  readonly atMs: number;
  readonly correlationId?: string | null;
  readonly data?: Record<string, unknown>;
  /** The receipt's id where it is not made of the subject and the type. */
  readonly receiptId?: string;
}

/** Appends a receipt to the chain that ends at `head` (docs/protocol/actions.md#receipts) and returns it with the new head. */
export function nextReceipt(head: ChainHead, fact: ReceiptFact): { stored: StoredReceipt; head: ChainHead } {
  const record = linkReceipt(
    {
      id: fact.receiptId ?? `rcpt_${fact.subject}_${fact.type}`,
      receipt_type: fact.type,
      actor: fact.actor,
      occurred_at: formatTime(fact.atMs),
      ...(fact.correlationId ? { correlation_id: fact.correlationId } : {}),
      ...(fact.data === undefined ? {} : { data: fact.data }),
    },
    head.hash ?? undefined,
  );
  const hash = record.hash as string;
  return {
    stored: { chain_id: fact.chainId, position: head.count, receipt_id: record.id, hash, record },
    head: { hash, count: head.count + 1 },
  };
}
