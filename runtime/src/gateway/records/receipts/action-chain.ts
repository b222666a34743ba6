import { linkReceipt } from '../../../protocol/receipts.js';
import { formatTime } from '../../../protocol/time.js';
import type { Principal, Receipt } from '../../../protocol/types.js';

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
  return `${ACTION_CHAIN}${actionId}`;
}

const ACTION_CHAIN = 'action:';
/** What the receipts of an action's chain are of. */
const ACTION_RECEIPTS: readonly Receipt['receipt_type'][] = [
  'action_accepted',
  'policy_decision',
  'approval_requested',
  'approval_granted',
  'result_returned',
];

/** Whether receipts belong to the chain of an action. Its row keeps those; every other chain is in runtime.receipts. */
export function isOwnOf(actionId: string): (receipt: StoredReceipt) => boolean {
  const chainId = actionChainId(actionId);
  return ({ chain_id }) => chain_id === chainId;
}

/** A receipt as the row of its action keeps it. */
export function linkOf({ position, record }: StoredReceipt): { position: number; record: Receipt } {
  return { position, record };
}

/** The id of the action that a chain accompanies; undefined: it accompanies something else. */
export function actionOfChain(chainId: string): string | undefined {
  return chainId.startsWith(ACTION_CHAIN) ? chainId.slice(ACTION_CHAIN.length) : undefined;
}

/** The ids of the actions whose chain may hold a receipt of this id. */
export function actionsOfReceipt(receiptId: string): string[] {
  if (!receiptId.startsWith('rcpt_')) return [];
  return ACTION_RECEIPTS.filter((type) => receiptId.endsWith(`_${type}`)).map((type) =>
    receiptId.slice('rcpt_'.length, -(type.length + 1)),
  );
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
