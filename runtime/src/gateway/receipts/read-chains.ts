import type { Queryable } from '../../postgres/pool.js';
import { parseJson } from '../../protocol/json.js';
import { rootHash } from '../../protocol/receipts.js';
import type { Receipt, ReceiptChain } from '../../protocol/types.js';
import type { OwnedRecord } from '../edge/query-authorization.js';

// The receipts of several chains, in order. Tenants may have chains of one name.
const READ_CHAINS = `
SELECT chain_id, tenant_id, principal_id, record::text AS record FROM runtime.receipts
WHERE chain_id = ANY($1) ORDER BY chain_id, tenant_key, position`;

// The chains that hold a receipt, one a tenant.
const CHAINS_OF_RECEIPT = `SELECT DISTINCT chain_id FROM runtime.receipts WHERE receipt_id = $1`;

/** A chain with what authorization has to know about it. */
export interface OwnedChain {
  readonly chain: ReceiptChain;
  readonly owner: OwnedRecord;
}

/** Reads chains whose ids no two tenants share, by id; a chain without receipts is not in the answer. */
export async function readChains(db: Queryable, chainIds: readonly string[]): Promise<Map<string, OwnedChain>> {
  return byId(await ownedChains(db, chainIds));
}

/** Reads the chains of one tenant (null: outside every tenant) by id. */
export async function readChainsOf(
  db: Queryable,
  tenantId: string | null,
  chainIds: readonly string[],
): Promise<Map<string, OwnedChain>> {
  const chains = await ownedChains(db, chainIds);
  return byId(chains.filter(({ owner }) => owner.tenantId === tenantId));
}

/** Reads chains of every tenant by id. */
export async function ownedChains(db: Queryable, chainIds: readonly string[]): Promise<OwnedChain[]> {
  if (chainIds.length === 0) return [];
  const { rows } = await db.query<{
    chain_id: string;
    tenant_id: string | null;
    principal_id: string | null;
    record: string;
  }>({ name: 'runtime.receipts.read', text: READ_CHAINS, values: [chainIds] });
  const chains: OwnedChain[] = [];
  for (const links of Map.groupBy(rows, (row) => JSON.stringify([row.chain_id, row.tenant_id])).values()) {
    const [first] = links;
    if (!first) continue;
    const receipts = links.map((link) => parseJson(link.record) as Receipt);
    chains.push({
      chain: { chain_id: first.chain_id, receipts, root_hash: rootHash(receipts) },
      owner: { tenantId: first.tenant_id, principalId: first.principal_id },
    });
  }
  return chains;
}

/** The ids of the chains that hold a receipt of this id. */
export async function chainsOfReceipt(db: Queryable, receiptId: string): Promise<string[]> {
  const { rows } = await db.query<{ chain_id: string }>({
    name: 'runtime.receipts.chains_of',
    text: CHAINS_OF_RECEIPT,
    values: [receiptId],
  });
  return rows.map((row) => row.chain_id);
}

function byId(chains: readonly OwnedChain[]): Map<string, OwnedChain> {
  return new Map(chains.map((owned) => [owned.chain.chain_id, owned]));
}
