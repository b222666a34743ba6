import type { ReceiptChain } from '@aip/runtime/internal/protocol';
import { receiptHash, rootHash, verifyReceiptChain } from '@aip/runtime/internal/signing';

/** Why a chain does not verify, in words; undefined when it does. A chain whose data a gateway left out is distinguished from one that was changed. */
export function chainProblem(chain: ReceiptChain): string | undefined {
  const { ok, problem } = verifyReceiptChain(chain);
  if (ok) return undefined;
  const withheld = receiptsWithoutData(chain);
  if (withheld === 0) return problem ?? 'the chain is wrong';
  return `the data of ${withheld} of ${chain.receipts.length} receipts was left out, so their hashes cannot be checked; export with the scope audit:sensitive`;
}

/** How many receipts have no data and therefore another hash, when everything else of the chain is right; else 0. */
export function receiptsWithoutData({ receipts, root_hash }: ReceiptChain): number {
  const linked = receipts.every(({ previous_hash }, at) => previous_hash === receipts[at - 1]?.hash);
  const wrong = receipts.filter((receipt) => receipt.hash !== receiptHash(receipt));
  if (!linked || root_hash !== rootHash(receipts) || wrong.some(({ data }) => data !== undefined)) return 0;
  return wrong.length;
}
