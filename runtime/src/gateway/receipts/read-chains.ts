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

// Chains as other parties submitted them, by their id or by one of their receipts.
const SUBMITTED = `
SELECT tenant_key, principal_id, record::text AS record FROM runtime.submitted_chains
WHERE chain_id = $1 OR receipt_ids @> ARRAY[$2::text] ORDER BY chain_id, tenant_key`;

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

/** The chains that other parties submitted, of every tenant, by their id or by one of their receipts. */
export async function submittedChains(
  db: Queryable,
  { chainId, receiptId }: { readonly chainId?: string | undefined; readonly receiptId?: string | undefined },
): Promise<OwnedChain[]> {
  const { rows } = await db.query<{ tenant_key: string; principal_id: string; record: string }>({
    name: 'runtime.receipts.submitted_chains',
    text: SUBMITTED,
    values: [chainId ?? null, receiptId ?? null],
  });
  return rows.map(({ tenant_key, principal_id, record }) => ({
    chain: parseJson(record) as ReceiptChain,
    owner: { tenantId: tenant_key === '' ? null : tenant_key, principalId: principal_id },
  }));
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
