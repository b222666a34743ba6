import type { Queryable } from '../../../postgres/pool.js';
import { parseJson } from '../../../protocol/json.js';
import { rootHash } from '../../../protocol/receipts.js';
import type { Receipt, ReceiptChain } from '../../../protocol/types.js';
import type { Access, OwnedRecord } from '../../edge/query-authorization.js';
import { actionOfChain, actionsOfReceipt } from './action-chain.js';

// What rows of actions `a` keep of their chains.
const LINKS = `('action:' || a.action_id), a.tenant_id, COALESCE(a.tenant_id, ''), a.principal_id, (link->>'position')::integer, (link->'record')::text, 0`;
const IN_ORDER = `AS links(chain_id, tenant_id, tenant_key, principal_id, position, record, source)
ORDER BY chain_id, tenant_key, position, source`;

// The receipts of several chains, in order. Tenants may have chains of one name. The chain of an action is in its row ($2: their ids), unless it
// was stored before rows had it, or the action was removed and maybe came again.
const READ_CHAINS = `
SELECT DISTINCT ON (chain_id, tenant_key, position) chain_id, tenant_id, principal_id, record FROM (
  SELECT chain_id, tenant_id, tenant_key, principal_id, position, record::text, 1 FROM runtime.receipts WHERE chain_id = ANY($1::text[])
  UNION ALL
  SELECT ${LINKS} FROM runtime.actions a, unnest(a.receipts) AS link WHERE a.action_id = ANY($2::text[])
) ${IN_ORDER}`;

// The receipts of several chains, each of one tenant, in order; $3 and $4: actions and their tenants.
const READ_CHAINS_OF = `
SELECT DISTINCT ON (chain_id, tenant_key, position) chain_id, tenant_id, principal_id, record FROM (
  SELECT chain_id, tenant_id, tenant_key, principal_id, position, record::text, 1
  FROM runtime.receipts JOIN unnest($1::text[], $2::text[]) AS asked(chain_id, tenant_key) USING (chain_id, tenant_key)
  WHERE chain_id = ANY($1::text[])
  UNION ALL
  SELECT ${LINKS}
  FROM runtime.actions a JOIN unnest($3::text[], $4::text[]) AS asked(action_id, tenant_key)
    ON asked.action_id = a.action_id AND asked.tenant_key = COALESCE(a.tenant_id, ''), unnest(a.receipts) AS link
  WHERE a.action_id = ANY($3::text[])
) ${IN_ORDER}`;

// The chains that hold a receipt, one a tenant; $2: actions whose chain it may be in.
const CHAINS_OF_RECEIPT = `
SELECT chain_id FROM runtime.receipts WHERE receipt_id = $1
UNION SELECT 'action:' || a.action_id FROM runtime.actions a WHERE a.action_id = ANY($2::text[]) AND a.receipts IS NOT NULL`;

// Chains as other parties submitted them, by their id or by one of their receipts, one a tenant and two at most: submitters choose the ids of
// receipts, so any number of chains may hold one, and only what the caller reaches ($3: a tenant, $4: principals) is read.
const SUBMITTED = `
WITH found AS MATERIALIZED (
  SELECT DISTINCT ON (tenant_key) tenant_key, chain_id FROM runtime.submitted_chains
  WHERE (chain_id = $1 OR receipt_ids @> ARRAY[$2::text]) AND ($3::text IS NULL OR tenant_key = $3)
    AND ($4::text[] IS NULL OR principal_id = ANY($4))
  ORDER BY tenant_key, chain_id LIMIT 2)
SELECT s.tenant_key, s.principal_id, s.record::text AS record
FROM found JOIN runtime.submitted_chains s USING (tenant_key, chain_id) ORDER BY s.tenant_key`;

/** A chain of a tenant (null: outside every tenant). */
export interface ChainRef {
  readonly chainId: string;
  readonly tenantId: string | null;
}

/** A chain with what authorization has to know about it. */
export interface OwnedChain {
  readonly chain: ReceiptChain;
  readonly owner: OwnedRecord;
}

/** Reads chains of tenants; what it returns finds each of them. A chain without receipts is not in the answer. */
export async function readChains(
  db: Queryable,
  refs: readonly ChainRef[],
): Promise<(ref: ChainRef) => ReceiptChain | undefined> {
  const actions = refs.flatMap(({ chainId, tenantId }) => {
    const actionId = actionOfChain(chainId);
    return actionId === undefined ? [] : { actionId, tenantId };
  });
  const values = [
    refs.map(({ chainId }) => chainId),
    refs.map(({ tenantId }) => tenantId ?? ''),
    actions.map(({ actionId }) => actionId),
    actions.map(({ tenantId }) => tenantId ?? ''),
  ];
  const chains =
    refs.length === 0 ? [] : await chainsBy(db, { name: 'runtime.receipts.read_of', text: READ_CHAINS_OF, values });
  const keyOf = ({ chainId, tenantId }: ChainRef): string => JSON.stringify([chainId, tenantId]);
  const found = new Map(
    chains.map(({ chain, owner }) => [keyOf({ chainId: chain.chain_id, tenantId: owner.tenantId }), chain]),
  );
  return (ref) => found.get(keyOf(ref));
}

/** Reads one chain of a tenant (null: outside every tenant). */
export async function readChain(db: Queryable, ref: ChainRef): Promise<ReceiptChain | undefined> {
  return (await readChains(db, [ref]))(ref);
}

/** Reads chains of every tenant by id. */
export async function ownedChains(db: Queryable, chainIds: readonly string[]): Promise<OwnedChain[]> {
  if (chainIds.length === 0) return [];
  return chainsBy(db, {
    name: 'runtime.receipts.read',
    text: READ_CHAINS,
    values: [chainIds, chainIds.flatMap((id) => actionOfChain(id) ?? [])],
  });
}

async function chainsBy(
  db: Queryable,
  statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
): Promise<OwnedChain[]> {
  const { rows } = await db.query<{
    chain_id: string;
    tenant_id: string | null;
    principal_id: string | null;
    record: string;
  }>(statement);
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

/** The chains that other parties submitted and an access reaches, by their id or by one of their receipts: one a tenant, of two tenants at most. */
export async function submittedChains(
  db: Queryable,
  { tenant, principals }: Access,
  { chainId, receiptId }: { readonly chainId?: string | undefined; readonly receiptId?: string | undefined },
): Promise<OwnedChain[]> {
  const { rows } = await db.query<{ tenant_key: string; principal_id: string; record: string }>({
    name: 'runtime.receipts.submitted_chains',
    text: SUBMITTED,
    values: [
      chainId ?? null,
      receiptId ?? null,
      tenant === 'any' ? null : (tenant ?? ''),
      principals === 'any' ? null : principals,
    ],
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
    values: [receiptId, actionsOfReceipt(receiptId)],
  });
  return rows.map((row) => row.chain_id);
}
