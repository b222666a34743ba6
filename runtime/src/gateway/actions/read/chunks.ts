import type { Queryable } from '../../../postgres/pool.js';
import type { ActionRef } from '../../../protocol/content/action-ref.js';
import { parseJson } from '../../../protocol/json.js';
import type { StreamChunk } from '../../../protocol/types.js';

/** Chunks and bytes that one ActionStatus carries at most; the chunks route has the rest. */
const MAX_CHUNKS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

// The first chunks of an action, up to a number and a size.
const FIRST_CHUNKS = `
SELECT record FROM (
  SELECT sequence, record::text AS record, sum(octet_length(record::text)) OVER (ORDER BY sequence) AS bytes
  FROM runtime.chunks WHERE action_id = $1 AND tenant_key = $4 ORDER BY sequence LIMIT $2
) first WHERE bytes <= $3 ORDER BY sequence`;

/** The first chunks of an action, as many as one status may carry. */
export async function readChunks(db: Queryable, { actionId, tenantId }: ActionRef): Promise<StreamChunk[]> {
  const { rows } = await db.query<{ record: string }>({
    name: 'runtime.chunks.first',
    text: FIRST_CHUNKS,
    values: [actionId, MAX_CHUNKS, MAX_BYTES, tenantId ?? ''],
  });
  return rows.map((row) => parseJson(row.record) as StreamChunk);
}
