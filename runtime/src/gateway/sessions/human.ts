import type { Queryable } from '../../postgres/pool.js';
import { mayBecome, type SessionStatus } from './states.js';

// Moves an owner's session on from one of the given states.
const MOVE = `
UPDATE runtime.sessions SET status = $5, updated_at = $6
WHERE session_id = $1 AND tenant_id IS NOT DISTINCT FROM $2 AND principal_id = $3 AND status = ANY($4)`;

/** A session as an envelope names it, with the owner it must have. */
export interface NamedSession {
  readonly sessionId: string;
  readonly tenantId: string | null;
  readonly principalId: string;
}

/** Shows in a session that it waits for a human, where its state allows it. An active session is at work when its owner escalates. */
export async function waitForHuman(client: Queryable, session: NamedSession, nowMs: number): Promise<void> {
  await move(client, session, ['active'], 'processing', nowMs);
  await move(client, session, ['processing', 'streaming'], 'waiting_for_human', nowMs);
}

/** Shows in a session that a human answered. */
export async function resumeAfterHuman(client: Queryable, session: NamedSession, nowMs: number): Promise<void> {
  await move(client, session, ['waiting_for_human'], 'processing', nowMs);
}

async function move(
  client: Queryable,
  { sessionId, tenantId, principalId }: NamedSession,
  from: readonly SessionStatus[],
  to: SessionStatus,
  nowMs: number,
): Promise<void> {
  const legal = from.filter((state) => mayBecome(state, to));
  await client.query({
    name: 'runtime.session.move',
    text: MOVE,
    values: [sessionId, tenantId, principalId, legal, to, nowMs],
  });
}
