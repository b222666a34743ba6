import { canonicalJson } from './canonical.js';
import { sha256Hex } from './digest.js';
import type { Receipt, ReceiptChain } from './types.js';

/** Hash of a receipt: hex SHA-256 of its canonical form without `hash`, `previous_hash` included (docs/protocol/actions.md#receipts). */
export function receiptHash(receipt: Receipt): string {
  const { hash: _, ...hashed } = receipt;
  return sha256Hex(canonicalJson(hashed));
}

/** Root of a chain: hex SHA-256 of the receipts' hash texts joined without separator. */
export function rootHash(receipts: readonly Receipt[]): string {
  return sha256Hex(receipts.map(({ hash }) => hash ?? '').join(''));
}

/** The receipt as the next link after one with hash `previousHash`. The receipt must be in normal form. */
export function linkReceipt(receipt: Receipt, previousHash: string | undefined): Receipt {
  const { hash: _1, previous_hash: _2, ...rest } = receipt;
  const linked: Receipt = previousHash === undefined ? rest : { ...rest, previous_hash: previousHash };
  return { ...linked, hash: receiptHash(linked) };
}

/** Whether every hash, link and the root of a chain are right; if not, where it breaks first. */
export function verifyReceiptChain(chain: ReceiptChain): { ok: boolean; problem?: string } {
  let previous: string | undefined;
  for (const [index, receipt] of chain.receipts.entries()) {
    if (receipt.previous_hash !== previous) {
      return { ok: false, problem: `receipt ${index} (${receipt.id}) does not follow the one before it` };
    }
    if (receipt.hash !== receiptHash(receipt)) {
      return { ok: false, problem: `receipt ${index} (${receipt.id}) was changed: its hash is wrong` };
    }
    previous = receipt.hash;
  }
  if (chain.receipts.length === 0 && chain.root_hash === undefined) return { ok: true };
  if (chain.root_hash !== rootHash(chain.receipts)) return { ok: false, problem: 'the root hash is wrong' };
  return { ok: true };
}
