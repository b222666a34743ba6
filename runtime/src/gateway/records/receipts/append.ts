import type { Queryable } from '../../../postgres/pool.js';
import type { OwnedRecord } from '../../edge/query-authorization.js';
import { type ChainHead, nextReceipt, type ReceiptFact, type StoredReceipt } from './action-chain.js';

// The last link of a tenant's chain.
const READ_HEAD = `
SELECT hash, position + 1 AS count FROM runtime.receipts WHERE chain_id = $1 AND tenant_key = $2 ORDER BY position DESC LIMIT 1`;

// Which of these receipts a chain has already.
const READ_KNOWN = `SELECT receipt_id FROM runtime.receipts WHERE chain_id = $1 AND tenant_key = $2 AND receipt_id = ANY($3)`;

const INSERT = `
INSERT INTO runtime.receipts (chain_id, position, receipt_id, tenant_id, principal_id, hash, record)
SELECT r.chain_id, r.position, r.receipt_id, $2, $3, r.hash, r.record
FROM json_to_recordset($1::json) AS r(chain_id text, position integer, receipt_id text, hash text, record json)`;

/**
 * Appends receipts to one chain in the transaction of `client`; a receipt that the chain has already is left out. All facts
 * name the same chain. The caller holds the lock of the record that the chain accompanies, so nothing else appends meanwhile.
 */
export async function appendReceipts(
  client: Queryable,
  owner: OwnedRecord,
  facts: readonly ReceiptFact[],
): Promise<void> {
  const chainId = facts[0]?.chainId;
  if (chainId === undefined) return;
  const tenantKey = owner.tenantId ?? '';
  let head = await readHead(client, chainId, owner.tenantId);
  const known = await knownOf(client, chainId, tenantKey, facts);
  const stored: StoredReceipt[] = [];
  for (const fact of facts) {
    const next = nextReceipt(head, fact);
    if (known.has(next.stored.receipt_id)) continue;
    stored.push(next.stored);
    head = next.head;
  }
  if (stored.length === 0) return;
  await client.query({
    name: 'runtime.receipts.append',
    text: INSERT,
    values: [JSON.stringify(stored), owner.tenantId, owner.principalId],
  });
}

/** Where the next receipt of a tenant's chain goes. */
export async function readHead(db: Queryable, chainId: string, tenantId: string | null): Promise<ChainHead> {
  const { rows } = await db.query<ChainHead>({
    name: 'runtime.receipts.head',
    text: READ_HEAD,
    values: [chainId, tenantId ?? ''],
  });
  return rows[0] ?? { hash: null, count: 0 };
}

async function knownOf(
  client: Queryable,
  chainId: string,
  tenantKey: string,
  facts: readonly ReceiptFact[],
): Promise<Set<string>> {
  const ids = facts.map((fact) => nextReceipt({ hash: null, count: 0 }, fact).stored.receipt_id);
  const { rows } = await client.query<{ receipt_id: string }>({
    name: 'runtime.receipts.known',
    text: READ_KNOWN,
    values: [chainId, tenantKey, ids],
  });
  return new Set(rows.map((row) => row.receipt_id));
}
