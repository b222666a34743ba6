import type { Queryable } from '../../../postgres/pool.js';
import type { ReplayClaim } from './freshness.js';

// Claims the keys of messages: one row each, unless a live claim is there. A lapsed claim is taken over.
const CLAIM = `
INSERT INTO runtime.replay_claims AS c (message_id, expires_at)
SELECT * FROM unnest($1::text[], $2::bigint[])
ON CONFLICT (message_id) DO UPDATE SET expires_at = excluded.expires_at WHERE c.expires_at <= $3
RETURNING message_id`;

/**
 * Claims a batch of message ids in the transaction of `client`; made to be the `run` of a group commit. Returns for each
 * claim, in order, whether it was made; false means that the message was received before.
 */
export async function claimBatch(client: Queryable, claims: readonly ReplayClaim[], nowMs: number): Promise<boolean[]> {
  const first = new Map<string, ReplayClaim>();
  for (const claim of claims) if (!first.has(claim.key)) first.set(claim.key, claim);
  const unique = [...first.values()];
  const made = await client.query<{ message_id: string }>({
    name: 'runtime.replay.claim',
    text: CLAIM,
    values: [unique.map((claim) => claim.key), unique.map((claim) => claim.expiresAt), nowMs],
  });
  const ids = new Set(made.rows.map((row) => row.message_id));
  return claims.map((claim) => first.get(claim.key) === claim && ids.has(claim.key));
}
