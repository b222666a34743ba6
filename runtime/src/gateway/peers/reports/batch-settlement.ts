import type { Pool } from '../../../postgres/pool.js';
import { canonicalJson } from '../../../protocol/canonical.js';
import type { Clock } from '../../../protocol/clock.js';
import { AipError } from '../../../protocol/errors.js';
import { isPlainId, newId } from '../../../protocol/ids.js';
import { parseJson } from '../../../protocol/json.js';
import { MAX_EVENT_BYTES } from '../../../protocol/limits.js';
import { formatTime } from '../../../protocol/time.js';
import type { BatchSettlement } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import { appendEvents } from '../../events/log/append.js';
import { keepWithinStock } from '../../records/stock/admit.js';
import type { StockLimits } from '../../records/stock/limits.js';

const INSERT = `
INSERT INTO runtime.batch_settlements (settlement_id, tenant_key, principal_id, record, submitted_at)
VALUES ($1, $2, $3, $4::json, $5) ON CONFLICT (settlement_id, tenant_key) DO NOTHING RETURNING settlement_id`;

const READ = `
SELECT principal_id, record::text AS record FROM runtime.batch_settlements WHERE settlement_id = $1 AND tenant_key = $2`;

/**
 * Stores a batch that the caller settled, as it is, with one event that names it without its records, and returns it. Nothing is paid or
 * charged. The same settlement again changes nothing. Throws `action.invalid_input` for one that is too large, `settlement.id_conflict` for an id
 * under which the tenant has another settlement, and StockExceeded.
 */
export async function submitSettlement(
  { pool, clock, stock }: { readonly pool: Pool; readonly clock: Clock; readonly stock: StockLimits },
  { principal, tenantId }: Identity,
  settlement: BatchSettlement,
): Promise<BatchSettlement> {
  const { id, model, records } = settlement;
  if (!isPlainId(id))
    throw new AipError(
      'action.invalid_input',
      'the id of a batch settlement must be 1 to 256 bytes without control characters',
    );
  const text = JSON.stringify(settlement);
  if (Buffer.byteLength(text) > MAX_EVENT_BYTES)
    throw new AipError('action.invalid_input', `a batch settlement is at most ${MAX_EVENT_BYTES} bytes`);
  const nowMs = clock();
  await pool.tx(async (client) => {
    const tenantKey = tenantId ?? '';
    const values = [id, tenantKey, principal.id, text, nowMs];
    const written = await client.query({ name: 'runtime.settlements.submit', text: INSERT, values });
    if (written.rows.length === 0) {
      const { rows } = await client.query<{ principal_id: string; record: string }>({
        name: 'runtime.settlements.submitted',
        text: READ,
        values: [id, tenantKey],
      });
      const [known] = rows;
      if (known?.principal_id === principal.id && canonicalJson(parseJson(known.record)) === canonicalJson(settlement))
        return;
      throw new AipError('settlement.id_conflict', undefined, { details: { id } });
    }
    await keepWithinStock(client, stock, { kind: 'batch_settlements', tenantId });
    const identity = tenantId === undefined ? {} : { identity: { tenant: { id: tenantId } } };
    const event = {
      id: newId('event'),
      kind: 'aip.economic.batch_settlement',
      occurred_at: formatTime(nowMs),
      actor: { id: principal.id, kind: principal.kind },
      data: { id, model, record_count: records?.length ?? 0, ...identity },
    };
    await appendEvents(client, [{ event, tenantId, principalId: principal.id }]);
  });
  return settlement;
}
