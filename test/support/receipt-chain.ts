import { linkReceipt, rootHash } from '#runtime/protocol/receipts.js';
import type { Receipt, ReceiptChain } from '#runtime/protocol/types.js';

/** A new chain with the receipt linked at its end. */
export function appendReceipt(chain: ReceiptChain, receipt: Receipt): ReceiptChain {
  const receipts = [...chain.receipts, linkReceipt(receipt, chain.receipts.at(-1)?.hash)];
  return { chain_id: chain.chain_id, receipts, root_hash: rootHash(receipts) };
}
