import type { Queryable } from '../../postgres/pool.js';
import { parseJson } from '../../protocol/json.js';
import { rootHash } from '../../protocol/receipts.js';
import type { Receipt, ReceiptChain } from '../../protocol/types.js';
import type { OwnedRecord } from '../edge/query-authorization.js';

// The receipts of several chains, in order.
const READ_CHAINS = `
SELECT chain_id, tenant_id, principal_id, record::text AS record FROM runtime.receipts
WHERE chain_id = ANY($1) ORDER BY chain_id, position`;

// The chain that holds a receipt.
const CHAIN_OF_RECEIPT = `SELECT chain_id FROM runtime.receipts WHERE receipt_id = $1`;

/** A chain with what authorization has to know about it. */
export interface OwnedChain {
  readonly chain: ReceiptChain;
  readonly owner: OwnedRecord;
}

/** Reads chains by id; a chain without receipts is not in the answer. */
export async function readChains(db: Queryable, chainIds: readonly string[]): Promise<Map<string, OwnedChain>> {
  if (chainIds.length === 0) return new Map();
  const { rows } = await db.query<{
    chain_id: string;
    tenant_id: string | null;
    principal_id: string | null;
    record: string;
  }>({ name: 'runtime.receipts.read', text: READ_CHAINS, values: [chainIds] });
  const chains = new Map<string, OwnedChain>();
  for (const [chainId, links] of Map.groupBy(rows, (row) => row.chain_id)) {
    const [first] = links;
    if (!first) continue;
    const receipts = links.map((link) => parseJson(link.record) as Receipt);
    chains.set(chainId, {
      chain: { chain_id: chainId, receipts, root_hash: rootHash(receipts) },
      owner: { tenantId: first.tenant_id, principalId: first.principal_id },
    });
  }
  return chains;
}

/** The id of the chain that holds a receipt, or undefined. */
export async function chainOfReceipt(db: Queryable, receiptId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ chain_id: string }>({
    name: 'runtime.receipts.chain_of',
    text: CHAIN_OF_RECEIPT,
    values: [receiptId],
  });
  return rows[0]?.chain_id;
}
