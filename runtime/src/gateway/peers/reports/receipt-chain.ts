import type { Pool, Queryable } from '../../../postgres/pool.js';
import { canonicalJson } from '../../../protocol/canonical.js';
import type { Clock } from '../../../protocol/clock.js';
import { AipError } from '../../../protocol/errors.js';
import { isPlainId, newId } from '../../../protocol/ids.js';
import { parseJson } from '../../../protocol/json.js';
import { MAX_PAGE_BYTES } from '../../../protocol/limits.js';
import { verifyReceiptChain } from '../../../protocol/receipts.js';
import { formatTime } from '../../../protocol/time.js';
import type { ReceiptChain } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery } from '../../edge/query-authorization.js';
import { appendEvents } from '../../events/log/append.js';
import { keepWithinStock } from '../../records/stock/admit.js';
import type { StockLimits } from '../../records/stock/limits.js';

/** Chains of these names are this server's own. */
const OWN_CHAINS = /^(?:action|approval|transaction|callback|delegation):/;

const INSERT = `
INSERT INTO runtime.submitted_chains (chain_id, tenant_key, principal_id, receipt_ids, record, submitted_at)
VALUES ($1, $2, $3, $4, $5::json, $6) ON CONFLICT (chain_id, tenant_key) DO NOTHING RETURNING chain_id`;

const READ = `SELECT principal_id, record::text AS record FROM runtime.submitted_chains WHERE chain_id = $1 AND tenant_key = $2`;

/**
 * Stores a receipt chain of the caller (scope receipt:write) as it is, and returns it. The same chain again changes nothing. Throws
 * `action.invalid_input` for a chain whose hashes are wrong or whose name is one of this server's own chains, `receipt.id_conflict` for an id
 * under which the tenant has another chain, and StockExceeded.
 */
export async function submitReceiptChain(
  deps: { readonly pool: Pool; readonly clock: Clock; readonly stock: StockLimits },
  identity: Identity,
  chain: ReceiptChain,
): Promise<ReceiptChain> {
  const nowMs = deps.clock();
  const { principal, tenantId } = identity;
  authorizeQuery(identity, { object: 'receipt', operation: 'write', principalId: principal.id }, nowMs);
  checkChain(chain);
  const tenantKey = tenantId ?? '';
  await deps.pool.tx(async (client) => {
    const written = await client.query({
      name: 'runtime.receipts.submit',
      text: INSERT,
      values: [
        chain.chain_id,
        tenantKey,
        principal.id,
        chain.receipts.map(({ id }) => id),
        JSON.stringify(chain),
        nowMs,
      ],
    });
    if (written.rows.length === 0) return confirmSame(client, principal.id, tenantKey, chain);
    await keepWithinStock(client, deps.stock, { kind: 'submitted_chains', tenantId });
    const data = {
      chain_id: chain.chain_id,
      receipt_count: chain.receipts.length,
      ...(chain.root_hash !== undefined && { root_hash: chain.root_hash }),
      ...(tenantId !== undefined && { identity: { tenant: { id: tenantId } } }),
    };
    const actor = { id: principal.id, kind: principal.kind };
    const event = { id: newId('event'), kind: 'aip.audit.receipt_chain', occurred_at: formatTime(nowMs), actor, data };
    await appendEvents(client, [{ event, tenantId, principalId: principal.id }]);
  });
  return chain;
}

function checkChain(chain: ReceiptChain): void {
  if (!isPlainId(chain.chain_id) || chain.receipts.some(({ id }) => !isPlainId(id)))
    throw new AipError(
      'action.invalid_input',
      'the ids of a receipt chain must be 1 to 256 bytes without control characters',
    );
  if (OWN_CHAINS.test(chain.chain_id))
    throw new AipError(
      'action.invalid_input',
      'chain_id names a chain of this server: it must not start with action:, approval:, transaction:, callback: or delegation:',
    );
  if (Buffer.byteLength(JSON.stringify(chain)) > MAX_PAGE_BYTES)
    throw new AipError('action.invalid_input', `a receipt chain is at most ${MAX_PAGE_BYTES} bytes`);
  const { ok, problem } = verifyReceiptChain(chain);
  if (!ok) throw new AipError('action.invalid_input', `the receipt chain is not valid: ${problem}`);
}

async function confirmSame(
  client: Queryable,
  principalId: string,
  tenantKey: string,
  chain: ReceiptChain,
): Promise<void> {
  const { rows } = await client.query<{ principal_id: string; record: string }>({
    name: 'runtime.receipts.submitted',
    text: READ,
    values: [chain.chain_id, tenantKey],
  });
  const [known] = rows;
  const same = known?.principal_id === principalId && canonicalJson(parseJson(known.record)) === canonicalJson(chain);
  if (!same) throw new AipError('receipt.id_conflict', undefined, { details: { chain_id: chain.chain_id } });
}
